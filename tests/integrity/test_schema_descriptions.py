"""An editor, and a reader of the JSON, is told of every key what it means."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SCHEMAS = ("config/schema.json", "config/measurements.schema.json", "review/review.schema.json")


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, model in {"": schema, **schema.get("$defs", {})}.items():
        for key, value in model.get("properties", {}).items():
            yield f"{name}.{key}", value


@pytest.mark.parametrize("file", SCHEMAS)
def test_every_property_has_a_description_of_one_line(file: str, project_root: Path) -> None:
    found = dict(properties(json.loads((project_root / "sizewell" / file).read_text("utf-8"))))
    assert found
    wrong = [
        place
        for place, value in found.items()
        if not (text := value.get("description", "")).endswith(".") or "\n" in text
    ]
    assert wrong == []
