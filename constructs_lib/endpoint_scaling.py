"""Target-tracking autoscaling of an endpoint that survives a change of the instance type in one deployment.

CloudFormation updates an endpoint before it touches a scalable target that depends on it, and SageMaker refuses to change
the type of a registered variant. The native resources are no way out: deregistration deletes the policies, new ones get
another ARN, and CloudFormation would go on with the old. So the scaling is plain data here, which one function of the
foundation asserts (``ScalingHandover``) from both sides of the endpoint.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from aws_cdk import CustomResource, Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.scaling_handover import RULE_NAME_SUFFIX, SERVICE_TIMEOUT_S
from sizewell.facts.scaling import INVOCATIONS_PER_INSTANCE, RELEASE_TYPE, SCALING_TYPE

POLICY_NAME = "InvocationsPerInstance"
MAX_RULE_NAME_LENGTH = 64
ENDS_OF_DEPLOYMENTS = ("UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")


@dataclass(frozen=True, kw_only=True)
class VariantScaling:
    """Bounds and target of one variant.

    ``target_invocations_per_instance_per_minute`` is what one instance should serve: the metric counts per minute.
    Cooldowns are seconds after one scaling activity before the next. Zero instances are refused because a plain variant
    cannot scale to zero; only inference components can ("Scale an endpoint to zero instances",
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html). Raises ValueError.
    """

    variant_name: str
    min_instance_count: int
    max_instance_count: int
    target_invocations_per_instance_per_minute: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
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

    def to_spec(self) -> dict[str, Any]:
        """Return what the function reads."""
        return {
            "VariantName": self.variant_name,
            "MinInstanceCount": self.min_instance_count,
            "MaxInstanceCount": self.max_instance_count,
            "Policies": [
                {
                    "PolicyName": POLICY_NAME,
                    "PredefinedMetricType": INVOCATIONS_PER_INSTANCE,
                    "TargetValue": self.target_invocations_per_instance_per_minute,
                    "ScaleOutCooldownSeconds": self.scale_out_cooldown_s,
                    "ScaleInCooldownSeconds": self.scale_in_cooldown_s,
                }
            ],
        }


@dataclass(frozen=True, kw_only=True)
class EndpointScalingProps:
    """``endpoint_name`` and ``endpoint_config_name`` are those of ``endpoint``.

    A variant without an entry in ``variants`` keeps a fixed number of instances. Raises ValueError for a name that is too
    long for the rule, and for a variant that is named twice.
    """

    endpoint: sagemaker.CfnEndpoint
    endpoint_name: str
    endpoint_config_name: str
    handover_function_arn: str
    variants: tuple[VariantScaling, ...]

    def __post_init__(self) -> None:
        """Check names."""
        if len(self.rule_name) > MAX_RULE_NAME_LENGTH:
            raise ValueError(
                f"the rule of an endpoint has a name of up to {MAX_RULE_NAME_LENGTH} characters, got {self.rule_name!r}"
            )
        names = [variant.variant_name for variant in self.variants]
        if len(set(names)) < len(names):
            raise ValueError(f"a variant scales once, got {names}")

    @property
    def rule_name(self) -> str:
        """The rule that sees the end of a deployment."""
        return f"{self.endpoint_name}-{RULE_NAME_SUFFIX}"


class EndpointScaling(Construct):
    """Rule and release before the endpoint, scaling after it; each holds the same spec.

    The spec names the endpoint configuration, which CloudFormation replaces with every change: that makes both resources
    part of the update, and the reverted spec part of a rollback. An endpoint with a fixed number of instances has them,
    too, so that it can begin to scale, or cease to, in the deployment that changes its type. Logical ids must stay: the
    deletion of the old ones would end the scaling that the new ones began.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointScalingProps) -> None:
        super().__init__(scope, construct_id)
        spec = {
            "EndpointName": props.endpoint_name,
            "EndpointConfigName": props.endpoint_config_name,
            "Variants": [variant.to_spec() for variant in props.variants],
        }
        rule = events.CfnRule(
            self,
            "Deployed",
            name=props.rule_name,
            description="Registers the variants of the endpoint where a deployment of its stack left them out",
            # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stack-event-types.html
            event_pattern={
                "source": ["aws.cloudformation"],
                "detail-type": ["CloudFormation Stack Status Change"],
                "detail": {
                    "stack-id": [{"Ref": "AWS::StackId"}],
                    "status-details": {"status": list(ENDS_OF_DEPLOYMENTS)},
                },
            },
            # Without a dead-letter queue: EventBridge repeats for a day what Lambda does not take, and an event from
            # before the last deployment has nothing to say.
            targets=[
                events.CfnRule.TargetProperty(
                    id="ScalingHandover",
                    arn=props.handover_function_arn,
                    input=json.dumps(spec, separators=(",", ":")),
                )
            ],
        )
        release = self._custom_resource("Release", RELEASE_TYPE, spec, props)
        release.node.add_dependency(rule)
        props.endpoint.node.add_dependency(release)
        scaling = self._custom_resource("Scaling", SCALING_TYPE, spec, props)
        scaling.node.add_dependency(props.endpoint)

    def _custom_resource(
        self, construct_id: str, resource_type: str, spec: dict[str, Any], props: EndpointScalingProps
    ) -> CustomResource:
        return CustomResource(
            self,
            construct_id,
            resource_type=resource_type,
            service_token=props.handover_function_arn,
            service_timeout=_service_timeout(),
            properties=spec,
        )


@cache
def _service_timeout() -> Duration:
    """Return one duration for all endpoints: each is a call of the kernel, and asked back twice."""
    return Duration.seconds(SERVICE_TIMEOUT_S)
