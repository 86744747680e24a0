"""``sizewell rightsize``: what the endpoints of an environment were asked for, beside the traffic that is stated."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.kind import runs_on
from sizewell.cli.output import alone, tell, write_file
from sizewell.config import ConfigError, Fault
from sizewell.config.environment_writer import UnchangeableError, set_values
from sizewell.config.files import read_text
from sizewell.config.tree import KeyPath
from sizewell.config.variant_names import endpoint_of
from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.deploy.endpoint_statistics import DeployedVariant, EndpointStatistics, NotReadError
from sizewell.facts.metric_statistics import finest_period_s
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.requirements import HardwareKind
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.lock import LockedEnvironment
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.observed_model import ObservedModel, Seen
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.rightsizing import Rightsizing, Verdict, rightsize
from sizewell.planning.workload_plan import WorkloadPlan


@dataclass(frozen=True)
class Observation:
    """What was found of a model that is deployed."""

    workload: str
    path: KeyPath
    """Where the workload states the model."""
    deployed: DeployedVariant
    seen: Seen
    found: Rightsizing

    @property
    def name(self) -> str:
        """The workload; of a component with its own name."""
        return "/".join((self.workload, *self.path[1:]))


@dataclass(frozen=True)
class Pick:
    """What a workload runs on by a plan, and what a month of it costs; None is unknown."""

    runs_on: str
    usd_per_month: float | None


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that was found, and the proposed change of the environment's file."""

    environment: str
    days: int
    period_s: int
    observations: tuple[Observation, ...]
    silent: tuple[str, ...]
    """Sentences about endpoints that are not deployed."""
    planned: Mapping[str, Pick]
    """What the plan of today makes of each workload."""
    resized: Mapping[str, Pick]
    """What becomes of those with other values."""
    locked: frozenset[str]
    """Workloads that the lock keeps on their instance types until it is updated."""
    fault: str
    """Why the proposed values cannot be written, or nothing can be planned with them; else empty."""
    file: Path
    diff: str
    written: bool


def run_rightsize(
    directory: Path, environment: str, workload: str | None, days: int, profile: str | None, *, write: bool
) -> Report:
    """Return what was found in the last days of the endpoints of an environment, or of one; ``write`` changes its file.

    Ends the command where nothing could be read. Raises ``ConfigError`` and ``RefusedError``.
    """
    inputs = load_inputs(directory, environment)
    lock = read_lock_file(directory)
    locked = lock.lock.environments.get(environment) if lock else None
    plan = inputs.plan(locked, within_budget=False)
    observed = _observed(plan, workload)
    tell(f"Reading {days} days of {environment} ...")
    try:
        found = list(_observations(inputs, observed, days, profile))
    except (CloudFormationError, NotReadError) as error:
        exit_with(str(error))
    observations = tuple(finding for finding in found if isinstance(finding, Observation))
    silent = tuple(finding for finding in found if isinstance(finding, str))
    if all(observation.found.verdict is Verdict.NO_DATA for observation in observations):
        exit_with(
            "\n".join(
                (*silent, *(f"{observation.name}: {observation.found.words}" for observation in observations))
            )
        )
    changes = {
        ("workloads", observation.workload, *observation.path, "traffic", change.key): change.after
        for observation in observations
        for change in observation.found.changes
    }
    fault, resized = "", dict[str, Pick]()
    file = directory / f"{environment}.yaml"
    with alone(file):
        text = changed = read_text(file, file.as_posix())
        try:
            if changes:
                changed = _changed_text(file, text, changes)
                resized = _resized(inputs, locked, observations)
        except ConfigError as error:
            fault = error.render()
        written = write and not fault and write_file(file, changed)
    return Report(
        environment=environment,
        days=days,
        period_s=finest_period_s(days),
        observations=observations,
        silent=silent,
        planned=_picks(plan),
        resized=resized,
        locked=frozenset(map(endpoint_of, locked.workloads if locked else ())),
        fault=fault,
        file=file,
        diff=_diff(file, text, changed),
        written=written,
    )


def _observed(plan: DeploymentPlan, workload: str | None) -> list[tuple[WorkloadPlan, ObservedModel]]:
    """Return the models to look at; end the command where there is none."""
    by_name = {planned.name: planned for planned in plan.workloads}
    if workload is not None and workload not in by_name:
        exit_unknown_workload(workload, plan.environment, by_name)
    chosen = list(by_name.values()) if workload is None else [by_name[workload]]
    observed = [(planned, model) for planned in chosen for model in planned.observed]
    if not observed and workload is not None:
        exit_with(f"{workload} is of kind {chosen[0].kind}: right-sizing is for endpoints of SageMaker")
    if not observed:
        exit_with(f"{plan.environment} has no endpoint of SageMaker: there is nothing to right-size")
    return observed


