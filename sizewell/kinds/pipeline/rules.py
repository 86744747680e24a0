"""What a pipeline asks of the workloads that its steps run."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sizewell.config.base import with_article, without
from sizewell.config.cluster import target_of
from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.repeated_runs import RepeatedRuns
from sizewell.config.request_members import Violation
from sizewell.config.workload import Workload

if TYPE_CHECKING:
    from sizewell.kinds.pipeline.config import Pipeline, PipelineStep

Pipelines = Mapping[str, "Pipeline"]
_KINDS = "a processing-job, training-job, tuning-job or batch-transform"


def pipeline_violations(environment: Environment, pipelines: Pipelines) -> Iterator[Violation]:
    """Yield what is wrong with each pipeline, and with what it runs."""
    groups: dict[tuple[str | None, str | None], str] = {}
    for name, pipeline in pipelines.items():
        path = ("workloads", name, "steps")
        found = [
            fault
            for step_name, step in pipeline.steps.items()
            for fault in _of_step(environment, pipeline, (*path, step_name), step)
        ]
        yield from found
        for step_name, step in pipeline.registrations():
            here = f"{name}.steps.{step_name}"
            if (other := groups.setdefault((pipeline.place, step.group), here)) != here:
                yield (
                    (*path, step_name, "group"),
                    f"{step.group} is made by {other} already; choose another name",
                )
        if not found:
            yield from _of_time(environment, name, pipeline)
    yield from _started_twice(environment)
    yield from _warm_pools(environment, pipelines)


def _of_step(
    environment: Environment, pipeline: "Pipeline", path: tuple[str, ...], step: "PipelineStep"
) -> Iterator[Violation]:
    if step.registers is not None:
        yield from _not_trained(environment, pipeline, (*path, "registers"), step.registers)
        return
    assert step.runs is not None
    job, path_of_job = environment.workloads.get(step.runs), (*path, "runs")
    if job is None:
        match = near_match(step.runs, environment.workloads)
        hint = f"did you mean {match}?" if match else f"name {_KINDS}"
        yield path_of_job, f"there is no workload {step.runs}; {hint}"
    elif job.kind == pipeline.kind:
        yield path_of_job, f"{step.runs} is a pipeline, and a pipeline runs no other: write its steps here"
    elif not isinstance(job, RepeatedRuns):
        yield path_of_job, f"{step.runs} is {_of_kind(job)}, which has no runs: name {_KINDS}"
    elif job.place != pipeline.place:
        here, there = (f"place {one.place}" if one.place else "no place" for one in (pipeline, job))
        yield path_of_job, f"{step.runs} has {there}, and the pipeline {here}: write the same at both"
    elif target_of(job) is not None:
        yield (
            path_of_job,
            f"{step.runs} has a target, and a pipeline runs jobs of SageMaker alone: {without('target')} there",
        )
    else:
        for index, gate in enumerate(step.passes_if):
            if (fault := job.gate_fault(gate.metric, gate.file)) is not None:
                key_of_gate, reason = fault
                yield (*path, "passes_if", str(index), *key_of_gate), reason
        for key, trained_by in step.reads.items():
            yield from _of_read(environment, pipeline, (*path, "reads", key), job, trained_by)


def _of_read(
    environment: Environment, pipeline: "Pipeline", path: tuple[str, ...], job: RepeatedRuns, trained_by: str
) -> Iterator[Violation]:
    inputs = job.inputs_of_models()
    if inputs is None:
        yield path, f"only a processing-job reads what a step has just trained, and this is {_of_kind(job)}"
    elif path[-1] not in inputs:
        stated = f"inputs are {', '.join(inputs)}" if inputs else "it has no inputs"
        yield path, f"the job has no input {path[-1]}; {stated}"
    else:
        yield from _not_trained(environment, pipeline, path, trained_by)


def _not_trained(
    environment: Environment, pipeline: "Pipeline", path: tuple[str, ...], step: str
) -> Iterator[Violation]:
    """Yield a step of which no model comes; a workload that is not there is a fault of its own."""
    if (runs := pipeline.steps[step].runs) is None:
        yield path, f"{step} trains no model: it registers one"
    elif (job := environment.workloads.get(runs)) is not None and not getattr(job, "trains", False):
        yield path, f"{step} trains no model: it runs {_of_kind(job)}"


def _warm_pools(environment: Environment, pipelines: Pipelines) -> Iterator[Violation]:
    """Yield instances that wait for a run, which only the schedule of one pipeline starts, and later than that."""
    for name, steps in environment.steps_by_workload().items():
        job, pipeline = environment.workloads.get(name), pipelines[steps[0][0]]
        if isinstance(job, RepeatedRuns) and job.runs_per_month is None and len(steps) == 1:
            hours = sum(longest for longest, _ in _longest(environment, pipeline))
            if reason := job.waits_in_vain(pipeline.idle_hours(hours)):
                yield ("workloads", name, "keep_alive_minutes"), reason


def _longest(environment: Environment, pipeline: "Pipeline") -> list[tuple[float, str]]:
    """Return of each level the step that may take the longest, after its hours."""
    return [max((_hours(environment, pipeline, step), step) for step in level) for level in pipeline.levels]


def _of_time(environment: Environment, name: str, pipeline: "Pipeline") -> Iterator[Violation]:
    """Yield deadlines that contradict each other; every step has a workload here."""
    path = ("workloads", name)
    longest = _longest(environment, pipeline)
    hours = sum(step_hours for step_hours, _ in longest)
    words = " + ".join(f"{step} {step_hours:g}" for step_hours, step in longest if step_hours)
    come_to = f"the deadlines of its steps come to {hours:g} hours, one after another ({words})"
    if (stated := pipeline.deadline_hours) is None:
        if pipeline.overlap(hours):
            yield (
                (*path, "schedule", "every"),
                f"{come_to}: the next run would start before; lower them, or choose a longer period",
            )
    elif stated < hours:
        yield (
            (*path, "deadline_hours"),
            f"is {stated:g}, but {come_to}: write {hours:g} at least, or lower theirs",
        )
    elif problem := pipeline.overlap(stated):
        yield (*path, "deadline_hours"), problem


def _hours(environment: Environment, pipeline: "Pipeline", step: str) -> float:
    job = environment.workloads.get(pipeline.steps[step].runs or "")
    return job.run_hours if isinstance(job, RepeatedRuns) else 0.0


def _started_twice(environment: Environment) -> Iterator[Violation]:
    for name, steps in environment.steps_by_workload().items():
        workload = environment.workloads.get(name)
        for key in ("schedule", "starts_on"):
            if isinstance(workload, RepeatedRuns) and getattr(workload, key) is not None:
                pipeline, step = steps[0]
                yield (
                    ("workloads", name, key),
                    f"{step} of {pipeline} runs it: with a start of its own, two runs could write the same objects; "
                    f"{without(key)}",
                )


def _of_kind(workload: Workload) -> str:
    return with_article(workload.kind)
