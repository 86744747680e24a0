"""What a value must be, in plain words made from its JSON Schema."""

from sizewell.config.schema_places import JsonSchema, resolve

_NUMBER_BOUNDS = {
    "exclusiveMinimum": "above",
    "minimum": "at least",
    "exclusiveMaximum": "below",
    "maximum": "at most",
}


def expected_words(schema: JsonSchema) -> str:
    """Return for example "a number above 0 and at most 60000", or "text such as us-east-1"."""
    schema = resolve(schema)
    if "anyOf" in schema:
        kinds = [member["type"] for member in schema["anyOf"]]
        words = [
            expected_words(member)
            for member in schema["anyOf"]
            if member["type"] != "integer" or "number" not in kinds
        ]
        return f"{', '.join(words[:-1])} or {words[-1]}"
    kind = schema.get("type", "object")
    if kind in ("integer", "number"):
        bounds = [
            f"{word} {_number(schema[bound])}"
            for bound, word in _NUMBER_BOUNDS.items()
            if schema.get(bound) is not None
        ]
        of = "of " if bounds and bounds[0].startswith("at") else ""
        return f"a{' whole' if kind == 'integer' else ''} number {of}{' and '.join(bounds)}".strip()
    if kind == "string":
        return "text" + _length_words(schema, "minLength", "maxLength", "characters") + _form_words(schema)
    if kind == "boolean":
        return "true or false"
    if kind == "array":
        return "a list" + _length_words(schema, "minItems", "maxItems", "items")
    return "a map" + (_length_words(schema, "minProperties", "maxProperties", "keys") or " of keys")


def allowed_values(schema: JsonSchema) -> tuple[str, ...]:
    """Return the values of an enumeration; nothing for any other schema."""
    schema = resolve(schema)
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return tuple(str(value) for value in values)


def _number(value: float) -> str:
    return f"{value:,.12g}" if value == 0 or abs(value) >= 1e-4 else f"{value:.12f}".rstrip("0")


def _length_words(schema: JsonSchema, min_key: str, max_key: str, unit: str) -> str:
    if min_key in schema and schema[min_key] == schema.get(max_key) == 1:
        return f" of one {unit.rstrip('s')}"
    if min_key in schema and max_key in schema:
        return f" of {schema[min_key]} to {schema[max_key]} {unit}"
    if min_key in schema:
        return f" of at least {schema[min_key]} {unit if schema[min_key] > 1 else unit.rstrip('s')}"
    if max_key in schema:
        return f" of at most {schema[max_key]} {unit}"
    return ""


def _form_words(schema: JsonSchema) -> str:
    if schema.get("examples"):
        return f" such as {schema['examples'][0]}"
    return f" that matches {schema['pattern']}" if "pattern" in schema else ""
