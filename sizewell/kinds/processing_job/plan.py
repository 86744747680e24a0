"""The decisions for one processing job."""

import math
from dataclasses import replace
from functools import partial

from sizewell.config.policy import Policy
from sizewell.config.repeated_runs import runs_per_month
from sizewell.facts.processing_jobs import (
    MAX_VARIABLE_CHARACTERS,
    NEURON_CORES_VARIABLE,
    NEURON_PRECISION_VARIABLE,
    NEURON_SHAPES_VARIABLE,
    NEURON_TARGET_VARIABLE,
)
from sizewell.instance_selection import (
    HardwareKind,
    ProcessingRequirements,
    select_processing_instance,
)
from sizewell.kinds.processing_job.config import NeuronCompilation, ProcessingJob
from sizewell.kinds.processing_job.plan_model import (
    ProcessingAttemptPlan,
    ProcessingInputPlan,
    ProcessingJobPlan,
    ProcessingOutputPlan,
)
from sizewell.planning.digests import needs_digest
from sizewell.planning.images import plan_image
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates
from sizewell.planning.interface_endpoints import services_of_job
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.name_limits import JOB_NAME
from sizewell.planning.names import stated_keys
from sizewell.planning.proxy import bypass_faults
from sizewell.planning.remedies import COMMON_REMEDIES, Remedy
from sizewell.planning.schedule import plan_schedule, plan_starts_on
from sizewell.planning.training_plan import job_tags
from sizewell.planning.training_plan_model import TrainingCodePlan
from sizewell.planning.translate import discount_percent, image_at, instance_limits
from sizewell.planning.volumes import has_local_disks
from sizewell.planning.workload_plan import NeuronPlan


def processing_requirements(job: ProcessingJob, policy: Policy) -> ProcessingRequirements:
    """Return the needs of a processing job under the policy of its environment."""
    # Neuron's compiler runs on the CPUs of any instance, from an image for chips that Processing does not have.
    runs_on = HardwareKind.CUDA if job.hardware == "cuda" else HardwareKind.CPU_X86_64
    limits = instance_limits(job.instances, job.container, policy)
    return ProcessingRequirements(
        limits=replace(limits, images=frozenset({runs_on})),
        vcpus=job.vcpus,
        memory_gib=job.memory_gib,
        volume_gib=job.volume_gib,
        accelerators=job.accelerators,
        instance_count=job.instance_count,
        deadline_hours=job.deadline_hours,
        expected_hours=job.expected_hours,
        runs_per_month=runs_per_month(job),
        max_usd_per_run=job.max_usd_per_run,
        savings_plan_discount_pct=discount_percent(policy),
    )


def plan_processing_job(stated: Stated) -> ProcessingJobPlan:
    """Return the plan of a job, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    job: ProcessingJob = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if job.instances.instance_type is not None:
        catalog.get(job.instances.instance_type)
    needs = processing_requirements(job, policy)
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_processing_instance, needs, catalog, stated.locked, digest)
    ladder = same_image_candidates(selection, catalog, locked_pools(stated.locked, lock))[:MAX_POOLS]
    container, neuron = job.container, job.neuron
    return ProcessingJobPlan(
        **stated_keys(name, job, names),
        state_machine_name=names.workload(name),
        job_name_prefix=names.workload(name),
        job_tags=job_tags(name, job.tags, names, stated.environment_tags),
        attempts=tuple(
            ProcessingAttemptPlan(
                instance_type=candidate.instance_type,
                instance_count=job.instance_count,
                volume_size_gib=job.volume_gib,
                usd_per_hour=candidate.cost.usd_per_hour,
                encrypt_volume_with_key=not has_local_disks(catalog.get(candidate.instance_type)),
            )
            for candidate in ladder
        ),
        image=plan_image(image_at(container.images, job.hardware), names),
        code=TrainingCodePlan(prefix=container.code.prefix.rstrip("/"), command=container.code.command)
        if container.code
        else None,
        inputs={
            input_name: ProcessingInputPlan(
                prefix=read.prefix.rstrip("/"), mode=read.mode, distribution=read.distribution
            )
            for input_name, read in job.inputs.items()
        },
        outputs={
            output_name: ProcessingOutputPlan(prefix=written.prefix.rstrip("/"), upload=written.upload)
            for output_name, written in job.outputs.items()
        },
        environment=dict(sorted({**container.environment, **_neuron_variables(neuron)}.items())),
        network_isolation=container.network_isolation,
        deadline_s=math.ceil(job.deadline_hours * 3600),
        neuron=NeuronPlan(target=neuron.target, cores=neuron.cores) if neuron else None,
        schedule=plan_schedule(job.schedule) if job.schedule else None,
        starts_on=plan_starts_on(job.starts_on),
        runs_per_month=needs.runs_per_month,
        selection=selection,
        instance_pools=tuple(candidate.instance_type for candidate in ladder),
        needs_digest=digest,
        lock=lock,
    )


def _neuron_variables(neuron: NeuronCompilation | None) -> dict[str, str]:
    """Return what the script is told: docs/guides/processing.md."""
    if neuron is None:
        return {}
    return {
        NEURON_TARGET_VARIABLE: neuron.target,
        NEURON_CORES_VARIABLE: str(neuron.cores),
        NEURON_PRECISION_VARIABLE: neuron.precision,
        NEURON_SHAPES_VARIABLE: neuron.shapes_json,
    }


def _plan(stated: Stated) -> Planned:
    return plan_processing_job(stated), ()


#: For each filter of a processing job's selection.
PROCESSING_REMEDIES = {
    **COMMON_REMEDIES,
    "accelerators": Remedy(("accelerators",), "ask for fewer of each instance, and raise instance_count"),
    "vcpus": Remedy(("vcpus",), "ask for fewer of each instance, and raise instance_count"),
    "memory": Remedy(("memory_gib",), "ask for less of each instance, and raise instance_count"),
    "disk": Remedy(("volume_gib",), "ask for less, or allow families without disks of their own"),
    "budget": Remedy(("max_usd_per_run",), "raise max_usd_per_run, or state expected_hours"),
}


FACET = PlanKind(
    plan=_plan,
    name=replace(JOB_NAME, noun="the processing jobs"),
    remedies=lambda _: PROCESSING_REMEDIES,
    services=services_of_job,
    foundation_faults=partial(bypass_faults, max_characters=MAX_VARIABLE_CHARACTERS[1]),
)
