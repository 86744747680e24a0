"""What Application Auto Scaling does with an endpoint, in the words of the custom resources that ask for it."""

from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, present

NAMESPACE = "sagemaker"
DIMENSION = "sagemaker:variant:DesiredInstanceCount"


def read_endpoint_scaling(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    name = physical_id.partition("/")[0]
    endpoint = client("sagemaker").describe_endpoint(EndpointName=name)
    found = [_variant(client, name, variant["VariantName"]) for variant in endpoint["ProductionVariants"]]
    return {
        "EndpointName": endpoint["EndpointName"],
        "EndpointConfigName": endpoint["EndpointConfigName"],
        "Variants": [variant for variant in found if variant is not None],
    }


def _variant(client: ClientFactory, endpoint_name: str, variant_name: str) -> Properties | None:
    api = client("application-autoscaling")
    resource_id = f"endpoint/{endpoint_name}/variant/{variant_name}"
    asked = {"ServiceNamespace": NAMESPACE, "ScalableDimension": DIMENSION}
    targets = api.describe_scalable_targets(ResourceIds=[resource_id], **asked)["ScalableTargets"]
    if not targets:
        return None
    policies = api.describe_scaling_policies(ResourceId=resource_id, **asked)["ScalingPolicies"]
    return {
        "VariantName": variant_name,
        "MinInstanceCount": targets[0]["MinCapacity"],
        "MaxInstanceCount": targets[0]["MaxCapacity"],
        "Policies": [_policy(policy) for policy in policies],
    }


def _policy(policy: dict[str, Any]) -> Properties:
    tracking = policy["TargetTrackingScalingPolicyConfiguration"]
    return present(
        PolicyName=policy["PolicyName"],
        PredefinedMetricType=tracking.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType"),
        CustomizedMetric=tracking.get("CustomizedMetricSpecification"),
        TargetValue=tracking["TargetValue"],
        ScaleOutCooldownSeconds=tracking.get("ScaleOutCooldown"),
        ScaleInCooldownSeconds=tracking.get("ScaleInCooldown"),
    )
