"""Graphs of what runs and ends as a state machine."""

from collections.abc import Iterator

from sizewell.dashboards.graph import Graph, Limit, Search, Section
from sizewell.dashboards.lines import line, reading
from sizewell.facts.metrics import DIMENSIONS, STATES_NAMESPACE, machine_dimensions, metric
from sizewell.facts.regions import partition_of
from sizewell.facts.state_machines import FAILURE_METRICS
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.workload_plan import JobPlan, StateMachinePlan

#: Runs are seldom: two weeks is what a search looks back.
_DAYS = 14
_HOUR_MS = 3_600_000


def run_graphs(
    plan: StateMachinePlan, foundation: FoundationPlan, *, hours: float, deadline_s: int
) -> tuple[Graph, Graph]:
    """Return how the runs of a state machine ended, and how long they took; ``hours`` is what one is expected to take."""
    arn = (
        f"arn:{partition_of(foundation.region)}:states:{foundation.region}:{foundation.account}"
        f":stateMachine:{plan.state_machine_name}"
    )
    dimensions = machine_dimensions(arn)
    ends = {"ExecutionsSucceeded": "succeeded", **FAILURE_METRICS}
    per_day = (plan.runs_per_month or 0) / 30
    return (
        Graph(
            title="Runs",
            unit="in a day",
            series=tuple(
                line(
                    label,
                    reading(STATES_NAMESPACE, name, "Sum", dimensions),
                    per_day if name == "ExecutionsSucceeded" else 0,
                    expression="FILL(m, 0) * 86400 / PERIOD(m)",
                )
                for name, label in ends.items()
            ),
            days=_DAYS,
        ),
        Graph(
            title="Duration of a run",
            unit="hours",
            series=(
                line(
                    "longest",
                    reading(STATES_NAMESPACE, "ExecutionTime", "Maximum", dimensions),
                    hours,
                    expression=f"m / {_HOUR_MS}",
                ),
            ),
            limits=(Limit("deadline", round(deadline_s / 3600, 2)),),
            days=_DAYS,
        ),
    )


def job_section(
    noun: str, plan: JobPlan, foundation: FoundationPlan, namespace: str, job_name_prefix: str
) -> Section:
    """Return the section of a job whose instances publish in a namespace; ``noun`` is its kind, in words.

    The names of its jobs contain the prefix.
    """
    hours = plan.estimate_of_run.duration_hours
    runs = run_graphs(plan, foundation, hours=hours, deadline_s=plan.deadline_of_run_s)
    return Section(
        title=plan.name,
        text=f"{noun} {plan.state_machine_name} on {plan.selection.chosen.instance_type}.",
        graphs=(*runs, *_utilization(namespace, job_name_prefix)),
    )


def _utilization(namespace: str, job_name_prefix: str) -> Iterator[Graph]:
    """Yield how busy the instances of the jobs are: types differ between attempts, so no count is divided by."""
    (host,) = DIMENSIONS["host"]
    for title, name, unit in (
        ("CPU of a job", "CPUUtilization", "100 % for each vCPU"),
        ("GPU of a job", "GPUUtilization", "100 % for each GPU"),
        ("Memory of a job", "MemoryUtilization", "% of an instance"),
    ):
        search = Search(
            metric=metric(namespace, name), statistic="Average", dimension=host, contains=job_name_prefix
        )
        series = line("${PROP('Dim.Host')}", search, 60)
        yield Graph(title=title, unit=unit, series=(series,), days=_DAYS)
