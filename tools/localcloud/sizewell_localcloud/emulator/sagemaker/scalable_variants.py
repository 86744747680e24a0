"""What Application Auto Scaling refuses of SageMaker's variants, and of policies for them."""

from typing import Any

from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.endpoints import update_weights_and_capacities
from sizewell_localcloud.emulator.sagemaker.inference_components import (
    found_component,
    update_runtime_config,
)
from sizewell_localcloud.emulator.sagemaker.instance_types import is_burstable
from sizewell_localcloud.emulator.scaling_policies import require_metric_of

_INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
_COPY_COUNT = "sagemaker:inference-component:DesiredCopyCount"
_METRICS_OF_DIMENSION = {
    _INSTANCE_COUNT: {
        "SageMakerVariantInvocationsPerInstance",
        "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    },
    "sagemaker:variant:DesiredProvisionedConcurrency": {"SageMakerVariantProvisionedConcurrencyUtilization"},
    _COPY_COUNT: {
        "SageMakerInferenceComponentInvocationsPerCopy",
        "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    },
}
SERVICE_LINKED_ROLE = "sagemaker.application-autoscaling.amazonaws.com/AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"


def check_target(key: tuple[str, str, str], low: int) -> None:
    """Refuse a resource that is no variant in service, or cannot scale down to ``low``."""
    parts = key[1].split("/")
    if key[2] not in _METRICS_OF_DIMENSION or len(parts) < 2:
        raise ValidationError(f"Unsupported service namespace, resource type or scalable dimension: {key}")
    if key[2] == _COPY_COUNT and parts[0] == "inference-component" and len(parts) == 2:
        found_component(parts[1])
        return
    if parts[0] != "endpoint" or len(parts) != 4 or parts[2] != "variant":
        raise ValidationError(f"The resource {key[1]} is not emulated as a scalable target")
    endpoint = store.endpoints.get(parts[1])
    if endpoint is None or endpoint["EndpointStatus"] in {"Creating", "Deleting", "Failed"}:
        raise ValidationError(f"The endpoint of {key[1]} does not exist or is not in service")
    config = endpoint["_config"]
    variant = next((v for v in config["ProductionVariants"] if v["VariantName"] == parts[3]), None)
    if variant is None:
        raise ValidationError(f"Endpoint {parts[1]} has no variant {parts[3]}")
    if key[2] == _INSTANCE_COUNT:
        if is_burstable(variant.get("InstanceType", "")):
            raise ValidationError(
                f"Automatic scaling is not supported for burstable instances such as {variant['InstanceType']}"
            )
        if low < 1 and "AsyncInferenceConfig" not in config and "ManagedInstanceScaling" not in variant:
            raise ValidationError("The minimum capacity of a real-time variant must be at least 1")


def bring_into_bounds(key: tuple[str, str, str], low: int, high: int) -> None:
    """Change the instance count to the nearest one inside the bounds, as a registration does with a running variant.

    The same of copies of an inference component.
    https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html
    """
    if key[2] == _COPY_COUNT:
        component = found_component(key[1].partition("/")[2])
        copies = component["RuntimeConfig"]["DesiredCopyCount"]
        if (wanted := min(max(copies, low), high)) != copies:
            name, desired = component["InferenceComponentName"], {"CopyCount": wanted}
            update_runtime_config({"InferenceComponentName": name, "DesiredRuntimeConfig": desired})
        return
    _, name, _, variant_name = key[1].split("/")
    endpoint = store.endpoints.get(name)
    if key[2] != _INSTANCE_COUNT or endpoint is None or endpoint["EndpointStatus"] != "InService":
        return
    variant = next(v for v in endpoint["ProductionVariants"] if v["VariantName"] == variant_name)
    count = min(max(variant["DesiredInstanceCount"], low), high)
    if count != variant["DesiredInstanceCount"]:
        desired = {"VariantName": variant_name, "DesiredInstanceCount": count}
        update_weights_and_capacities({"EndpointName": name, "DesiredWeightsAndCapacities": [desired]})


def check_metric(key: tuple[str, str, str], specification: dict[str, Any]) -> None:
    """Refuse a metric of another dimension."""
    metric = specification["PredefinedMetricType"]
    require_metric_of(key[2], metric, _METRICS_OF_DIMENSION.get(key[2]))
