"""The decisions for a training that AWS Batch runs: its instances, its container, and until when Spot is tried."""

import json
from collections.abc import Iterator

from sizewell.config.training import TrainedModel
from sizewell.facts.batch import MAX_DEFINITION_BYTES
from sizewell.facts.state_machines import SHORTEST_ATTEMPT_S
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import STATE_MACHINE_NAME
from sizewell.planning.remedies import training_remedies
from sizewell.planning.training_plan import seconds
from sizewell.targets.batch.instance_types import batch_catalog
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from sizewell.targets.batch.jobs_plan import (
    ASSUMPTIONS,
    SERVICES,
    batch_fields,
    definition_bytes,
    definition_faults,
    is_reserved,
)
from sizewell.targets.batch.jobs_plan_model import BatchAttemptPlan
from sizewell.targets.contract import packed
from sizewell.targets.training.on_ec2 import TrainedOnEc2, train_on_ec2, variable_faults
from sizewell.targets.training.plan_model import PROGRAM

#: Ours. A job that is stopped has two minutes, and is looked at every half.
_STOP_HOURS = 3 / 60


def _plan(stated: Stated) -> Planned:
    job: TrainedModel = stated.workload
    trained = train_on_ec2(stated, batch_catalog(stated.policy.region, stated.catalog.refreshed), ASSUMPTIONS)
    fields = batch_fields(stated, trained.fields)
    plan = BatchJobPlan(
        **fields,
        attempts=tuple(_attempts(job, trained, fields["volume_size_gib"])),
        report_success=job.report_success,
    )
    return plan, (
        *variable_faults(plan, "by AWS Batch", is_reserved),
        *definition_faults(plan, packed(PROGRAM), plan.channels),
        *_hyperparameter_faults(plan),
        *_spot_faults(plan),
    )


def _attempts(job: TrainedModel, trained: TrainedOnEc2, volume_size_gib: int) -> Iterator[BatchAttemptPlan]:
    """Yield Spot, as long as a whole run on demand still meets the deadline after it, and then on demand."""
    chosen = trained.fields["selection"].chosen
    usd, saved = chosen.cost.usd_per_hour, chosen.estimate.spot_savings_pct or 0
    common = {"instance_type": chosen.instance_type, "volume_size_gib": volume_size_gib}
    if job.spot.enabled:
        hours = job.deadline_hours
        if job.spot.on_demand_fallback:
            hours -= trained.promised_hours + _STOP_HOURS
            hours = min(hours, job.spot.max_wait_hours or hours)
        spot_usd = None if usd is None else usd * (1 - saved / 100)
        yield BatchAttemptPlan(
            spot=True, ends_after_s=max(0, seconds(hours)), usd_per_hour=spot_usd, **common
        )
    if not job.spot.enabled or job.spot.on_demand_fallback:
        yield BatchAttemptPlan(
            spot=False, ends_after_s=seconds(job.deadline_hours), usd_per_hour=usd, **common
        )


def _hyperparameter_faults(plan: BatchJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when a job would be larger than Batch takes, with what each job is given."""
    if (size := definition_bytes(json.dumps(plan.all_hyperparameters))) > MAX_DEFINITION_BYTES:
        yield PlanFault(
            ("workloads", plan.name, "container", "hyperparameters"),
            f"make a job of about {size:,} bytes; AWS Batch takes few more than {MAX_DEFINITION_BYTES:,}",
            "shorten them: a long text belongs into a file of the code",
        )


def _spot_faults(plan: BatchJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when the deadline leaves no time for Spot."""
    first = plan.attempts[0]
    if first.spot and first.ends_after_s < SHORTEST_ATTEMPT_S:
        yield PlanFault(
            ("workloads", plan.name, "spot", "enabled"),
            f"the deadline of {plan.deadline_s / 3600:g} h leaves no time for Spot before a run on demand "
            f"on {plan.instance_type}",
            "raise deadline_hours, or write spot: {enabled: false}",
        )


FACET = PlanKind(
    plan=_plan,
    name=STATE_MACHINE_NAME,
    remedies=training_remedies,
    services=lambda _: iter(SERVICES),
    foundation_faults=lambda *_: iter(()),
    catalog=lambda _, catalog: batch_catalog(catalog.region, catalog.refreshed),
)
