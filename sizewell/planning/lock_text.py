"""Writing and reading the lock as YAML: one value a line, the same bytes for the same lock."""

import json
import re
from collections.abc import Iterator
from typing import Any

from sizewell.config.yaml_scalars import core_scalar
from sizewell.planning.lock import LockedWorkload, SelectionLock

_HEAD = """\
# Written by `sizewell lock`: commit it, and do not edit it. A workload keeps its instance type while that meets its
# needs and no other one saves enough.
"""
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
#: Texts that are written without quotes: words, and instance types. Digests and dates could be read as numbers.
_WORD = re.compile(r"[a-z][a-z_-]*|ml\.[a-z0-9.-]+")
_LINE = re.compile(r'( *)("[^"]*"|[^": ]+):(?: (.+))?')


def lock_text(lock: SelectionLock) -> str:
    """Return the text of the file, sorted by environment and workload."""
    return _HEAD + "\n".join(_lines(_sorted(lock.model_dump(mode="json")), "")) + "\n"


def lock_from_own_text(text: str) -> SelectionLock | None:
    """Return the lock whose text this is; None for any other text, be it valid YAML or not."""
    try:
        lock = SelectionLock.model_validate(_document(text.removeprefix(_HEAD)))
    except (ValueError, LookupError):
        return None
    return lock if lock_text(lock) == text else None


def _sorted(document: dict[str, Any]) -> dict[str, Any]:
    """Sort what has names, not the keys of a workload; leave out what its kind of workload does not have."""
    environments = {
        name: {
            **environment,
            "workloads": {
                workload: {
                    key: value
                    for key, value in locked.items()
                    if value is not None or LockedWorkload.model_fields[key].is_required()
                }
                for workload, locked in sorted(environment["workloads"].items())
            },
        }
        for name, environment in sorted(document["environments"].items())
    }
    return {**document, "environments": environments}


def _lines(value: dict[str, Any], indent: str) -> Iterator[str]:
    for key, item in value.items():
        start = f"{indent}{_scalar(key, _NAME)}:"
        if isinstance(item, dict) and item:
            yield start
            yield from _lines(item, indent + "  ")
        elif isinstance(item, list):
            yield f"{start} [{', '.join(_scalar(one, _WORD) for one in item)}]"
        else:
            yield f"{start} {_scalar(item, _WORD)}"


def _scalar(value: Any, plain: re.Pattern[str]) -> str:
    """Return a scalar as YAML: JSON, but for texts that need no quotes."""
    if isinstance(value, str) and plain.fullmatch(value) and core_scalar(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _document(body: str) -> dict[str, Any]:
    """Return the plain data of a text of that form; of any other text, it may be anything."""
    root: dict[str, Any] = {}
    maps = [root]
    for line in body.splitlines():
        if not (found := _LINE.fullmatch(line)):
            raise ValueError(line)
        depth, name, value = len(found[1]) // 2, _value(found[2]), found[3]
        del maps[depth + 1 :]
        maps[depth][name] = {} if value is None else _item(value)
        if value is None:
            maps.append(maps[depth][name])
    return root


def _item(text: str) -> Any:
    if text == "{}":
        return {}
    if text.startswith("["):
        return [_value(part) for part in text[1:-1].split(", ")]
    return _value(text)


def _value(text: str) -> Any:
    return json.loads(text) if text.startswith('"') else core_scalar(text)
