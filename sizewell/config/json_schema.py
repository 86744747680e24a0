"""The JSON Schema of one configuration file, for editors: base and environment files are both partial.

``sizewell.planning.editor_schema`` makes it, and that of measurements.yaml, which is one whole file. The first differs from
the schema of a whole environment: nothing is required, because the other file may say it; ``null`` is allowed, because it
removes a key; the members of a union may overlap, because the key that tells them apart may stand in the other file; and each
member lets the keys of the others be removed, because the other file may have chosen another member.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from sizewell.config.base import CHOICES, SUGGESTIONS
from sizewell.config.kind import environment_model
from sizewell.config.measured_instance import MeasurementsFile
from sizewell.config.schema_places import JsonSchema

#: What the files of the schemas are called, one beside the other.
SCHEMA_NAME, MEASUREMENTS_SCHEMA_NAME = "schema.json", "measurements.schema.json"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"

_NULL = {"type": "null"}

#: Keywords that describe a value and do not restrict it.
_ANNOTATIONS = ("description", "default", "examples")


def layer_schema(names: Mapping[str, Sequence[str]]) -> JsonSchema:
    """Return the schema (draft 2020-12) of base.yaml and of any environment file.

    ``names`` are the lists of names that editors offer, by the name that the models mark their keys with.
    """
    whole = environment_model().model_json_schema()
    del whole["properties"]["name"]
    definitions = whole.pop("$defs")
    partial = {name: _partial(schema) for name, schema in sorted(definitions.items())}
    foreign: dict[str, set[str]] = defaultdict(set)
    for union in _unions([whole, definitions]):
        for own, other in permutations(union, 2):
            foreign[own] |= definitions[other]["properties"].keys() - definitions[own]["properties"].keys()
    for name, keys in foreign.items():
        # A pattern, because editors offer what stands under properties.
        partial[name]["patternProperties"] = {f"^({'|'.join(sorted(keys))})$": _NULL}
    lists = {name: {"type": "string", "enum": list(values)} for name, values in names.items()}
    return {
        "$schema": _DRAFT,
        **_with_names(_partial(whole)),
        "title": "Sizewell configuration file",
        "description": "base.yaml describes what environments share; an environment file, what differs in it.",
        "$defs": {**_with_names(partial), **lists},
    }


def measurements_schema_text() -> str:
    """Return the schema of measurements.yaml as the text of its file."""
    schema = {"$schema": _DRAFT, **MeasurementsFile.model_json_schema(), "title": "Sizewell measurements"}
    return as_text(schema)


def as_text(schema: JsonSchema) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _unions(part: Any) -> Iterator[list[str]]:
    """Yield the names of the members of each union of models in a schema."""
    if isinstance(part, dict):
        if "oneOf" in part:
            yield list(_members(part))
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from _unions(item)


def _members(union: JsonSchema) -> Iterator[str]:
    """Yield the names of the models of a union, and of a union in it."""
    for member in union["oneOf"]:
        if "oneOf" in member:
            yield from _members(member)
        else:
            yield member["$ref"].rsplit("/", 1)[-1]


def _partial(schema: JsonSchema) -> JsonSchema:
    """Return the schema of a part of a value: nothing required, each key removable."""
    left_out = ("required", "discriminator", "minProperties", "oneOf")
    partial = {key: value for key, value in schema.items() if key not in left_out}
    if members := schema.get("oneOf", schema.get("anyOf")):
        partial["anyOf"] = [one for member in members for one in _alternatives(_partial(member))]
    if "properties" in schema:
        partial["properties"] = {key: _removable(value) for key, value in schema["properties"].items()}
    if "patternProperties" in schema:
        partial["patternProperties"] = {
            key: _removable(value) for key, value in schema["patternProperties"].items()
        }
        partial["additionalProperties"] = False
    elif isinstance(schema.get("additionalProperties"), dict):
        partial["additionalProperties"] = _removable(schema["additionalProperties"])
    return partial


def _removable(schema: JsonSchema) -> JsonSchema:
    """Return the schema of a value that may be null. Titles repeat the key, and are dropped."""
    rest = _partial({key: value for key, value in schema.items() if key not in (*_ANNOTATIONS, "title")})
    alternatives = _alternatives(rest)
    notes = {key: schema[key] for key in _ANNOTATIONS if key in schema}
    return {**notes, "anyOf": [*(member for member in alternatives if member != _NULL), _NULL]}


def _alternatives(schema: JsonSchema) -> list[JsonSchema]:
    return schema["anyOf"] if set(schema) == {"anyOf"} else [schema]


def _with_names(part: Any) -> Any:
    """Return a schema in which marks are replaced by references to their lists of names."""
    if isinstance(part, list):
        return [_with_names(item) for item in part]
    if not isinstance(part, dict):
        return part
    if CHOICES in part:
        return {"$ref": f"#/$defs/{part[CHOICES]}"}
    if SUGGESTIONS in part:
        others = {key: value for key, value in part.items() if key != SUGGESTIONS}
        return {"anyOf": [{"$ref": f"#/$defs/{part[SUGGESTIONS]}"}, others]}
    return {key: _with_names(value) for key, value in part.items()}
