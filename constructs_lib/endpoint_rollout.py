"""How a new fleet takes over the traffic of an endpoint, and which alarms call it back.

"Use deployment guardrails", https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html. Bounds:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DeploymentConfig.html
"""

from dataclasses import dataclass
from typing import Literal

from aws_cdk import aws_sagemaker as sagemaker

_EXECUTION_TIMEOUT_BOUNDS_S = (600, 28_800)
_MAX_WAIT_S = 3600
_SHARE_BOUNDS_PERCENT = (5, 50)


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """A canary: one part of the traffic goes to a second fleet first. Rolling: the fleet is exchanged in batches.

    ``first_share_percent`` is the share of the capacity that takes traffic first, or is exchanged at a time; a canary needs the
    fleet twice, a rolling one needs a batch more. ``wait_interval_s`` is how long alarms are watched before the rest follows.
    Rolling does not go with several variants. Raises ValueError beyond the bounds of the API.
    """

    strategy: Literal["canary", "rolling"]
    first_share_percent: int
    wait_interval_s: int
    max_execution_timeout_s: int

    def __post_init__(self) -> None:
        """Check what UpdateEndpoint would refuse."""
        for name, (low, high) in (
            ("first_share_percent", _SHARE_BOUNDS_PERCENT),
            ("wait_interval_s", (0, _MAX_WAIT_S)),
            ("max_execution_timeout_s", _EXECUTION_TIMEOUT_BOUNDS_S),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must lie between {low} and {high}, got {getattr(self, name)}")

    def to_deployment_config(self, alarm_names: list[str]) -> sagemaker.CfnEndpoint.DeploymentConfigProperty:
        """Return what the endpoint is told; one of the alarms that goes off brings the old fleet back."""
        share = sagemaker.CfnEndpoint.CapacitySizeProperty(
            type="CAPACITY_PERCENT", value=self.first_share_percent
        )
        rollback = sagemaker.CfnEndpoint.AutoRollbackConfigProperty(
            alarms=[sagemaker.CfnEndpoint.AlarmProperty(alarm_name=name) for name in alarm_names]
        )
        if self.strategy == "rolling":
            return sagemaker.CfnEndpoint.DeploymentConfigProperty(
                auto_rollback_configuration=rollback,
                rolling_update_policy=sagemaker.CfnEndpoint.RollingUpdatePolicyProperty(
                    maximum_batch_size=share,
                    wait_interval_in_seconds=self.wait_interval_s,
                    maximum_execution_timeout_in_seconds=self.max_execution_timeout_s,
                ),
            )
        return sagemaker.CfnEndpoint.DeploymentConfigProperty(
            auto_rollback_configuration=rollback,
            blue_green_update_policy=sagemaker.CfnEndpoint.BlueGreenUpdatePolicyProperty(
                traffic_routing_configuration=sagemaker.CfnEndpoint.TrafficRoutingConfigProperty(
                    type="CANARY", canary_size=share, wait_interval_in_seconds=self.wait_interval_s
                ),
                maximum_execution_timeout_in_seconds=self.max_execution_timeout_s,
            ),
        )
