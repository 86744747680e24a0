"""Inference components: copies of a model on an endpoint whose variant has none of its own."""

import copy
from typing import Any

from sizewell_localcloud.emulator import clock, scalable_targets
from sizewell_localcloud.emulator.account import arn, in_background
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.endpoint_records import found_endpoint, require_in_service
from sizewell_localcloud.emulator.sagemaker.listing import listing
from sizewell_localcloud.emulator.sagemaker.models import found_model


def create_inference_component(request: dict[str, Any]) -> dict[str, Any]:
    """CreateInferenceComponent."""
    name = request["InferenceComponentName"]
    component_arn = arn("sagemaker", f"inference-component/{name.lower()}")
    with store.lock:
        if name in store.components:
            raise ValidationError(f'Cannot create already existing inference component "{component_arn}".')
        endpoint = found_endpoint(request["EndpointName"])
        require_in_service(endpoint)
        variants = {variant["VariantName"]: variant for variant in endpoint["_config"]["ProductionVariants"]}
        variant = variants.get(request.get("VariantName"))
        if variant is None or "ModelName" in variant:
            raise ValidationError(
                "Inference Components are not supported in this Endpoint. Please make sure this endpoint can deploy inference "
                "components."
            )
        _check(request)
        component = {
            **{key: request[key] for key in ("InferenceComponentName", "EndpointName", "VariantName")},
            "InferenceComponentArn": component_arn,
            "EndpointArn": endpoint["EndpointArn"],
            "CreationTime": clock.now(),
        }
        store.components[name] = component
        store.tags[component_arn] = store.tag_map(request.get("Tags"))
    _settle(component, request, "Creating")
    return {"InferenceComponentArn": component_arn}


def update_inference_component(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateInferenceComponent."""
    component = found_component(request["InferenceComponentName"])
    if component["InferenceComponentStatus"] not in {"InService", "Failed"}:
        raise ValidationError(
            f"Cannot update in-progress inference component {component['InferenceComponentName']}"
        )
    _check({**component, **request})
    _settle(component, request, "Updating")
    return {"InferenceComponentArn": component["InferenceComponentArn"]}


def update_runtime_config(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateInferenceComponentRuntimeConfig: what autoscaling and people use to change the number of copies."""
    return update_inference_component({**request, "RuntimeConfig": request["DesiredRuntimeConfig"]})


def _check(request: dict[str, Any]) -> None:
    specification = request["Specification"]
    if "ModelName" in specification:
        found_model(specification["ModelName"])
    required = specification.get("ComputeResourceRequirements", {})
    # API reference: a copy of a model reserves memory, and cores or accelerators.
    if not required.keys() & {"NumberOfCpuCoresRequired", "NumberOfAcceleratorDevicesRequired"}:
        raise ValidationError(
            "ComputeResourceRequirements needs a number of CPU cores or accelerator devices"
        )


def _settle(component: dict[str, Any], request: dict[str, Any], status: str) -> None:
    """Take what is asked for, and be in service after a while."""
    copies = request.get("RuntimeConfig", {}).get("CopyCount")
    with store.lock:
        for key in ("Specification", "DeploymentConfig"):
            if key in request:
                component["LastDeploymentConfig" if key == "DeploymentConfig" else key] = request[key]
        if copies is not None:
            current = component.get("RuntimeConfig", {}).get("CurrentCopyCount", 0)
            component["RuntimeConfig"] = {"DesiredCopyCount": copies, "CurrentCopyCount": current}
        component |= {"InferenceComponentStatus": status, "LastModifiedTime": clock.now()}

    def run() -> None:
        clock.pause(clock.INSTANCE_START_S)
        with store.lock:
            component["InferenceComponentStatus"] = "InService"
            runtime = component["RuntimeConfig"]
            component["RuntimeConfig"] = {**runtime, "CurrentCopyCount": runtime["DesiredCopyCount"]}

    in_background(run, f"settle {component['InferenceComponentName']}")


def describe_inference_component(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeInferenceComponent."""
    with store.lock:
        return copy.deepcopy(found_component(request["InferenceComponentName"]))


def found_component(name: str) -> dict[str, Any]:
    """Return a component. Raises ValidationError."""
    component: dict[str, Any] | None = store.components.get(name)
    if component is None:
        raise ValidationError(f"Could not find inference component {name}")
    return component


def list_inference_components(request: dict[str, Any]) -> dict[str, Any]:
    """ListInferenceComponents."""
    return listing(
        request, store.components.values(), prefix="InferenceComponent", answer="InferenceComponents"
    )


def delete_inference_component(request: dict[str, Any]) -> None:
    """DeleteInferenceComponent: its scalable target goes with it."""
    name = request["InferenceComponentName"]
    component = found_component(name)
    scalable_targets.deregister(f"inference-component/{name}")
    with store.lock:
        store.components.pop(name)
        store.tags.pop(component["InferenceComponentArn"], None)
