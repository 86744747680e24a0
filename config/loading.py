"""Loading one environment: base and environment file, merged, checked, and frozen."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from config.environment import Environment
from config.faults import ConfigError, Fault, near_match, near_matches, show_value, value_fault
from config.merge import merge_layers
from config.model_faults import model_faults
from config.rules import check_rules
from config.secrets_check import check_secrets
from config.tree import Node, Position
from config.yaml_source import read_yaml

_BASE = "base"
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


@dataclass(frozen=True)
class LoadedEnvironment:
    """An environment, and where its values come from."""

    environment: Environment
    sources: Sources


def environment_names(directory: Path) -> tuple[str, ...]:
    """Return the names of the environments whose files are in ``directory``, sorted.

    A file with a dot in its name, such as selection.lock.yaml, is no environment.
    """
    names = (path.stem for path in directory.glob("*.yaml"))
    return tuple(sorted(name for name in names if "." not in name and name != _BASE))


def load_environment(
    directory: Path, name: str, *, regions: Sequence[str] | None = None
) -> LoadedEnvironment:
    """Load ``base.yaml`` and ``<name>.yaml`` of a directory.

    Messages and positions name the files by the directory as given. ``regions`` are those that can be planned for;
    with None any region of the right form is accepted.

    Raises:
        ConfigError: Something is wrong; the error holds all faults of both files.
    """
    if file_faults := list(_file_faults(directory, name)):
        raise ConfigError(file_faults)
    files = {layer: _shown(directory, layer) for layer in (_BASE, name)}
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
    merged, _ = merge_layers(written, _name_layer(name, files[name]))
    # The first fault of a value stands: what else is said of a secret would repeat it.
    known = {fault.key_path for fault in faults}
    if regions is not None:
        faults += [fault for fault in _region_faults(merged, regions) if fault.key_path not in known]
    try:
        # JSON, because strict validation takes lists for tuples and texts for enumerations from JSON only. Strict:
        # "12" is no number and 1 is no truth value, here as in the JSON Schema.
        environment = Environment.model_validate_json(json.dumps(merged.plain()), strict=True)
        faults += _rule_faults(environment, merged)
    except ValidationError as error:
        known = {fault.key_path for fault in faults}
        more = model_faults(error, merged, files[name])
        faults += [fault for fault in more if fault.key_path not in known]
    if faults:
        raise ConfigError(faults)
    return LoadedEnvironment(environment, Sources(merged))


def _name_layer(name: str, file: str) -> Node:
    top = Position(file, 1, 1)
    return Node({"name": Node(name, top)}, top)


def _shown(directory: Path, layer: str) -> str:
    return (directory / f"{layer}.yaml").as_posix()


def _file_faults(directory: Path, name: str) -> Iterator[Fault]:
    if not directory.is_dir():
        message = "this is a file, not a directory" if directory.exists() else "there is no such directory"
        hint = f"a configuration is a directory with {_BASE}.yaml and a file for each environment"
        yield Fault(directory.as_posix(), None, None, (), None, message, hint=hint)
        return
    names = environment_names(directory)
    if name not in names:
        yield _unknown_environment(directory, name, names)
    if not (directory / f"{_BASE}.yaml").is_file():
        hint = "it describes what all environments share: platform, network, workloads"
        yield Fault(_shown(directory, _BASE), None, None, (), None, "the file is missing", hint=hint)


def _unknown_environment(directory: Path, name: str, names: tuple[str, ...]) -> Fault:
    file, message = _shown(directory, name), f"there is no environment {json.dumps(name)}"
    # Of a path such as config/dev.yaml, the name of the file was meant.
    match = near_match(PurePosixPath(name).stem, names)
    hint = f"to add it, write {file} with what differs from {_BASE}.yaml"
    if name == _BASE:
        hint = f"{_BASE}.yaml holds what all environments share; it is no environment itself"
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
    path = ("policy", "region")
    node = merged.nearest(path)
    if not isinstance(node.value, str) or node.value in regions:
        return
    # Several, because one digit or letter is all that tells many regions apart.
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


def _name_faults(root: Node) -> Iterator[Fault]:
    if (node := root.child("name")) is not None:
        hint = "remove the key; rename the file to rename the environment"
        yield value_fault(
            node.position, ("name",), "the name of an environment is the name of its file", hint=hint
        )


def _rule_faults(environment: Environment, merged: Node) -> Iterator[Fault]:
    for path, reason in check_rules(environment):
        yield value_fault(merged.nearest(path).position, path, reason)
