"""Loading one environment: base and environment file, merged, checked, and frozen."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from sizewell.config.environment import Environment
from sizewell.config.faults import ConfigError, Fault, near_match, near_matches, show_value, value_fault
from sizewell.config.kind import environment_model
from sizewell.config.measurements import Measurements, check_names, read_measurements
from sizewell.config.merge import merge_layers
from sizewell.config.model_faults import model_faults
from sizewell.config.rules import check_rules
from sizewell.config.secrets_check import check_secrets
from sizewell.config.tree import Node, Position
from sizewell.config.variant_names import path_of_endpoint
from sizewell.config.variants import merge_variants
from sizewell.config.yaml_source import read_yaml
from sizewell.facts import environment_files
from sizewell.facts.environment_files import BASE, NOT_ENVIRONMENTS

_NAME_WORDS = "two to eight lower-case letters and digits, first a letter"


@dataclass(frozen=True)
class Sources:
    """Where each value was written."""

    root: Node

    def locate(self, path: Sequence[str]) -> Position:
        """Return the position of a key path such as ("workloads", "support-bert", "latency").

        For what is not written, because it is a default, it is the position of the nearest map around it.
        """
        return self.root.nearest(path).position

    def lines(self) -> dict[str, str]:
        """Return ``FILE:LINE`` of every key that is written, by its path with dots; wherever the directory is."""
        return {
            ".".join(path): f"{PurePosixPath(at.file).name}:{at.line}" for path, at in self.root.positions()
        }


@dataclass(frozen=True)
class LoadedEnvironment:
    """An environment, where its values come from, and what was measured of its workloads."""

    environment: Environment
    sources: Sources
    measurements: Measurements = field(default_factory=Measurements)


class FaultyEnvironmentError(ConfigError):
    """A configuration cannot be used; ``rest`` is what is sound of it: the environment without the workloads that have a fault.

    It is None where nothing is left, or something is wrong that concerns all workloads.
    """

    def __init__(self, faults: Iterable[Fault], rest: LoadedEnvironment | None) -> None:
        super().__init__(faults)
        self.rest = rest


def environment_names(directory: Path) -> tuple[str, ...]:
    """Return the names of the environments whose files are in ``directory``, sorted."""
    return environment_files.environment_names(path.name for path in directory.glob("*.yaml"))


def workload_kinds(directory: Path) -> tuple[dict[str, str | None], list[Fault]]:
    """Return every workload of any environment with its kind, None when nothing says it, and what cannot be read."""
    return _named_in_any(directory, "workloads", "kind")


def cluster_types(directory: Path) -> tuple[dict[str, str | None], list[Fault]]:
    """Return every cluster of any environment with its type, None when nothing says it, and what cannot be read."""
    return _named_in_any(directory, "clusters", "type")


def _named_in_any(directory: Path, key: str, says: str) -> tuple[dict[str, str | None], list[Fault]]:
    found: dict[str, str | None] = {}
    faults: list[Fault] = []
    for layer in (BASE, *environment_names(directory)):
        root, reading_faults = read_yaml(directory / f"{layer}.yaml", _shown(directory, layer))
        faults += reading_faults
        for name, said in _named(root, key, says).items() if root is not None else ():
            found[name] = said or found.get(name)
    return found, faults


def load_environment(
    directory: Path, name: str, *, regions: Sequence[str] | None = None
) -> LoadedEnvironment:
    """Load ``base.yaml`` and ``<name>.yaml`` of a directory, and ``measurements.yaml`` when it is there.

    Messages and positions name the files by the directory as given. ``regions`` are those that can be planned for;
    with None any region of the right form is accepted.

    Raises:
        ConfigError: Something is wrong; the error holds all faults of all files. As ``FaultyEnvironmentError`` it holds what is
            sound, too.
    """
    if file_faults := list(_file_faults(directory, name)):
        raise ConfigError(file_faults)
    files = {layer: _shown(directory, layer) for layer in (BASE, name)}
    layers, faults = [], []
    for layer, file in files.items():
        root, reading_faults = read_yaml(directory / f"{layer}.yaml", file)
        faults += reading_faults
        if root is not None:
            layers.append(root)
            faults += [*check_secrets(root), *_name_faults(root)]
    if len(layers) < len(files):
        raise ConfigError(faults)
    written, merge_faults = merge_layers(*layers)
    faults += merge_faults
    merged = merge_variants(merge_layers(written, _name_layer(name, files[name]))[0])
    # Of each value the first fault is kept: a second one of a secret would print it.
    known = {fault.key_path for fault in faults}
    if regions is not None:
        faults += [fault for fault in _region_faults(merged, regions) if fault.key_path not in known]
    try:
        environment = _validated(merged.plain())
        faults += _rule_faults(environment, merged)
    except ValidationError as error:
        known = {fault.key_path for fault in faults}
        more = model_faults(error, merged, files[name])
        faults += [fault for fault in more if fault.key_path not in known]
        if (sound := _sound_part(merged, faults)) is not None:
            faults += faults_within(sound, _rule_faults(sound, merged))
    rest = _sound_part(merged, faults) if faults else None
    measurements, measurement_faults = read_measurements(directory)
    faults += [*measurement_faults, *_measured_name_faults(measurements, directory, merged)]
    if faults:
        sound_rest = None if rest is None else LoadedEnvironment(rest, Sources(merged), measurements)
        raise FaultyEnvironmentError(_of_endpoints_once(faults), sound_rest)
    return LoadedEnvironment(environment, Sources(merged), measurements)


def _validated(plain: Any) -> Environment:
    # JSON, because strict validation takes lists for tuples and texts for enumerations from JSON only. Strict: "12" is no
    # number and 1 is no truth value, here as in the JSON Schema.
    return environment_model().model_validate_json(json.dumps(plain), strict=True)


def _sound_part(merged: Node, faults: Iterable[Fault]) -> Environment | None:
    """Return the environment without the workloads that have a fault, and without the pipelines that run them."""
    paths = [fault.key_path for fault in faults]
    if any(path[:1] != ("workloads",) or len(path) < 2 for path in paths):
        return None
    plain: Any = merged.plain()
    faulty = {path[1] for path in paths}
    plain["workloads"] = {name: one for name, one in plain["workloads"].items() if name not in faulty}
    try:
        sound = _validated(plain)
    except ValidationError:
        return None  # no workload is left
    steps = sound.steps_by_workload().items()
    broken = {pipeline for runs, by in steps if runs not in sound.workloads for pipeline, _ in by}
    left = {name: one for name, one in sound.workloads.items() if name not in broken}
    return sound.model_copy(update={"workloads": left}) if left else None


def faults_within(environment: Environment, faults: Iterable[Fault]) -> list[Fault]:
    """Return the faults that lie in the workloads of a part of an environment; others may be of what the part lacks."""
    return [
        fault
        for fault in faults
        if fault.key_path[:1] == ("workloads",) and environment.workloads.keys() & set(fault.key_path[1:2])
    ]


def _of_endpoints_once(faults: list[Fault]) -> list[Fault]:
    """Leave out what variants have from their endpoint, of which it is said."""
    said = set(faults)
    own = {fault: replace(fault, key_path=path_of_endpoint(fault.key_path)) for fault in faults}
    return [fault for fault in faults if own[fault] == fault or own[fault] not in said]


def _name_layer(name: str, file: str) -> Node:
    top = Position(file, 1, 1)
    return Node({"name": Node(name, top)}, top)


def _shown(directory: Path, layer: str) -> str:
    return (directory / f"{layer}.yaml").as_posix()


def _file_faults(directory: Path, name: str) -> Iterator[Fault]:
    if not directory.is_dir():
        message = "this is a file, not a directory" if directory.exists() else "there is no such directory"
        hint = f"a configuration is a directory with {BASE}.yaml and a file for each environment"
        yield Fault(directory.as_posix(), None, None, (), None, message, hint=hint)
        return
    names = environment_names(directory)
    if name not in names:
        yield _unknown_environment(directory, name, names)
    if not (directory / f"{BASE}.yaml").is_file():
        hint = "it describes what all environments share: platform, network, workloads"
        yield Fault(_shown(directory, BASE), None, None, (), None, "the file is missing", hint=hint)


def _unknown_environment(directory: Path, name: str, names: tuple[str, ...]) -> Fault:
    file, message = _shown(directory, name), f"there is no environment {json.dumps(name)}"
    # Of config/dev.yaml, dev was meant.
    match = near_match(PurePosixPath(name).stem, names)
    hint = f"to add it, write {file} with what differs from {BASE}.yaml"
    if name in NOT_ENVIRONMENTS:
        hint = NOT_ENVIRONMENTS[name]
    elif match:
        hint = f"did you mean {match}?"
    if not name or not name.isalnum():
        file = directory.as_posix()
        message = message if name else "the name of the environment is empty"
        hint = hint if match else f"a name is that of a file without .yaml: {_NAME_WORDS}"
    return Fault(
        file,
        None,
        None,
        (),
        None,
        f"{message}; environments with a file" if names else "there is no environment file",
        names,
        hint,
    )


def _region_faults(merged: Node, regions: Sequence[str]) -> Iterator[Fault]:
    places = merged.child("places")
    by_name = places.value if places is not None and isinstance(places.value, dict) else {}
    names = [name for name, place in by_name.items() if isinstance(place.value, dict)]
    for path in (("policy", "region"), *(("places", name, "region") for name in names)):
        yield from _unknown_region(merged, path, regions)


def _unknown_region(merged: Node, path: tuple[str, ...], regions: Sequence[str]) -> Iterator[Fault]:
    node = merged.nearest(path)
    if not isinstance(node.value, str) or node.value in regions:
        return
    # Several matches: many regions differ in one digit or letter.
    matches = near_matches(node.value, regions)
    message = "AWS publishes no SageMaker prices for this region"
    yield value_fault(
        node.position,
        path,
        message if matches else f"{message}; regions with prices",
        value=show_value(node.value),
        allowed=() if matches else tuple(regions),
        hint=f"did you mean {' or '.join(matches)}?" if matches else None,
    )


def _measured_name_faults(measurements: Measurements, directory: Path, merged: Node) -> Iterator[Fault]:
    kinds = _named(merged, "workloads", "kind")
    if not measurements.by_workload.keys() <= kinds.keys():
        # A workload that is not in this environment may be in another: only then are all files read.
        kinds = {**workload_kinds(directory)[0], **kinds}
    yield from check_names(measurements, environment_names(directory), kinds)


def _named(root: Node, key: str, says: str) -> dict[str, str | None]:
    """Return what a file names below a key, with what says what it is; what null removes is left out."""
    named = root.child(key)
    if named is None or not isinstance(named.value, dict):
        return {}
    found = {}
    for name, node in named.value.items():
        said = node.child(says)
        if node.value is not None:
            found[name] = said.value if said is not None and isinstance(said.value, str) else None
    return found


def _name_faults(root: Node) -> Iterator[Fault]:
    if (node := root.child("name")) is not None:
        hint = "remove the key; rename the file to rename the environment"
        yield value_fault(
            node.position, ("name",), "the name of an environment is the name of its file", hint=hint
        )


def _rule_faults(environment: Environment, merged: Node) -> Iterator[Fault]:
    for path, reason in check_rules(environment):
        yield value_fault(merged.nearest(path).position, path, reason)
