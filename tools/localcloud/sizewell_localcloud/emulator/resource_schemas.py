"""CloudFormation's own resource schemas: what a property may be, and which properties can only be set at creation.

cfn-lint ships the schemas that AWS publishes, for each region. Messages follow those of CloudFormation:
"Properties validation failed for resource X with message: #: extraneous key [Y] is not permitted".
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import cfnlint
import jsonschema
import jsonschema.validators
from ministack.core.responses import get_region

_SCHEMAS = Path(cfnlint.__file__).parent / "data" / "schemas"
Schema = dict[str, Any]
Properties = dict[str, Any]


@cache
def _schema_files(region: str) -> dict[str, str]:
    path = _SCHEMAS / "providers" / f"{region}.json"
    files: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return files


@cache
def schema_of(resource_type: str, region: str) -> Schema | None:
    """Return the schema of a type in a region; None where AWS publishes none."""
    name = _schema_files(region).get(resource_type)
    if name is None:
        return None
    schema: Schema = _without_foreign_patterns(
        json.loads((_SCHEMAS / "resources" / f"{name}.json").read_text("utf-8"))
    )
    return schema


def _without_foreign_patterns(node: Any) -> Any:
    """Drop patterns in the dialects of Java and ECMA that Python cannot read; as names of properties they admit all."""
    if isinstance(node, list):
        return [_without_foreign_patterns(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        k: _without_foreign_patterns(v) for k, v in node.items() if not (k == "pattern" and not _readable(v))
    }
    names = kept.get("patternProperties")
    if isinstance(names, dict):
        kept["patternProperties"] = {
            (name if _readable(name) else ".*"): value for name, value in names.items()
        }
    return kept


def _readable(pattern: Any) -> bool:
    if not isinstance(pattern, str):
        return True  # a property that is called pattern
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _required_xor(_: Any, names: list[str], instance: Any, schema: Schema) -> Iterator[Any]:
    if isinstance(instance, dict) and sum(name in instance for name in names) != 1:
        yield jsonschema.ValidationError(f"exactly one of {names} is required")


def _required_or(_: Any, names: list[str], instance: Any, schema: Schema) -> Iterator[Any]:
    if isinstance(instance, dict) and not any(name in instance for name in names):
        yield jsonschema.ValidationError(f"one of {names} is required")


def _dependent_excluded(
    _: Any, excluded: dict[str, list[str]], instance: Any, schema: Schema
) -> Iterator[Any]:
    for name, others in excluded.items():
        found = sorted(set(others) & set(instance)) if isinstance(instance, dict) and name in instance else []
        if found:
            yield jsonschema.ValidationError(f"{name} excludes {found}")


def _dependent_required(
    _: Any, required: dict[str, list[str]], instance: Any, schema: Schema
) -> Iterator[Any]:
    for name, others in required.items():
        missing = (
            sorted(set(others) - set(instance)) if isinstance(instance, dict) and name in instance else []
        )
        if missing:
            yield jsonschema.ValidationError(f"{name} requires {missing}")


#: What of a schema judges properties; the rest describes the type.
_JUDGING = (
    *(
        "definitions",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "if",
        "then",
        "else",
    ),
    *("requiredXor", "requiredOr", "dependentExcluded", "dependentRequired"),
)
#: cfn-lint's schemas say with words of their own what AWS's say in prose.
Validator = jsonschema.validators.extend(
    jsonschema.Draft7Validator,
    {
        "requiredXor": _required_xor,
        "requiredOr": _required_or,
        "dependentExcluded": _dependent_excluded,
        "dependentRequired": _dependent_required,
    },
)


def create_only(resource_type: str, region: str) -> frozenset[str]:
    """Return the top-level properties whose change replaces the resource."""
    schema = schema_of(resource_type, region) or {}
    paths = (path.removeprefix("/properties/") for path in schema.get("createOnlyProperties") or [])
    return frozenset(path for path in paths if "/" not in path)


def known_types(region: str) -> frozenset[str]:
    """Return the types that CloudFormation has in a region."""
    return frozenset(_schema_files(region))


def check_properties(resource_type: str, logical_id: str, properties: dict[str, Any]) -> None:
    """Refuse properties that the schema does not allow. Raises ValueError as CloudFormation words it."""
    schema = schema_of(resource_type, get_region())
    if schema is None:
        if resource_type in known_types("us-east-1"):
            raise ValueError(f"{resource_type} is not available in the region {get_region()}")
        return
    # CloudFormation adds tags of its own, which the schemas do not admit.
    given = {
        key: _without_system_tags(value) if key.endswith("Tags") else value
        for key, value in properties.items()
    }
    given = {key: value for key, value in given.items() if value or value == properties[key]}
    faults = [*_read_only_faults(schema, given), *_schema_faults(schema, _converted(given, schema, schema))]
    if faults:
        raise ValueError(
            f"Properties validation failed for resource {logical_id} with message:\n"
            + "\n".join(sorted(set(faults)))
        )


def _without_system_tags(tags: Any) -> Any:
    if isinstance(tags, list):
        return [tag for tag in tags if not str(tag.get("Key", "")).startswith("aws:")]
    return {k: v for k, v in tags.items() if not k.startswith("aws:")} if isinstance(tags, dict) else tags


def _read_only_faults(schema: Schema, properties: dict[str, Any]) -> Iterator[str]:
    for path in schema.get("readOnlyProperties") or []:
        name = path.removeprefix("/properties/")
        if name in properties:
            yield f"#: Encountered unsupported property {name}: it is read-only"


def _schema_faults(schema: Schema, properties: dict[str, Any]) -> Iterator[str]:
    body: Schema = {"type": "object"} | {part: schema[part] for part in _JUDGING if part in schema}
    for error in Validator(body).iter_errors(properties):
        yield from _worded(error)


def _worded(error: jsonschema.ValidationError) -> Iterator[str]:
    where = "#" + "".join(f"/{part}" for part in error.absolute_path)
    if error.validator == "additionalProperties":
        given: dict[str, Any] = error.instance
        allowed: dict[str, Any] = error.schema.get("properties", {})
        for name in sorted(set(given) - set(allowed)):
            yield f"{where}: extraneous key [{name}] is not permitted"
    elif error.validator == "required":
        yield f"{where}: {error.message.replace(' is a required property', '')} is required"
    elif error.validator == "enum":
        yield f"{where}: {error.instance} is not a valid enum value"
    else:
        yield f"{where}: failed validation constraint for keyword [{error.validator}]: {str(error.message)[:200]}"


def _converted(value: Any, node: Any, root: Schema) -> Any:
    """Read strings as the numbers and truth values that the schema asks for: templates may write either."""
    while isinstance(node, dict) and "$ref" in node:
        node = root["definitions"][node["$ref"].rpartition("/")[2]]
    if not isinstance(node, dict):
        return value
    if isinstance(value, dict):
        members = node.get("properties") or {}
        return {key: _converted(item, members.get(key), root) for key, item in value.items()}
    if isinstance(value, list):
        return [_converted(item, node.get("items"), root) for item in value]
    kinds = node.get("type")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds or [])
    if isinstance(value, str) and "string" not in kinds:
        if "boolean" in kinds and value.lower() in {"true", "false"}:
            return value.lower() == "true"
        if {"integer", "number"} & set(kinds) and re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", value):
            return float(value) if "." in value or "e" in value.lower() else int(value)
    elif kinds == ["string"] and not isinstance(value, str):
        return ("true" if value else "false") if isinstance(value, bool) else str(value)
    return value


def converted(resource_type: str, properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties with numbers and truth values in the types of the schema."""
    schema = schema_of(resource_type, get_region())
    if schema is None:
        return properties
    result: dict[str, Any] = _converted(properties, schema, schema)
    return result
