"""One workload in each place that it may run in: SageMaker, and every cluster of its account and region."""

from dataclasses import dataclass, replace
from typing import Any

from sizewell.config import ConfigError
from sizewell.config.base import with_article
from sizewell.config.cluster import CHEAPEST, TargetKind, is_allowed, target_of
from sizewell.config.cluster_rules import violations_there
from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.load import PlanInputs
from sizewell.planning.lock import LockedEnvironment
from sizewell.planning.target_choice import SAGEMAKER
from sizewell.planning.workload_plan import InstanceWorkloadPlan
from sizewell.targets.registry import target_facet

_NOT_ALLOWED = "policy.allowed_targets does not name it"


@dataclass(frozen=True, kw_only=True)
class TargetOption:
    """What a workload would be in one place."""

    target: str | None
    """The name of the cluster; None is SageMaker."""
    words: str
    """What people call the place."""
    is_taken: bool
    """Whether the configuration names it, or it is the cheapest where the plan may choose."""
    plan: InstanceWorkloadPlan | None = None
    """None where it cannot run there."""
    line: BillLine | None = None
    misses: tuple[str, ...] = ()
    """Why it cannot run there, or which of its keys would have no effect."""

    @property
    def usd_per_month(self) -> float | None:
        """What a month costs there; None where it cannot run there, or nobody knows."""
        return self.line.usd_per_month if self.line and not self.misses else None

    @property
    def usd_per_1000_requests(self) -> float | None:
        """What 1,000 requests cost at average load; None is unknown."""
        rate: float | None = getattr(self.plan, "average_requests_per_second", None)
        if not rate or self.line is None or self.line.usd_per_month is None:
            return None
        return self.line.usd_per_month / (rate * SECONDS_PER_MONTH / 1000)

    @property
    def usd_per_run(self) -> float | None:
        """What a run of a training costs, without volumes; None is unknown, or what serves requests."""
        usd: float | None = (
            getattr(self.plan.selection.chosen.estimate, "usd_per_run", None) if self.plan else None
        )
        return usd


def compare_targets(
    inputs: PlanInputs, workload_name: str, lock: LockedEnvironment | None = None
) -> tuple[TargetOption, ...]:
    """Return the workload in SageMaker, then in each cluster in the order of the configuration.

    Where the configuration states the place, it is planned under the lock. Nothing but the workload is planned.
    """
    environment = inputs.loaded.environment
    workload: Any = environment.workloads[workload_name]
    clusters = {
        name: cluster for name, cluster in environment.clusters.items() if cluster.place == workload.place
    }
    found = []
    for target in (None, *clusters):
        kind = target_facet(clusters[target].type, TargetKind) if target else None
        option = TargetOption(
            target=target,
            words=kind.words if kind else SAGEMAKER,
            is_taken=target_of(workload) == target,
        )
        moved = workload.model_copy(update={"target": target})
        misses = [] if is_allowed(target, environment.policy.allowed_targets) else [_NOT_ALLOWED]
        if kind is not None and workload.kind not in kind.runs:
            reason = f"{with_article(kind.words)} does not run {with_article(workload.kind)}"
            found.append(replace(option, misses=(*misses, reason)))
            continue
        violations = violations_there((), moved, target, clusters)
        misses += (f"{'.'.join(path)}: {reason}" for path, reason in violations)
        alone = environment.model_copy(update={"workloads": {workload_name: moved}, "places": {}})
        try:
            plan = inputs.with_environment(alone).plan(lock if option.is_taken else None, within_budget=False)
        except ConfigError as error:
            of_plan = (f"{'.'.join(fault.key_path)}: {fault.message}" for fault in error.faults)
            found.append(replace(option, misses=(*misses, *of_plan)))
            continue
        (planned,) = plan.workloads
        (line,) = (line for line in plan.bill.lines if line.workload == workload_name)
        assert isinstance(planned, InstanceWorkloadPlan), "only what runs on instances has a target"
        found.append(replace(option, plan=planned, line=line, misses=tuple(misses)))
    if target_of(workload) == CHEAPEST and (possible := [option for option in found if option.usd_per_month]):
        cheapest = min(possible, key=lambda option: option.usd_per_month or 0.0)
        found = [replace(option, is_taken=option is cheapest) for option in found]
    return tuple(found)
