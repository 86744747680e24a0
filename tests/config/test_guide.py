"""The guide says what the models say: every key with its default, and examples that come out as shown."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sizewell.config.merge import merge_layers
from sizewell.config.schema_places import environment_schema, resolve
from sizewell.config.schema_words import allowed_values, expected_words
from sizewell.config.yaml_source import parse_yaml

#: By key: its default, its allowed values, and for a number its bounds in words.
Table = dict[str, tuple[str, frozenset[str]]]


@pytest.fixture
def guide(project_root: Path) -> str:
    return (project_root / "docs" / "guides" / "configuration.md").read_text("utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)


def default_of(schema: Any, key: str) -> str:
    default = schema["properties"][key].get("default")
    if key in schema.get("required", ()):
        return "required"
    return "" if default is None or isinstance(default, dict) else f"`{json.dumps(default)}`"


def members(schema: Any) -> Iterator[Any]:
    """Yield the models of a union, and of a union in it; a model is its only member."""
    for member in map(resolve, schema.get("oneOf", [schema])):
        if "oneOf" in member:
            yield from members(member)
        else:
            yield member


def bounds_of(schema: Any) -> list[str]:
    number = resolve(schema).get("type") in ("integer", "number")
    return [expected_words(schema)] if number else []


def tables_of_the_models() -> dict[str, Table]:
    tables: dict[str, dict[str, tuple[str, set[str]]]] = defaultdict(dict)

    def visit(schema: Any, path: str) -> None:
        schema = resolve(schema)
        for member in members(schema):
            for key, value in member.get("properties", {}).items():
                row = tables[path].setdefault(key, (default_of(member, key), set()))
                row[1].update(allowed_values(value) or bounds_of(value))
                visit(value, f"{path}.{key}".strip("."))
            for value in member.get("patternProperties", {}).values():
                visit(value, f"{path}.<name>")

    visit(environment_schema(), "")
    del tables[""]["name"]
    same = ("images.neuron", "images.cpu_x86_64", "images.cpu_arm64")
    return {
        path: {key: (default, frozenset(values)) for key, (default, values) in rows.items()}
        for path, rows in tables.items()
        if not path.endswith(same)
    }


def values_of(cell: str) -> list[str]:
    return [cell] if cell.startswith(("a number", "a whole number")) else re.findall(r"`(.*?)`", cell)


def tables_of_the_guide(guide: str) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for section in guide.partition("## All keys")[2].split("\n### ")[1:]:
        title = section.partition("\n")[0]
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| .+ \|$", section, re.MULTILINE)
        tables["" if title == "The top level" else title.strip("`")] = {
            key: (
                default,
                frozenset() if value.startswith("a list") else frozenset(values_of(value)),
            )
            for key, value, default in rows
        }
    return tables


def test_guide_lists_every_key_with_its_default_and_values(guide: str) -> None:
    assert tables_of_the_guide(guide) == tables_of_the_models()


def test_example_merges_as_shown(guide: str) -> None:
    base, overlay, result = (parse_yaml(block, "f.yaml")[0] for block in blocks(guide, "yaml")[:3])
    assert base is not None
    assert overlay is not None
    assert result is not None
    merged, faults = merge_layers(base, overlay)
    assert faults == []
    assert merged.plain() == result.plain()


def test_example_of_mistakes_gives_the_messages_shown(guide: str, message_for: Callable[[str], str]) -> None:
    (mistakes,) = [block for block in blocks(guide, "yaml") if "mistakes" in block]
    (messages,) = blocks(guide, "text")
    assert message_for(mistakes) + "\n" == messages
