"""An endpoint as it runs, asked of the services, and as the plan wants it."""

from typing import Any

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.scaling_policies import TargetTrackingPlan
from tests.integration.harness import Deployment


def resource_id(endpoint: EndpointPlan) -> str:
    """Return what Application Auto Scaling calls the variant."""
    return f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}"


def running(deployment: Deployment, endpoint: EndpointPlan) -> dict[str, Any]:
    """Return an endpoint as it runs: status, configuration, its variant, its model and its scaling."""
    sagemaker, autoscaling = deployment.client("sagemaker"), deployment.client("application-autoscaling")
    described = sagemaker.describe_endpoint(EndpointName=endpoint.endpoint_name)
    config = sagemaker.describe_endpoint_config(EndpointConfigName=described["EndpointConfigName"])
    (variant,) = config["ProductionVariants"]
    model = sagemaker.describe_model(ModelName=variant["ModelName"])
    resource = resource_id(endpoint)
    targets = autoscaling.describe_scalable_targets(ServiceNamespace="sagemaker", ResourceIds=[resource])
    policies = autoscaling.describe_scaling_policies(ServiceNamespace="sagemaker", ResourceId=resource)
    return {
        "status": described["EndpointStatus"],
        "config": described["EndpointConfigName"],
        "count": described["ProductionVariants"][0]["DesiredInstanceCount"],
        "type": variant["InstanceType"],
        "artifact": model["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]["S3Uri"],
        "bounds": [(target["MinCapacity"], target["MaxCapacity"]) for target in targets["ScalableTargets"]],
        "targets": [
            policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"]
            for policy in policies["ScalingPolicies"]
        ],
    }


def as_planned(endpoint: EndpointPlan) -> dict[str, Any]:
    """Return what ``running`` must say of the scaling and the type of an endpoint."""
    scaling = endpoint.scaling
    return {
        "status": "InService",
        "type": endpoint.instance_type,
        "bounds": [(scaling.min_instance_count, scaling.max_instance_count)] if scaling else [],
        "targets": [one.target_value for one in scaling.policies if isinstance(one, TargetTrackingPlan)]
        if scaling
        else [],
    }


def set_count(deployment: Deployment, endpoint: EndpointPlan, count: int) -> None:
    """Do what autoscaling does when load comes."""
    sagemaker = deployment.client("sagemaker")
    sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=endpoint.endpoint_name,
        DesiredWeightsAndCapacities=[{"VariantName": endpoint.variant_name, "DesiredInstanceCount": count}],
    )
    sagemaker.get_waiter("endpoint_in_service").wait(
        EndpointName=endpoint.endpoint_name, WaiterConfig={"Delay": 1, "MaxAttempts": 600}
    )
