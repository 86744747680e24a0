"""Target-tracking autoscaling of one production variant of a real-time endpoint."""

from dataclasses import dataclass

from aws_cdk import aws_applicationautoscaling as applicationautoscaling
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

SERVICE_NAMESPACE = "sagemaker"
SCALABLE_DIMENSION = "sagemaker:variant:DesiredInstanceCount"
INVOCATIONS_METRIC = "SageMakerVariantInvocationsPerInstance"


@dataclass(frozen=True, kw_only=True)
class EndpointScalingProps:
    """Bounds and target of one variant.

    The names must be those of ``endpoint``, which is there so that registration waits for it.
    ``target_invocations_per_instance_per_minute`` is what one instance should serve: the metric counts per minute.
    Cooldowns are seconds after one scaling activity before the next. Zero instances are refused because a plain variant
    cannot scale to zero; only inference components can ("Scale an endpoint to zero instances",
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html). Raises ValueError.
    """

    endpoint: sagemaker.CfnEndpoint
    endpoint_name: str
    variant_name: str
    min_instance_count: int
    max_instance_count: int
    target_invocations_per_instance_per_minute: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int

    def __post_init__(self) -> None:
        """Check what neither CDK nor CloudFormation checks before the deployment."""
        if not 1 <= self.min_instance_count <= self.max_instance_count:
            raise ValueError(
                f"need 1 <= min_instance_count <= max_instance_count, "
                f"got {self.min_instance_count} and {self.max_instance_count}"
            )
        if not 0 < self.target_invocations_per_instance_per_minute < float("inf"):
            raise ValueError(
                f"target_invocations_per_instance_per_minute must be a positive number, "
                f"got {self.target_invocations_per_instance_per_minute!r}"
            )
        for name in ("scale_out_cooldown_s", "scale_in_cooldown_s"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")


class EndpointScaling(Construct):
    """A scalable target on the variant's instance count, and a policy that tracks invocations per instance.

    UpdateEndpoint fails when it changes the instance type of a registered variant, so such a change has to deregister
    the target first ("Update or delete endpoints that use automatic scaling",
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html). The service-linked role of
    Application Auto Scaling is used, which AWS makes at the first registration.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointScalingProps) -> None:
        super().__init__(scope, construct_id)
        self.scalable_target = applicationautoscaling.CfnScalableTarget(
            self,
            "ScalableTarget",
            service_namespace=SERVICE_NAMESPACE,
            scalable_dimension=SCALABLE_DIMENSION,
            resource_id=f"endpoint/{props.endpoint_name}/variant/{props.variant_name}",
            min_capacity=props.min_instance_count,
            max_capacity=props.max_instance_count,
        )
        self.scalable_target.add_resource_dependency(props.endpoint)
        applicationautoscaling.CfnScalingPolicy(
            self,
            "InvocationsPolicy",
            policy_name="InvocationsPerInstance",
            policy_type="TargetTrackingScaling",
            scaling_target_id=self.scalable_target.ref,
            target_tracking_scaling_policy_configuration=(
                applicationautoscaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
                    target_value=props.target_invocations_per_instance_per_minute,
                    scale_out_cooldown=props.scale_out_cooldown_s,
                    scale_in_cooldown=props.scale_in_cooldown_s,
                    predefined_metric_specification=(
                        applicationautoscaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
                            predefined_metric_type=INVOCATIONS_METRIC
                        )
                    ),
                )
            ),
        )
