"""The name under which AWS knows a resource, where the template fixes it."""

from functools import cache
from typing import Any

from sizewell.templates.resource_schemas import PropertyPath, resource_schema
from sizewell.templates.template import Resource


@cache
def name_properties(resource_type: str) -> tuple[PropertyPath, ...]:
    """Return the properties that together name a resource of a type; empty where AWS makes up its identity.

    That is the schema's ``primaryIdentifier``; where it is an ARN or an id, the name that is create-only beside it
    (``Name``, ``TopicName``), because it is unique as well.
    """
    schema = resource_schema(resource_type)
    if schema is None:
        return ()
    made_up = {path[0] for path in schema.read_only}
    if schema.identifier and not any(path[0] in made_up for path in schema.identifier):
        return schema.identifier
    own = ("Name", f"{resource_type.rpartition('::')[2]}Name")
    return tuple(path for path in schema.create_only if len(path) == 1 and path[0] in own)


def identity_of(resource: Resource) -> tuple[str, ...]:
    """Return the fixed name of a resource, in as many parts as its type has; empty where CloudFormation makes it up."""
    parts = [_at(resource.properties, path) for path in name_properties(resource.resource_type)]
    return tuple(parts) if all(isinstance(part, str) and part for part in parts) else ()


def _at(value: Any, path: PropertyPath) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
