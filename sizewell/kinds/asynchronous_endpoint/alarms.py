"""What the alarms of an asynchronous endpoint may not be asked for."""

from collections.abc import Iterator

from sizewell.planning.alarm_thresholds import evaluation_faults
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanFault


def asynchronous_alarm_faults(plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield what the configuration asks of alarms that CloudWatch or a rollout does not allow."""
    path = ("workloads", plan.name, "alarms")
    yield from evaluation_faults(path, plan.alarms)
    if plan.rollout is not None and "invocation_failures" not in plan.alarms:
        yield PlanFault(
            (*path, "invocation_failures"),
            f"is off, but a new fleet of this endpoint takes over by a {plan.rollout.strategy} update, and nothing would call "
            "a bad one back",
            "leave it on",
        )
