"""An editor, and a reader of the JSON, is told of every key what it means."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sizewell.planning.editor_schema import editor_schema_files
from sizewell.review.rendering import review_schema_text

SCHEMAS = {**editor_schema_files(), "review.schema.json": review_schema_text()}


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, model in {"": schema, **schema.get("$defs", {})}.items():
        for key, value in model.get("properties", {}).items():
            yield f"{name}.{key}", value


@pytest.mark.parametrize("file", SCHEMAS)
def test_every_property_has_a_description_of_one_line(file: str) -> None:
    found = dict(properties(json.loads(SCHEMAS[file])))
    assert found
    wrong = [
        place
        for place, value in found.items()
        if not (text := value.get("description", "")).endswith(".") or "\n" in text
    ]
    assert wrong == []
