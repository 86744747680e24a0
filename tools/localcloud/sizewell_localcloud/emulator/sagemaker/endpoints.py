"""Endpoints: created, updated, re-scaled and deleted in scaled time, refused as SageMaker refuses."""

import copy
from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import in_background
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import scripts, store
from sizewell_localcloud.emulator.sagemaker.deployments import check_deployment_config, run_deployment, show
from sizewell_localcloud.emulator.sagemaker.endpoint_configs import found_endpoint_config
from sizewell_localcloud.emulator.sagemaker.endpoint_records import (
    announce,
    endpoint_arn,
    found_endpoint,
    mark,
    require_in_service,
    set_status,
)
from sizewell_localcloud.emulator.sagemaker.listing import listing
from sizewell_localcloud.emulator.sagemaker.scaling_guard import require_no_registered_change
from sizewell_localcloud.emulator.scalable_targets import deregister_endpoint


def create_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """CreateEndpoint."""
    name = request["EndpointName"]
    with store.lock:
        if name in store.endpoints:
            raise ValidationError(f'Cannot create already existing endpoint "{endpoint_arn(name)}".')
        config = found_endpoint_config(request["EndpointConfigName"])
        check_deployment_config(request.get("DeploymentConfig"), config, config)
        endpoint = {
            "EndpointName": name,
            "EndpointArn": endpoint_arn(name),
            "EndpointConfigName": request["EndpointConfigName"],
            "CreationTime": clock.now(),
            # What runs: the configuration itself may be deleted while the endpoint serves.
            "_config": config,
        }
        store.endpoints[name] = endpoint
        store.tags[endpoint["EndpointArn"]] = store.tag_map(request.get("Tags"))
        news = mark(endpoint, "Creating")
    announce(news)

    def create() -> None:
        clock.pause(clock.ENDPOINT_START_S)
        script = scripts.take("endpoint", name)
        if script is not None:
            set_status(
                endpoint, "Failed", script.reason or "The container did not pass the ping health check."
            )
            return
        with store.lock:
            _run(endpoint, config, fresh_variants(config))
            news = mark(endpoint, "InService")
        announce(news)

    in_background(create, f"create {name}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def _run(endpoint: dict[str, Any], config: dict[str, Any], variants: list[dict[str, Any]]) -> None:
    """Let the endpoint show what runs; no page says that an update retains anything of a shadow."""
    endpoint["ProductionVariants"] = variants
    endpoint.pop("ShadowProductionVariants", None)
    if shadows := config.get("ShadowProductionVariants"):
        endpoint["ShadowProductionVariants"] = _running(shadows, {})


def fresh_variants(config: dict[str, Any], kept: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Return the running variants of a configuration; those in ``kept`` keep their instance count and weight."""
    return _running(config["ProductionVariants"], {variant["VariantName"]: variant for variant in kept or []})


def _running(stated: list[dict[str, Any]], previous: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    variants = []
    for wanted in stated:
        old = previous.get(wanted["VariantName"], {})
        weight = old.get("DesiredWeight", wanted.get("InitialVariantWeight", 1.0))
        variant = {"VariantName": wanted["VariantName"], "CurrentWeight": weight, "DesiredWeight": weight}
        if "ServerlessConfig" in wanted:
            variant |= {"CurrentServerlessConfig": wanted["ServerlessConfig"]}
        else:
            count = old.get("DesiredInstanceCount", wanted.get("InitialInstanceCount", 1))
            variant |= {"CurrentInstanceCount": count, "DesiredInstanceCount": count}
        for key in ("ManagedInstanceScaling", "RoutingConfig"):
            if key in wanted:
                variant[key] = wanted[key]
        variants.append(variant)
    return variants


def update_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateEndpoint: refused while another operation runs, or where autoscaling stands in the way."""
    name = request["EndpointName"]
    with store.lock:
        endpoint = found_endpoint(name)
        if endpoint["EndpointStatus"] == "Failed":
            raise ValidationError(
                f'Cannot update failed endpoint "{endpoint["EndpointArn"]}": it can only be deleted.'
            )
        require_in_service(endpoint)
        config, current = found_endpoint_config(request["EndpointConfigName"]), endpoint["_config"]
        require_no_registered_change(name, current, config)
        deployment = request.get("DeploymentConfig")
        if deployment is None and request.get("RetainDeploymentConfig"):
            deployment = endpoint.get("LastDeploymentConfig")
        check_deployment_config(deployment, current, config)
        kept = endpoint["ProductionVariants"] if request.get("RetainAllVariantProperties") else None
        excluded = {
            item["VariantPropertyType"] for item in request.get("ExcludeRetainedVariantProperties") or []
        }
        if kept:
            kept = [{k: v for k, v in variant.items() if k not in excluded} for variant in kept]
        target = fresh_variants(config, kept)
        show(endpoint, config, target, "Creating")
        news = mark(endpoint, "Updating")
    announce(news)

    def update() -> None:
        script = scripts.take("endpoint", name)
        reason = run_deployment(endpoint, config, target, deployment, script)
        if reason is not None:
            set_status(endpoint, "RollingBack", reason)
            clock.pause(clock.INSTANCE_START_S)
        with store.lock:
            endpoint.pop("PendingDeploymentSummary", None)
            if reason is None:
                endpoint["EndpointConfigName"] = config["EndpointConfigName"]
                endpoint["_config"] = config
                _run(endpoint, config, target)
                if deployment is not None:
                    endpoint["LastDeploymentConfig"] = deployment
            news = mark(endpoint, "InService", reason)
        announce(news)

    in_background(update, f"update {name}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def update_weights_and_capacities(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateEndpointWeightsAndCapacities: what autoscaling and people use to change a count."""
    name, wanted = request["EndpointName"], request["DesiredWeightsAndCapacities"]
    with store.lock:
        endpoint = found_endpoint(name)
        require_in_service(endpoint)
        variants = {variant["VariantName"]: variant for variant in endpoint["ProductionVariants"]}
        for desired in wanted:
            variant = variants.get(desired["VariantName"])
            if variant is None:
                raise ValidationError(f"Endpoint {name} has no variant {desired['VariantName']}")
            if "DesiredInstanceCount" in desired and "CurrentServerlessConfig" in variant:
                raise ValidationError(
                    f"Variant {desired['VariantName']} of endpoint {name} is serverless and has no instances"
                )
        for desired in wanted:
            for key in ("DesiredInstanceCount", "DesiredWeight"):
                if key in desired:
                    variants[desired["VariantName"]][key] = desired[key]
        news = mark(endpoint, "Updating")
    announce(news)

    def rescale() -> None:
        clock.pause(clock.INSTANCE_START_S)
        with store.lock:
            for variant in variants.values():
                for noun in ("InstanceCount", "Weight"):
                    if f"Desired{noun}" in variant:
                        variant[f"Current{noun}"] = variant[f"Desired{noun}"]
            news = mark(endpoint, "InService")
        announce(news)

    in_background(rescale, f"rescale {name}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def describe_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeEndpoint."""
    with store.lock:
        endpoint = copy.deepcopy(found_endpoint(request["EndpointName"]))
    for key in ("DataCaptureConfig", "AsyncInferenceConfig", "ExplainerConfig"):
        if key in endpoint["_config"]:
            endpoint[key] = endpoint["_config"][key]
    return endpoint


def list_endpoints(request: dict[str, Any]) -> dict[str, Any]:
    """ListEndpoints."""
    return listing(request, store.endpoints.values(), prefix="Endpoint", answer="Endpoints")


def delete_endpoint(request: dict[str, Any]) -> None:
    """DeleteEndpoint: deregisters what autoscaling holds of it, as SageMaker does with a caller's permission."""
    name = request["EndpointName"]
    with store.lock:
        endpoint = found_endpoint(name)
        if endpoint["EndpointStatus"] != "Failed":
            require_in_service(endpoint)
        # https://docs.aws.amazon.com/sagemaker/latest/dg/realtime-endpoints-delete-resources.html: components go first.
        if left := sorted(
            component["InferenceComponentName"]
            for component in store.components.values()
            if component["EndpointName"] == name
        ):
            raise ValidationError(
                f"Cannot delete endpoint {name} with inference components: {', '.join(left)}"
            )
        news = mark(endpoint, "Deleting")
    # After the status has changed, so that no variant is registered in between.
    deregister_endpoint(name)
    announce(news)

    def delete() -> None:
        clock.pause(clock.ENDPOINT_DELETE_S)
        with store.lock:
            if store.endpoints.get(name) is endpoint:
                store.endpoints.pop(name)
                store.tags.pop(endpoint["EndpointArn"], None)

    in_background(delete, f"delete {name}")
