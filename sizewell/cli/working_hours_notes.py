"""What is said below a plan of an environment whose people do not work at all hours: what stops, what does not, and the money."""

from collections.abc import Iterable

from rich.markup import escape

from sizewell.cli.formats import usd
from sizewell.facts.billing import HOURS_PER_WEEK
from sizewell.facts.serving_features import Feature, Support, feature_of
from sizewell.instance_selection import EndpointEstimate
from sizewell.kinds.registry import facet
from sizewell.planning.kind import PlanKind
from sizewell.planning.plan import AnyWorkloadPlan, DeploymentPlan


def month_line(plan: DeploymentPlan) -> Iterable[str]:
    """Yield the month beside one in which everything runs at all hours, where an environment has working hours."""
    if plan.working_hours is None:
        return
    names = [workload.name for workload in plan.workloads if workload.rests]
    if not names:
        yield "Working hours: nothing stops outside of them."
        return
    line = (
        f"Working hours: {', '.join(map(escape, names))} stop{'s' if len(names) == 1 else ''} outside of them"
    )
    if plan.bill.usd_per_month is None:
        yield f"{line}."
    else:
        yield f"{line}; the total would be {usd(plan.bill.usd_per_month + _saved_usd(plan))} at all hours."


def working_hours_lines(plan: DeploymentPlan) -> Iterable[str]:
    """Yield when people work, the month with and without, and what runs at all hours and why."""
    hours = plan.working_hours
    if hours is None:
        return
    yield (
        f"People work {', '.join(hours.weekdays)} from {hours.start} to {hours.end} {hours.time_zone}: "
        f"{hours.hours_per_week:g} of {HOURS_PER_WEEK} hours a week."
    )
    yield from month_line(plan)
    kept: dict[str, list[str]] = {}
    for workload in plan.workloads:
        if workload.runs_at_all_hours:
            kept.setdefault(_why(workload), []).append(workload.name)
    for why, names in kept.items():
        yield f"At all hours: {', '.join(map(escape, names))} ({why})."


def _saved_usd(plan: DeploymentPlan) -> float:
    """Return what instances would cost in the hours in which they are stopped."""
    saved = 0.0
    for workload in plan.on_instances:
        chosen = workload.selection.chosen
        if workload.rests and isinstance(chosen.estimate, EndpointEstimate) and chosen.cost.usd_per_month:
            whole = chosen.estimate.instances_at_average / chosen.estimate.instances_paid
            saved += chosen.cost.usd_per_month * (whole - 1)
    return saved


def _why(workload: AnyWorkloadPlan) -> str:
    served_as = facet(workload.kind, PlanKind).served_as
    assert served_as is not None, f"a {workload.kind} that runs at all hours serves a model"
    found = feature_of(served_as(workload), Feature.SCALE_TO_ZERO)
    if found.supported is Support.NO:
        return f"{found.because}: {found.instead}"
    return "its own keys keep capacity: its scaling can let it sleep"
