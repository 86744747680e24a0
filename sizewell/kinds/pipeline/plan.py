"""The decisions for one pipeline, and what of it contradicts the jobs that its steps run."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from sizewell.config.base import lies_in
from sizewell.config.repeated_runs import runs_per_month
from sizewell.config.training import TrainedModel
from sizewell.config.workload import Workload
from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.kinds.pipeline.config import Pipeline, PipelineStep, QualityGate
from sizewell.kinds.pipeline.plan_model import (
    PipelinePlan,
    QualityGatePlan,
    RegisterStepPlan,
    RunStepPlan,
)
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.images import plan_image
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import STATE_MACHINE_NAME
from sizewell.planning.names import Names, stated_keys
from sizewell.planning.schedule import plan_schedule, plan_starts_on
from sizewell.planning.serving_faults import image_faults
from sizewell.planning.translate import image_at
from sizewell.planning.workload_plan import JobPlan


def plan_pipeline_of_steps(stated: Stated) -> PipelinePlan:
    """Return the plan of a pipeline, whose steps run jobs that are planned."""
    pipeline: Pipeline = stated.workload
    name, names, jobs = stated.name, stated.names, stated.jobs
    levels = tuple(
        tuple(
            _register_step(step_name, step, names)
            if (step := pipeline.steps[step_name]).runs is None
            else _run_step(step_name, step, jobs[step.runs])
            for step_name in level
        )
        for level in pipeline.levels
    )
    limits = ([step.time_limit_s for step in level if isinstance(step, RunStepPlan)] for level in levels)
    return PipelinePlan(
        **stated_keys(name, pipeline, names),
        state_machine_name=names.workload(name),
        environment={},
        network_isolation=True,
        levels=levels,
        time_limit_s=sum(max(level, default=0) for level in limits) + EXECUTION_GRACE_S
        if pipeline.deadline_hours is None
        else math.ceil(pipeline.deadline_hours * 3600),
        schedule=plan_schedule(pipeline.schedule) if pipeline.schedule else None,
        starts_on=plan_starts_on(pipeline.starts_on),
        report_success=pipeline.report_success,
        runs_per_month=runs_per_month(pipeline),
        needs_digest="",
    )


def _run_step(name: str, step: PipelineStep, job: JobPlan) -> RunStepPlan:
    estimate = job.estimate_of_run
    return RunStepPlan(
        name=name,
        workload=job.name,
        workload_kind=job.kind,
        state_machine_name=job.state_machine_name,
        time_limit_s=job.time_limit_s,
        deadline_s=job.deadline_of_run_s,
        hours=estimate.duration_hours,
        usd_per_run=estimate.usd_per_run,
        reads=dict(step.reads),
        gates=tuple(_gate(gate, job) for gate in step.passes_if),
    )


def _gate(gate: QualityGate, job: JobPlan) -> QualityGatePlan:
    return QualityGatePlan(
        metric=gate.metric,
        file_key=job.file_of_gate(gate.file),
        at_least=gate.at_least,
        at_most=gate.at_most,
    )


def _register_step(name: str, step: PipelineStep, names: Names) -> RegisterStepPlan:
    assert step.registers is not None
    assert step.group is not None
    assert step.container is not None
    (hardware,) = step.container.images.by_hardware()
    return RegisterStepPlan(
        name=name,
        trained_by=step.registers,
        group=step.group,
        group_name=names.model_group(step.group),
        image=plan_image(image_at(step.container.images, hardware), names),
        is_approved=step.approval == "automatic",
    )


def pipeline_faults(
    pipeline: Pipeline, plan: PipelinePlan, jobs: Mapping[str, JobPlan]
) -> Iterator[PlanFault]:
    """Yield where a step would read what no step before it has written, or two would write the same."""
    path = ("workloads", plan.name, "steps")
    for step in plan.runs:
        for key, trained_by in step.reads.items():
            job, trained = jobs[step.workload], jobs[pipeline.steps[trained_by].runs or ""]
            prefix, (output_prefix,) = job.input_prefixes[key], trained.written_prefixes
            if not lies_in(output_prefix, prefix):
                yield PlanFault(
                    (*path, step.name, "reads", key),
                    f"{trained_by} writes its models below {output_prefix}, but the input {key} of {job.name}, and so "
                    f"the role of the job, reads {prefix}",
                    f"write inputs.{key}.prefix: {output_prefix} in {job.name}",
                )
    for reader, writer in permutations(plan.runs, 2):
        if writer.name in pipeline.before(reader.name):
            continue
        written = jobs[writer.workload].written_prefixes
        if found := _shared(jobs[reader.workload].read_prefixes(reader.reads), written):
            yield PlanFault(
                (*path, reader.name, "runs"),
                f"{reader.name} reads {found[0]}, and {writer.name}, which need not have ended then, writes {found[1]}",
                f"write after: [{writer.name}], or another prefix in one of {reader.workload} and {writer.workload}",
            )
    for run, other in combinations(plan.runs, 2):
        ordered = run.name in pipeline.before(other.name) or other.name in pipeline.before(run.name)
        found = _shared(jobs[other.workload].written_prefixes, jobs[run.workload].written_prefixes)
        if found and not ordered:
            yield PlanFault(
                (*path, other.name, "runs"),
                f"{other.name} writes {found[0]}, and {run.name}, which runs beside it, writes {found[1]}",
                f"write after: [{run.name}], or another prefix in one of {other.workload} and {run.workload}",
            )


def _shared(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two prefixes of which one lies in the other."""
    pairs = ((own, other) for own in ours for other in theirs)
    return next((pair for pair in pairs if lies_in(*pair) or lies_in(*reversed(pair))), None)


def registration_faults(
    name: str, pipeline: Pipeline, trained: Mapping[str, Workload]
) -> Iterator[PlanFault]:
    """Yield each image that cannot serve the model of the job, one of ``trained``, that a pipeline registers with it."""
    for step_name, step in pipeline.registrations():
        job = trained.get(pipeline.steps[step.registers or ""].runs or "")
        if isinstance(job, TrainedModel) and step.container is not None:
            path = ("workloads", name, "steps", step_name, "container")
            yield from image_faults(path, step.container, job.model, {})


def _plan(stated: Stated) -> Planned:
    pipeline, jobs = stated.workload, stated.jobs
    if any(step.runs not in jobs for step in pipeline.steps.values() if step.runs):
        raise PlanError(())  # a job that cannot be planned says so itself
    plan = plan_pipeline_of_steps(stated)
    return plan, (
        *pipeline_faults(pipeline, plan, jobs),
        *registration_faults(stated.name, pipeline, stated.others),
    )


FACET = PlanKind(plan=_plan, name=STATE_MACHINE_NAME)
