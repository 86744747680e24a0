"""Changes of synthesized templates as data: what ``tools/benchmarks/data/consequences/*.yaml`` says of each case.

An edit is ``set``, ``unset``, ``remove``, ``add``, ``add_base`` (on both sides, before the change), ``base_top`` (a section, on
both sides) or ``replace`` (a text inside of the strings of a value). It chooses a resource by its type and a part of its path or
logical id, and a property by a dotted path; the longest key that fits is taken, for keys with dots in them.
"""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
CASES = Path(__file__).parents[1] / "data" / "consequences"
_BEFORE = ("add_base", "base_top")


class EditError(Exception):
    """An edit that cannot be made: it chooses no resource or several, or changes nothing."""


@dataclass
class Side:
    """The templates of an output, by stack, and the construct paths of their resources."""

    templates: dict[str, Json]
    paths: Mapping[tuple[str, str], str]

    def find(self, selector: Mapping[str, str]) -> tuple[str, str]:
        """Return stack and logical id of the only resource that a selector chooses. Raises ``EditError``."""
        found = [
            (stack, logical_id)
            for stack, template in self.templates.items()
            for logical_id, resource in template["Resources"].items()
            if resource["Type"] == selector["type"]
            and (
                selector["path"] in self.paths.get((stack, logical_id), "") or selector["path"] in logical_id
            )
        ]
        if len(found) != 1:
            raise EditError(f"{selector['type']} {selector['path']} chooses {len(found)} resources")
        return found[0]

    def copy(self) -> "Side":
        """Return a side that may be changed by itself."""
        return Side(copy.deepcopy(self.templates), self.paths)


@dataclass(frozen=True)
class Case:
    """A change, and its consequence on AWS, written down before any review of it was run."""

    name: str
    base: str
    """An output: the name of an example or of ``demo``, and the environment."""
    edits: tuple[Mapping[str, Any], ...]
    harm: str
    effect: str
    level: str
    resource: Mapping[str, str]
    money: str
    why: str
    theme: str = field(default="")
    """The file that it stands in."""


def read_cases(directory: Path = CASES) -> Iterator[Case]:
    """Yield all cases, by file."""
    for path in sorted(directory.glob("*.yaml")):
        for written in yaml.safe_load(path.read_text("utf-8")):
            yield Case(**{**written, "edits": tuple(written["edits"])}, theme=path.stem)


def read_side(output: Path) -> Side:
    """Return the templates of an output."""
    templates, paths = {}, {}
    for path in sorted(output.glob("*.template.json")):
        stack = path.name.removesuffix(".template.json")
        templates[stack] = json.loads(path.read_text("utf-8"))
        for logical_id, resource in templates[stack]["Resources"].items():
            paths[stack, logical_id] = resource.get("Metadata", {}).get("aws:cdk:path", "")
    return Side(templates, paths)


def changed(case: Case, side: Side) -> tuple[Side, Side]:
    """Return what a case starts from, and what it makes of it. Raises ``EditError``."""
    base = side.copy()
    edits = [(kind, edit) for written in case.edits for kind, edit in written.items()]
    for kind, edit in edits:
        if kind in _BEFORE:
            _apply(base, kind, edit)
    head = base.copy()
    for kind, edit in edits:
        if kind not in _BEFORE:
            _apply(head, kind, edit)
    if json.dumps(base.templates) == json.dumps(head.templates):
        raise EditError(f"{case.name}: nothing changes")
    return base, head


def _apply(side: Side, kind: str, edit: Mapping[str, Any]) -> None:
    if kind in ("add", "add_base"):
        side.templates[edit["stack"]]["Resources"][edit["id"]] = copy.deepcopy(edit["resource"])
        return
    if "top" in edit:
        root, path = side.templates[edit["stack"]], edit["top"]
    else:
        stack, logical_id = side.find(edit)
        resource = side.templates[stack]["Resources"][logical_id]
        if kind == "remove":
            _remove(side.templates[stack]["Resources"], logical_id)
            return
        root = resource if "attribute" in edit else resource.setdefault("Properties", {})
        path = edit.get("attribute") or edit["property"]
    container, key = _place(root, path.split("."))
    if kind == "unset":
        del container[key]
    elif kind == "replace":
        container[key] = _with_text(container[key], edit["old"], edit["new"])
    elif isinstance(container, list) and key == len(container):
        container.append(copy.deepcopy(edit["to"]))
    else:
        container[key] = copy.deepcopy(edit["to"])


def _remove(resources: Json, logical_id: str) -> None:
    del resources[logical_id]
    for resource in resources.values():
        needed = resource.get("DependsOn", [])
        left = [name for name in ([needed] if isinstance(needed, str) else needed) if name != logical_id]
        resource.pop("DependsOn", None)
        if left:
            resource["DependsOn"] = left


def _place(value: Any, names: list[str]) -> tuple[Any, Any]:
    """Return the container of a path, and its key there; maps on the way are made."""
    if isinstance(value, list):
        key: Any = int(names[0])
        rest = names[1:]
    else:
        lengths = (n for n in range(len(names), 0, -1) if ".".join(names[:n]) in value)
        length = next(lengths, 1)
        key, rest = ".".join(names[:length]), names[length:]
    if not rest:
        return value, key
    if isinstance(value, dict):
        value.setdefault(key, {})
    return _place(value[key], rest)


def _with_text(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_with_text(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key: _with_text(item, old, new) for key, item in value.items()}
    return value