def _observations(
    inputs: PlanInputs, observed: list[tuple[WorkloadPlan, ObservedModel]], days: int, profile: str | None
) -> Iterator[Observation | str]:
    """Yield what was found of each model, or that it is not deployed."""
    connect = cache(EndpointStatistics)
    types = {instance_type.name: instance_type for instance_type in inputs.catalog.instance_types}
    period_s = finest_period_s(days)
    for planned, model in observed:
        policy = inputs.of_place(planned.name).loaded.environment.policy
        statistics = connect(policy.account, policy.region, profile)
        deployed = statistics.variant(model.endpoint_name, model.variant_name)
        if deployed is None:
            yield (
                f"{planned.name}: there is no endpoint {model.endpoint_name} in {policy.account}, {policy.region}; deploy it "
                f"first: sizewell deploy --env {inputs.loaded.environment.name}"
            )
            continue
        hardware = types.get(deployed.instance_type or "")
        is_cuda = hardware is not None and hardware_kind(hardware) is HardwareKind.CUDA
        seen = model.seen(
            statistics.read(model.statistics(period_s), days),
            days=days,
            period_s=period_s,
            age_s=deployed.age_s,
            vcpus=hardware.vcpus if hardware else 0,
            gpus=hardware.accelerator_count if hardware and is_cuda else 0,
        )
        stated = inputs.loaded.environment.workloads[planned.name].contained()[model.path]
        found = rightsize(
            stated.traffic,
            _written_traffic(inputs, planned.name, model.path),
            seen,
            getattr(stated.latency, "max_p95_ms", None),
        )
        yield Observation(planned.name, model.path, deployed, seen, found)


def _written_traffic(inputs: PlanInputs, workload: str, path: KeyPath) -> Any:
    return inputs.loaded.sources.root.nearest(("workloads", workload, *path, "traffic")).plain()


def _resized(
    inputs: PlanInputs, locked: LockedEnvironment | None, observations: tuple[Observation, ...]
) -> dict[str, Pick]:
    """Return what the plan makes of each workload with the proposed values, free of the lock.

    Raises ``ConfigError`` with what nothing can be planned for.
    """
    environment = inputs.loaded.environment
    changed = {observation.workload for observation in observations if observation.found.changes}
    for observation in observations:
        stated = environment.workloads[observation.workload].contained()[observation.path]
        values = {change.key: change.after for change in observation.found.changes}
        traffic = type(stated.traffic).model_validate(
            {**_written_traffic(inputs, observation.workload, observation.path), **values}
        )
        environment = _with(
            environment, ("workloads", observation.workload, *observation.path, "traffic"), traffic
        )
    if locked:
        locked = locked.only(frozenset(name for name in locked.workloads if endpoint_of(name) not in changed))
    resized = _picks(inputs.with_environment(environment).plan(locked, within_budget=False))
    return {name: resized[name] for name in sorted(changed)}


def _with(model: Any, path: KeyPath, value: Any) -> Any:
    """Return a part of a configuration with another value at a path."""
    key, *rest = path
    if isinstance(model, Mapping):
        return {**model, key: _with(model[key], tuple(rest), value) if rest else value}
    return model.model_copy(update={key: _with(getattr(model, key), tuple(rest), value) if rest else value})


def _picks(plan: DeploymentPlan) -> dict[str, Pick]:
    usd = {line.workload: line.usd_per_month for line in plan.bill.lines}
    return {planned.name: Pick(runs_on(planned), usd[planned.name]) for planned in plan.workloads}


def _changed_text(file: Path, text: str, changes: Mapping[KeyPath, float]) -> str:
    try:
        return set_values(text, changes)
    except UnchangeableError:
        message, hint = "the file cannot be changed without changing more", "write aliases and anchors out"
        raise ConfigError([Fault(file.as_posix(), None, None, (), None, message, hint=hint)]) from None


def _diff(file: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), file.as_posix(), file.as_posix(), n=2, lineterm=""
    )
    return "\n".join(lines)


def by_workload(report: Report) -> Iterator[tuple[str, tuple[Observation, ...]]]:
    """Yield each workload with what was found of its models."""
    for name, observations in groupby(report.observations, key=lambda observation: observation.workload):
        yield name, tuple(observations)
