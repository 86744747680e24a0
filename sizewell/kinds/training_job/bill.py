"""What AWS bills for a training job."""

from collections.abc import Iterator

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.bill_items import instance_item
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.job_bill import training_line
from sizewell.planning.kind import BillKind


def _line(job: TrainingJobPlan, region: str) -> BillLine:
    return training_line(job, region, _warm_pool(job))


def _warm_pool(job: TrainingJobPlan) -> Iterator[BillItem]:
    """Yield what the instances cost that wait for the next run: as long as they may, after each."""
    if job.keep_alive_minutes is None:
        return
    first, cost, usd = job.attempts[0], job.selection.chosen.cost, None
    if cost.usd_per_hour is not None:
        hours = job.keep_alive_minutes / 60 * (job.runs_per_month or 1.0)
        usd = cost.usd_per_hour * first.instance_count * hours
    yield instance_item(f"{first.instance_type} warm pool", cost.model_copy(update={"usd_per_month": usd}))


FACET = BillKind(line=_line)
