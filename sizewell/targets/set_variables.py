"""Variables that are set for a container, and that nobody can give by hand."""

from collections.abc import Callable, Iterator

from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import WorkloadPlan


def set_variable_faults(plan: WorkloadPlan, what: str, is_set: Callable[[str], bool]) -> Iterator[PlanFault]:
    """Yield the stated variables of a workload that are set for it; messages call it ``what``."""
    for name in plan.environment:
        if is_set(name):
            yield PlanFault(
                ("workloads", plan.name, "container", "environment", name),
                f"is set for {what}, and cannot be given by hand",
                "choose another name",
            )
