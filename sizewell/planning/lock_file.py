"""``selection.lock.yaml``: the lock as a file beside the configuration, as every plan reads it; the command writes it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails, to_json

from sizewell.config import ConfigError, Fault
from sizewell.config.faults import near_match, show_value, value_fault
from sizewell.config.files import is_there, read_text
from sizewell.config.tree import Node, Position
from sizewell.config.yaml_source import read_yaml
from sizewell.planning.lock import LockedEnvironment, LockedWorkload, LockModel, SelectionLock
from sizewell.planning.lock_text import lock_from_own_text

LOCK_FILE_NAME = "selection.lock.yaml"
_MEND = (
    "the file is generated: take it back from version control (after a merge, either side), or delete it; "
    "then run: sizewell lock"
)
#: The model of the values at each depth of a key path: the file, an environment, a workload.
_MODELS: dict[int, type[LockModel]] = {0: SelectionLock, 2: LockedEnvironment, 4: LockedWorkload}


def lock_path(directory: Path) -> Path:
    """Return the lock file of a configuration directory."""
    return directory / LOCK_FILE_NAME


@dataclass(frozen=True)
class LockFile:
    """The lock, and where its values are written."""

    lock: SelectionLock
    path: Path

    @cached_property
    def _root(self) -> Node:
        return _read_nodes(self.path)

    def locate(self, path: Sequence[str]) -> Position:
        """Return where a key path stands; for what is not written, the nearest map around it."""
        return self._root.nearest(path).position


def read_lock_file(directory: Path) -> LockFile | None:
    """Return the lock file of a configuration directory; None when it has none.

    Raises ``ConfigError`` with everything that is wrong with the file.
    """
    path = lock_path(directory)
    if not is_there(path):
        return None
    if own := _read_own(path):
        return LockFile(own, path)
    root = _read_nodes(path)
    try:
        return LockFile(SelectionLock.model_validate_json(to_json(root.plain()), strict=True), path)
    except ValidationError as error:
        raise ConfigError(_faults(error, root)) from None


def _read_own(path: Path) -> SelectionLock | None:
    """Return a lock that is byte for byte as it was written: no YAML parser is needed, which is ten times faster."""
    try:
        return lock_from_own_text(read_text(path, path.as_posix()))
    except ConfigError:
        return None


def _read_nodes(path: Path) -> Node:
    root, faults = read_yaml(path, path.as_posix())
    if root is None or faults:
        raise ConfigError(replace(fault, hint=_MEND) for fault in faults)
    return root


def _faults(error: ValidationError, root: Node) -> Iterator[Fault]:
    for details in error.errors(include_url=False):
        path = tuple(str(part) for part in details["loc"])
        yield _fault(details, path, root)


def _fault(details: ErrorDetails, path: tuple[str, ...], root: Node) -> Fault:
    position = root.nearest(path).position
    if path == ("schema_version",) and details["type"] == "literal_error":
        hint = "upgrade Sizewell, or delete the file and run: sizewell lock"
        message = "this version of Sizewell reads schema_version 1"
        return value_fault(position, path, message, value=show_value(details["input"]), hint=hint)
    if details["type"] == "extra_forbidden":
        allowed = tuple(_MODELS[len(path) - 1].model_fields)
        match = near_match(path[-1], allowed)
        hint = f"did you mean {match}? {_MEND}" if match else _MEND
        return value_fault(position, path, "unknown key; allowed here", allowed=allowed, hint=hint)
    if details["type"] == "missing":
        return value_fault(position, path, "is missing", hint=_MEND)
    message = details["msg"][0].lower() + details["msg"][1:]
    value = None if details["type"] == "pools" else show_value(details["input"])
    return value_fault(position, path, message, value=value, hint=_MEND)
