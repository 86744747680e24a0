"""What AWS bills for jobs: the items that they share, and the line of what trains.

A review prices the templates; a test holds both to the same names and amounts. Only a review knows what an app adds itself.
"""

from collections.abc import Iterable
from typing import Any

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.state_machines import FAILURE_METRICS
from sizewell.planning.bill_items import (
    BY_USE_OF_LOG_GROUP,
    SAGEMAKER,
    alarm_item,
    bill_line,
    instance_item,
    priced_item,
)
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.planning.workload_plan import JobPlan, StateMachinePlan

_BY_USE_OF_JOB = (*BY_USE_OF_LOG_GROUP, "Step Functions state transitions")
_BY_USE_OF_SCHEDULE = ("EventBridge schedules", "SQS requests")


def training_line(job: TrainedModelPlan, region: str, more: Iterable[BillItem] = ()) -> BillLine:
    """Return a month of what trains: its runs, their volumes, ``more`` of its kind, and the alarms of its machine."""
    capacity = " on Spot" if job.spot else ""
    items = [
        instance_item(f"{job.attempts[0].instance_type} training{capacity}", job.selection.chosen.cost),
        priced_item(region, SAGEMAKER, "training volumes", "training_volume_gb_month", volume_gb_months(job)),
        *more,
    ]
    return bill_line(job.name, [*items, machine_alarm_item(job, region)], paid_by_use_of_machine(job))


def machine_alarm_item(job: StateMachinePlan, region: str) -> BillItem:
    """Return the alarms on bad ends, and those on failed starts: one for a schedule and one for events."""
    starts = (job.schedule is not None) + (job.starts_on is not None)
    return alarm_item(region, "alarm", len(FAILURE_METRICS) + starts)


def paid_by_use_of_machine(job: StateMachinePlan) -> tuple[str, ...]:
    """Return the names of what is paid by use."""
    by_itself = job.schedule is not None or job.starts_on is not None
    return _BY_USE_OF_JOB + (_BY_USE_OF_SCHEDULE if by_itself else ())


def volume_gb_months(job: JobPlan) -> float | None:
    """Volumes are paid while a job runs; where neither runs nor their price are known, a review knows no number of them."""
    first: Any = job.attempts[0]
    estimate: Any = job.selection.chosen.estimate
    runs = job.runs_per_month
    if runs is None:
        if estimate.usd_per_run is None:
            return None
        runs = 1.0
    hours: float = estimate.duration_hours * runs * job.trainings_per_run
    return float(first.volume_size_gib * first.instance_count * hours / HOURS_PER_MONTH)
