"""How a new fleet of several instances takes over: a canary where a second fleet is at hand, batches where instances are scarce.

SageMaker developer guide, "Use deployment guardrails": https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html
"""

from collections.abc import Iterator

from sizewell.config.rollout import Rollout
from sizewell.facts.deployment_guardrails import EXECUTION_TIMEOUT_BOUNDS_S, RolloutStrategy
from sizewell.instance_selection.catalog import InstanceType
from sizewell.planning.endpoint_plan_model import RolloutPlan
from sizewell.planning.errors import PlanFault

#: A fleet of this size or less is exchanged in halves, a larger one in quarters.
MAX_FLEET_IN_HALVES = 4
HALF_PERCENT, QUARTER_PERCENT, CANARY_PERCENT = 50, 25, 10
#: "Exclusions" of the guardrails: such an endpoint is updated all at once.
_WITHOUT_GUARDRAILS = "inf1"


def plan_rollout(
    instance_type: InstanceType,
    instance_count: int,
    startup_timeout_s: int,
    stated: Rollout | None = None,
    *,
    in_batches: bool = True,
) -> RolloutPlan | None:
    """Return how a fleet is exchanged: as stated, or as fits it; None where SageMaker offers nothing but all at once.

    ``in_batches`` is False where SageMaker exchanges none of its instances: with several variants.

    Accelerators are short, and their quotas are counted in instances: they are exchanged in batches. Other fleets are made
    twice, and a canary tells first. A canary of few instances is half of them, the most that SageMaker takes.
    """
    if stated is None and instance_type.family == _WITHOUT_GUARDRAILS:
        return None
    scarce = instance_type.accelerator_count and in_batches
    rollout = stated or Rollout(strategy="rolling" if scarce else "canary")
    if rollout.strategy == "none":
        return None
    share = rollout.share_percent or _share_percent(rollout.strategy, instance_count)
    steps = 1 if share is None else 2 if rollout.strategy == "canary" else -(-100 // share)
    low, high = EXECUTION_TIMEOUT_BOUNDS_S
    return RolloutPlan(
        strategy=rollout.strategy,
        first_share_percent=share,
        wait_interval_s=rollout.wait_interval_s,
        # The way back takes as long as the way there.
        max_execution_timeout_s=max(
            low, min(high, 2 * steps * (startup_timeout_s + rollout.wait_interval_s))
        ),
        termination_wait_s=rollout.termination_wait_s,
    )


def rollout_faults(name: str, stated: Rollout | None, fewest_instances: int) -> Iterator[PlanFault]:
    """Yield why a fleet cannot be exchanged as stated; hardware is a matter of ``sizewell.planning.legality``."""
    if stated is not None and stated.strategy not in ("all-at-once", "none") and fewest_instances < 2:
        yield PlanFault(
            ("workloads", name, "rollout", "strategy"),
            f"{stated.strategy} exchanges up to half of a fleet at a time, and this one may have a single instance",
            "write strategy: all-at-once, whose alarms call a new fleet back as well; or scaling.min_instances: 2",
        )


def _share_percent(strategy: RolloutStrategy, instance_count: int) -> int | None:
    if strategy == "all-at-once":
        return None
    if strategy == "canary" and instance_count > MAX_FLEET_IN_HALVES:
        return CANARY_PERCENT
    return batch_percent(instance_count)


def batch_percent(count: int) -> int:
    """Return how much of so many instances or copies is exchanged at a time."""
    return HALF_PERCENT if count <= MAX_FLEET_IN_HALVES else QUARTER_PERCENT
