"""Where a key path leads in the JSON Schema of the models: to which keys, and to the schema of which value."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sizewell.config.kind import environment_model
from sizewell.config.tree import KeyPath
from sizewell.config.variant_names import is_of_variant

JsonSchema = dict[str, Any]


@lru_cache(maxsize=1)
def environment_schema() -> JsonSchema:
    """Return the JSON Schema of a whole environment, as pydantic makes it from the models."""
    return environment_model().model_json_schema()


@dataclass(frozen=True)
class Place:
    """A place in the models: its keys as the user writes them, and the schema of the value there.

    ``variant`` says which member of the last union on the way was taken, for example "mode existing".
    """

    path: KeyPath
    schema: JsonSchema
    variant: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are allowed here; none where the user chooses them."""
        return tuple(self.schema.get("properties", ()))


def place_of(location: tuple[int | str, ...]) -> Place:
    """Return the place of a pydantic error location, which names the members of unions beside the keys."""
    path, schema, variant = KeyPath(), resolve(environment_schema()), None
    for part in location:
        if part == "[key]":
            continue
        if "oneOf" in schema:
            discriminator = schema.get("discriminator", {})
            variant = f"{discriminator['propertyName']} {part}" if discriminator else None
            schema = resolve(_member(schema, part))
        elif "anyOf" not in schema:  # else a union of scalars, whose members are no keys
            path = (*path, str(part))
            schema = resolve(_value_schema(schema, str(part)))
    return Place(path, schema, variant)


def resolve(schema: JsonSchema) -> JsonSchema:
    """Return the schema with its reference followed and an alternative of null taken away."""
    if "$ref" in schema:
        target = environment_schema()["$defs"][_name(schema)]
        return resolve({**target, **{key: value for key, value in schema.items() if key != "$ref"}})
    members = [member for member in schema.get("anyOf", ()) if member != {"type": "null"}]
    if len(members) == 1:
        return resolve({**members[0], **{key: value for key, value in schema.items() if key != "anyOf"}})
    return schema


@dataclass(frozen=True)
class KeyPlace:
    """One place where a key is allowed, for example policy.region or workloads.<name>.model."""

    path: str
    schema: JsonSchema
    kind: str | None
    """The kind of workload that has it; None outside of workloads."""

    def takes(self, value: Any) -> bool:
        """Return whether a value has the form of what stands there: a map with a key of it, a text, a number."""
        schema = resolve(self.schema)
        members = [resolve(member) for member in schema.get("oneOf", [schema])]
        keys = {key for member in members for key in member.get("properties", ())}
        if keys or "oneOf" in schema:
            return isinstance(value, dict) and not keys.isdisjoint(value)
        if choices := schema.get("enum", [schema["const"]] if "const" in schema else []):
            return value in choices
        form = _FORMS.get(schema.get("type", "object"), dict)
        return isinstance(value, form) and (form is bool or not isinstance(value, bool))


_FORMS: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "string": str,
}


@lru_cache(maxsize=1)
def key_places() -> dict[str, tuple[KeyPlace, ...]]:
    """Return for every key of the models where it stands."""
    found: dict[str, dict[tuple[str, str | None], KeyPlace]] = defaultdict(dict)

    def visit(schema: JsonSchema, path: str, kind: str | None) -> None:
        schema = resolve(schema)
        properties = schema.get("properties", {})
        kind = properties.get("kind", {}).get("const", kind)
        for key, value in properties.items():
            found[key].setdefault((f"{path}{key}", kind), KeyPlace(f"{path}{key}", value, kind))
            visit(value, f"{path}{key}.", kind)
        for value in schema.get("oneOf", ()):
            visit(value, path, kind)
        for value in schema.get("patternProperties", {}).values():
            visit(value, f"{path}<name>.", kind)

    visit(environment_schema(), "", None)
    del found["name"]  # it is the name of the file
    return {key: _first(places.values()) for key, places in found.items()}


def _first(places: Collection[KeyPlace]) -> tuple[KeyPlace, ...]:
    """Return the places of a key without those in variants, where it stands in their endpoint, too."""
    return tuple(one for one in places if not is_of_variant((*one.path.split("."),))) or tuple(places)


def _member(union: JsonSchema, tag: int | str) -> JsonSchema:
    """Return the member of a union that a tag names; a union in the union has no name."""
    if "discriminator" in union:
        return {"$ref": union["discriminator"]["mapping"][tag]}
    members = {_name(member) if "$ref" in member else None: member for member in union["oneOf"]}
    return dict(members.get(str(tag)) or members[None])


def _name(schema: JsonSchema) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _value_schema(schema: JsonSchema, key: str) -> JsonSchema:
    if "properties" in schema:
        return dict(schema["properties"].get(key, {}))
    for choice in (schema.get("patternProperties"), {"": schema.get("additionalProperties")}):
        for value in (choice or {}).values():
            if isinstance(value, dict):
                return value
    return dict(schema.get("items", {}))
