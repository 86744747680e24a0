"""How a new fleet takes over the traffic of an endpoint, and which alarms call it back.

"Use deployment guardrails", https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html."""

from dataclasses import dataclass

from aws_cdk import aws_sagemaker as sagemaker

from sizewell.facts.deployment_guardrails import (
    EXECUTION_TIMEOUT_BOUNDS_S,
    MAX_WAIT_S,
    SHARE_BOUNDS_PERCENT,
    RolloutStrategy,
    wait_intervals,
)

_ROUTING = {"all-at-once": "ALL_AT_ONCE", "canary": "CANARY", "linear": "LINEAR"}


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """Blue/green (all at once, canary, linear): a second fleet takes the traffic. Rolling: the fleet is exchanged in batches.

    ``first_share_percent`` is the share of the capacity that takes traffic first (canary), at a time (linear), or is exchanged at
    a time (rolling); None for all at once. Blue/green needs the fleet twice, rolling a batch more, there and back.
    ``wait_interval_s`` is how long alarms are watched before the rest follows, ``termination_wait_s`` how long the old fleet
    stays after that, and can take the traffic back; None stays as long as ``wait_interval_s``. Rolling does not go with several
    variants. Raises ValueError beyond the bounds of the API, and for waits that take longer than the whole deployment may.
    """

    strategy: RolloutStrategy
    first_share_percent: int | None = None
    wait_interval_s: int
    max_execution_timeout_s: int
    termination_wait_s: int | None = None

    def __post_init__(self) -> None:
        """Check what UpdateEndpoint would refuse."""
        if (self.strategy == "all-at-once") != (self.first_share_percent is None):
            raise ValueError(
                f"first_share_percent is for all but all-at-once, got {self.first_share_percent} of {self.strategy}"
            )
        if self.strategy == "rolling" and self.termination_wait_s:
            raise ValueError("termination_wait_s is for blue/green updates: a rolling one has no old fleet")
        bounds = {
            "first_share_percent": SHARE_BOUNDS_PERCENT.get(self.strategy),
            "wait_interval_s": (0, MAX_WAIT_S),
            "max_execution_timeout_s": EXECUTION_TIMEOUT_BOUNDS_S,
            "termination_wait_s": (0, MAX_WAIT_S),
        }
        for name, bound in bounds.items():
            value = getattr(self, name)
            if bound is not None and value is not None and not bound[0] <= value <= bound[1]:
                raise ValueError(f"{name} must lie between {bound[0]} and {bound[1]}, got {value}")
        intervals = wait_intervals(self.strategy, self.first_share_percent)
        waits_s = intervals * self.wait_interval_s + self._last_wait_s
        if waits_s >= self.max_execution_timeout_s:
            raise ValueError(
                f"the waits take {waits_s} s, all of max_execution_timeout_s ({self.max_execution_timeout_s})"
            )

    @property
    def _last_wait_s(self) -> int:
        if self.strategy == "rolling":
            return 0
        return self.wait_interval_s if self.termination_wait_s is None else self.termination_wait_s

    def to_deployment_config(self, alarm_names: list[str]) -> sagemaker.CfnEndpoint.DeploymentConfigProperty:
        """Return the property for the endpoint; an alarm that goes off brings the old fleet back."""
        share = sagemaker.CfnEndpoint.CapacitySizeProperty(
            type="CAPACITY_PERCENT", value=self.first_share_percent or 100
        )
        rollback = sagemaker.CfnEndpoint.AutoRollbackConfigProperty(
            alarms=[sagemaker.CfnEndpoint.AlarmProperty(alarm_name=name) for name in alarm_names]
        )
        if self.strategy == "rolling":
            return sagemaker.CfnEndpoint.DeploymentConfigProperty(
                auto_rollback_configuration=rollback,
                rolling_update_policy=sagemaker.CfnEndpoint.RollingUpdatePolicyProperty(
                    maximum_batch_size=share,
                    # Left out, SageMaker asks for the whole old fleet at once (API reference, RollingUpdatePolicy).
                    rollback_maximum_batch_size=share,
                    wait_interval_in_seconds=self.wait_interval_s,
                    maximum_execution_timeout_in_seconds=self.max_execution_timeout_s,
                ),
            )
        return sagemaker.CfnEndpoint.DeploymentConfigProperty(
            auto_rollback_configuration=rollback,
            blue_green_update_policy=sagemaker.CfnEndpoint.BlueGreenUpdatePolicyProperty(
                traffic_routing_configuration=sagemaker.CfnEndpoint.TrafficRoutingConfigProperty(
                    type=_ROUTING[self.strategy],
                    canary_size=share if self.strategy == "canary" else None,
                    linear_step_size=share if self.strategy == "linear" else None,
                    wait_interval_in_seconds=self.wait_interval_s,
                ),
                maximum_execution_timeout_in_seconds=self.max_execution_timeout_s,
                termination_wait_in_seconds=self._last_wait_s or None,
            ),
        )
