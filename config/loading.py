"""Loading one environment: base and environment file, merged, checked, and frozen."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from config.environment import Environment
from config.faults import ConfigError, Fault, near_match, value_fault
from config.merge import merge_layers
from config.model_faults import model_faults
from config.rules import check_rules
from config.secrets_check import check_secrets
from config.tree import Node, Position
from config.yaml_source import read_yaml

_BASE = "base"


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


def load_environment(directory: Path, name: str) -> LoadedEnvironment:
    """Load ``base.yaml`` and ``<name>.yaml`` of a directory.

    Messages and positions name the files by the directory as given when it is relative, and by its last part when
    it is absolute: they say the same on every machine.

    Raises:
        ConfigError: Something is wrong; the error holds all faults of both files.
    """
    shown = directory.name if directory.is_absolute() else directory.as_posix()
    files = {layer: f"{shown}/{layer}.yaml" for layer in (_BASE, name)}
    if file_faults := list(_file_faults(directory, name, files)):
        raise ConfigError(file_faults)
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
    try:
        # JSON, because strict validation takes lists for tuples and texts for enumerations from JSON only. Strict:
        # "12" is no number and 1 is no truth value, here as in the JSON Schema.
        environment = Environment.model_validate_json(json.dumps(merged.plain()), strict=True)
        faults += _rule_faults(environment, merged)
    except ValidationError as error:
        # The first fault of a value stands: what pydantic says of a secret would repeat it.
        known = {fault.key_path for fault in faults}
        more = model_faults(error, merged, files[name])
        faults += [fault for fault in more if fault.key_path not in known]
    if faults:
        raise ConfigError(faults)
    return LoadedEnvironment(environment, Sources(merged))


def _name_layer(name: str, file: str) -> Node:
    top = Position(file, 1, 1)
    return Node({"name": Node(name, top)}, top)


def _file_faults(directory: Path, name: str, files: dict[str, str]) -> Iterator[Fault]:
    names = environment_names(directory)
    if name not in names:
        match = near_match(name, names)
        yield Fault(
            files[name],
            None,
            None,
            (),
            None,
            f'there is no environment "{name}"; environments with a file'
            if names
            else "there is no environment file",
            names,
            f"did you mean {match}?"
            if match
            else f"to add it, write {files[name]} with what differs from base.yaml",
        )
    if not (directory / f"{_BASE}.yaml").is_file():
        hint = "it describes what all environments share: platform, network, workloads"
        yield Fault(files[_BASE], None, None, (), None, "the file is missing", hint=hint)


def _name_faults(root: Node) -> Iterator[Fault]:
    if (node := root.child("name")) is not None:
        hint = "remove the key; rename the file to rename the environment"
        yield value_fault(
            node.position, ("name",), "the name of an environment is the name of its file", hint=hint
        )


def _rule_faults(environment: Environment, merged: Node) -> Iterator[Fault]:
    for path, reason in check_rules(environment):
        yield value_fault(merged.nearest(path).position, path, reason)
