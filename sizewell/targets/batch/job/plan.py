"""The decisions for a training that AWS Batch runs: its instances, its container, and until when Spot is tried."""

import json
from collections.abc import Iterator, Sequence

from sizewell.config.training import TrainedModel
from sizewell.facts.batch import MAX_DEFINITION_BYTES, RESERVED_VARIABLES
from sizewell.facts.interface_endpoints import OF_TASKS
from sizewell.facts.state_machines import SHORTEST_ATTEMPT_S
from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import STATE_MACHINE_NAME
from sizewell.planning.remedies import training_remedies
from sizewell.planning.schedule import plan_starts_on
from sizewell.planning.training_plan import seconds
from sizewell.targets.batch.instance_types import batch_catalog, container_memory_mib
from sizewell.targets.batch.job.plan_model import BatchAttemptPlan, BatchContainerPlan, BatchJobPlan
from sizewell.targets.contract import packed
from sizewell.targets.plan_model import ClusterPlan
from sizewell.targets.training.on_ec2 import TrainedOnEc2, train_on_ec2, variable_faults
from sizewell.targets.training.plan_model import PROGRAM

#: Ours. What the system takes of the volume of an instance, and the image, as large as one for LLMs.
_SYSTEM_GIB, _IMAGE_GIB = 30, 30
#: Ours. A job that is stopped has two minutes, and is looked at every half.
_STOP_HOURS = 3 / 60
#: Ours. Of a job definition, all but the texts that the plan knows: names, ARNs, locations.
_REST_BYTES = 3 * 1024


def _plan(stated: Stated) -> Planned:
    job: TrainedModel = stated.workload
    trained = train_on_ec2(stated, batch_catalog(stated.policy.region), _ASSUMPTIONS)
    of_ec2 = load_ec2_catalog(stated.policy.region)
    types = [of_ec2.get(instance_type.name) for instance_type in trained.types]
    name = stated.names.workload(stated.name)
    fields = dict(trained.fields)
    fields["volume_size_gib"] += _SYSTEM_GIB + _IMAGE_GIB
    plan = BatchJobPlan(
        **fields,
        cluster=ClusterPlan(key=job.target, name=job.target),  # type: ignore[attr-defined]
        job_name=name,
        state_machine_name=name,
        attempts=tuple(_attempts(job, trained, fields["volume_size_gib"])),
        container=BatchContainerPlan(
            vcpus=min(instance_type.vcpus for instance_type in types),
            memory_mib=_least_memory_mib(types),
            gpu_count=fields["gpu_count"],
        ),
        vcpus=max(instance_type.vcpus for instance_type in types),
        starts_on=plan_starts_on(job.starts_on),
        report_success=job.report_success,
    )
    return plan, (
        *variable_faults(plan, "by AWS Batch", _is_reserved),
        *_definition_faults(plan),
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


def _least_memory_mib(types: Sequence[InstanceType]) -> int:
    rooms = [container_memory_mib(instance_type) for instance_type in types]
    return min(room for room in rooms if room is not None)


def _is_reserved(name: str) -> bool:
    return name == "SIZEWELL_PROGRAM" or name.startswith(RESERVED_VARIABLES)


def _definition_faults(plan: BatchJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when the job definition would be larger than Batch takes, or what each job is given."""
    texts = json.dumps([packed(PROGRAM), plan.environment, plan.channels])
    size = len(texts.encode()) + _REST_BYTES
    if size > MAX_DEFINITION_BYTES:
        yield PlanFault(
            ("workloads", plan.name, "container", "environment"),
            f"makes a job definition of about {size:,} bytes; AWS Batch takes {MAX_DEFINITION_BYTES:,}",
            "shorten the variables: a long text belongs into a file of the code",
        )
    of_job = len(json.dumps(json.dumps(plan.all_hyperparameters)).encode()) + _REST_BYTES
    if of_job > MAX_DEFINITION_BYTES:
        yield PlanFault(
            ("workloads", plan.name, "container", "hyperparameters"),
            f"make a job of about {of_job:,} bytes; AWS Batch takes few more than {MAX_DEFINITION_BYTES:,}",
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


_ASSUMPTIONS = (
    "AWS Batch leaves a container 92.5 % of the memory of an instance, less 100 MiB: no page of AWS states it",
    "a job shares the network of its instance: isolation is a security group that lets HTTPS out alone, and the role of the "
    "instance may do nothing but run jobs",
    "the image runs its arguments as a command, or has no entry point, and has Python",
)

FACET = PlanKind(
    plan=_plan,
    name=STATE_MACHINE_NAME,
    remedies=training_remedies,
    services=lambda _: iter((*OF_TASKS, "logs")),
    foundation_faults=lambda *_: iter(()),
    catalog=lambda _, catalog: batch_catalog(catalog.region),
)
