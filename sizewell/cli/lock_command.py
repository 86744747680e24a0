"""``sizewell lock``: bring the lock up to date, or check it."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from sizewell.cli.output import alone, write_file
from sizewell.config import ConfigError, Fault, environment_names
from sizewell.config.faults import near_match, value_fault
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.lock import LockedEnvironment, SelectionLock
from sizewell.planning.lock_changes import (
    LockChange,
    LockDifference,
    check_lock,
    refresh_lock,
    worthwhile_savings,
)
from sizewell.planning.lock_file import LockFile, lock_path, read_lock_file
from sizewell.planning.lock_text import lock_text
from sizewell.planning.plan import DeploymentPlan

T = TypeVar("T")


def update_lock(
    directory: Path, environments: Sequence[str], workloads: Sequence[str], *, update: bool
) -> tuple[tuple[LockChange, ...], tuple[str, ...], bool]:
    """Write the lock of the environments; all, when none is named.

    Returns what became of each workload, the environments that left the lock, and whether the file has changed. With
    ``update``, the best picks of today are taken for ``workloads``; all, when none is named. Raises ``ConfigError``
    and ``RefusedError``.
    """
    with alone(lock_path(directory)):
        return _update_lock(directory, environments, workloads, update=update)


def _update_lock(
    directory: Path, environments: Sequence[str], workloads: Sequence[str], *, update: bool
) -> tuple[tuple[LockChange, ...], tuple[str, ...], bool]:
    inputs, file = _load(directory, environments)
    names = {name: tuple(one.loaded.environment.workloads) for name, one in inputs.items()}
    _refuse_unknown(workloads, names, directory)
    old = file.lock.environments if file else {}

    def refresh(name: str) -> tuple[LockedEnvironment, tuple[LockChange, ...]]:
        planner = partial(inputs[name].plan, within_budget=False)
        chosen = (workloads or names[name]) if update else ()
        return refresh_lock(planner, old.get(name), _threshold(inputs[name]), chosen)

    refreshed = _of_each(tuple(inputs), refresh)
    locked = {name: environment for name, (environment, _) in refreshed.items()}
    lock = SelectionLock(environments={**(old if environments else {}), **locked})
    gone = tuple(sorted(old.keys() - lock.environments.keys()))
    changes = tuple(change for _, of_environment in refreshed.values() for change in of_environment)
    return changes, gone, write_file(lock_path(directory), lock_text(lock))


def confirm_lock(
    directory: Path, environments: Sequence[str]
) -> tuple[tuple[DeploymentPlan, ...], tuple[LockDifference, ...]]:
    """Return the plans under the lock, and what the next refresh would save; nothing is written.

    Raises ``ConfigError`` with every place where the lock does not hold.
    """
    inputs, file = _load(directory, environments)
    if file is None:
        message = "the file is missing: nothing is locked"
        path = lock_path(directory).as_posix()
        raise ConfigError(
            [Fault(path, None, None, (), None, message, hint="run: sizewell lock, and commit it")]
        )
    old = file.lock.environments
    plans = _of_each(tuple(inputs), lambda name: inputs[name].plan(old.get(name), within_budget=False))
    faults = []
    for name, plan in plans.items():
        for difference in check_lock(plan, old.get(name)):
            key_path = ("environments", name, "workloads", difference.workload)
            faults.append(_stale(file, key_path, difference.reason))
    if not environments:
        gone = [("environments", name) for name in sorted(old.keys() - inputs.keys())]
        faults += [_stale(file, path, "no such environment any more") for path in gone]
    if faults:
        raise ConfigError(faults)
    savings = tuple(
        saving
        for name, plan in plans.items()
        for saving in worthwhile_savings(plan, _threshold(inputs[name]))
    )
    return tuple(plans.values()), savings


def _threshold(inputs: PlanInputs) -> float:
    return inputs.loaded.environment.policy.min_lock_saving_percent


def _stale(file: LockFile, path: tuple[str, ...], reason: str) -> Fault:
    return value_fault(
        file.locate(path), path, reason, hint="run: sizewell lock, look at what it changes, and commit it"
    )


def _load(directory: Path, environments: Sequence[str]) -> tuple[dict[str, PlanInputs], LockFile | None]:
    # The empty name stands for none at all: loading it says what is missing.
    names = tuple(dict.fromkeys(environments)) or environment_names(directory) or ("",)
    return _of_each(names, partial(load_inputs, directory)), read_lock_file(directory)


def _of_each(names: Sequence[str], function: Callable[[str], T]) -> dict[str, T]:
    """Return the result for each environment; raises ``ConfigError`` with the faults of all of them."""
    results: dict[str, T] = {}
    faults: list[Fault] = []
    for name in names:
        try:
            results[name] = function(name)
        except ConfigError as error:
            faults += error.faults
    if faults:
        raise ConfigError(faults)
    return results


def _refuse_unknown(workloads: Sequence[str], names: dict[str, tuple[str, ...]], directory: Path) -> None:
    known = tuple(dict.fromkeys(name for of_environment in names.values() for name in of_environment))
    faults = []
    for workload in workloads:
        if workload not in known:
            match = near_match(workload, known)
            message = f'there is no workload "{workload}" in {", ".join(names)}; they have'
            hint = f"did you mean {match}?" if match else None
            faults.append(Fault(directory.as_posix(), None, None, (), None, message, known, hint))
    if faults:
        raise ConfigError(faults)
