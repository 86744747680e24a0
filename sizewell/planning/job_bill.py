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
from sizewell.planning.workload_plan import StateMachinePlan

_BY_USE_OF_JOB = (*BY_USE_OF_LOG_GROUP, "Step Functions state transitions")
#: Of whatever starts a run by itself: what could not be started waits in a queue.
_BY_USE_OF_STARTS = ("SQS requests",)
_BY_USE_OF_SCHEDULE = ("EventBridge schedules", *_BY_USE_OF_STARTS)


def training_line(
    job: Any,
    region: str,
    more: Iterable[BillItem] = (),
    *,
    service: str = SAGEMAKER,
    volume_price: str = "training_volume_gb_month",
) -> BillLine:
    """Return a month of what trains: its runs, their volumes, ``more`` of its kind, and the alarms of its machine."""
    capacity = " on Spot" if job.spot else ""
    items = [
        instance_item(
            f"{job.attempts[0].instance_type} training{capacity}", job.selection.chosen.cost, service
        ),
        priced_item(region, service, "training volumes", volume_price, volume_gb_months(job)),
        *more,
    ]
    return bill_line(job.name, [*items, machine_alarm_item(job, region)], paid_by_use_of_machine(job))


def machine_alarm_item(job: StateMachinePlan, region: str) -> BillItem:
    """Return the alarms on bad ends, and those on failed starts: one for a schedule and one for events."""
    starts = (job.schedule is not None) + (job.starts_on is not None)
    return alarm_item(region, "alarm", len(FAILURE_METRICS) + starts)


def paid_by_use_of_machine(job: StateMachinePlan) -> tuple[str, ...]:
    """Return the names of what is paid by use."""
    if job.schedule is not None:
        return _BY_USE_OF_JOB + _BY_USE_OF_SCHEDULE
    return _BY_USE_OF_JOB + (_BY_USE_OF_STARTS if job.starts_on is not None else ())


def volume_gb_months(job: Any) -> float | None:
    """Volumes are paid while a job runs; where neither runs nor their price are known, a review knows no number of them."""
    first, estimate = job.attempts[0], job.selection.chosen.estimate
    runs = job.runs_per_month
    if runs is None:
        if estimate.usd_per_run is None:
            return None
        runs = 1.0
    hours: float = estimate.duration_hours * runs * getattr(job, "trainings_per_run", 1)
    return float(first.volume_size_gib * first.instance_count * hours / HOURS_PER_MONTH)
