"""Two sets of properties in one form, and where they differ.

Only what AWS itself does not keep is evened out: the order of what is a set to the service, one value or a list of one
in policies, and tags as pairs or as a map.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tests.integration.readers.common import Properties, user_tags


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


POLICIES = {"AssumeRolePolicyDocument", "KeyPolicy", "PolicyDocument"}
SETS = {
    "AlarmActions",
    "Dimensions",
    "InsufficientDataActions",
    "ManagedPolicyArns",
    "OKActions",
    "Policies",
    "RouteTableIds",
    "SecurityGroupEgress",
    "SecurityGroupIds",
    "SecurityGroupIngress",
    "SubnetIds",
    "Subnets",
}
#: Lifecycle rules are known by their ids, and S3 keeps no order among them.
SETS_IN = {"LifecycleConfiguration": "Rules"}
#: Stands for a value that is not there; one object, so that no value of a service is taken for it.
MISSING: Any = _Missing()


def comparable(properties: Properties) -> Properties:
    """Return the properties in the form in which they are compared."""
    return {name: _comparable(name, value) for name, value in _substituted(properties).items()}


def _substituted(properties: Properties) -> Properties:
    """Replace placeholders of a state machine's definition as the service does: by bare text."""
    definition = properties.get("DefinitionString")
    if not isinstance(definition, str):
        return properties
    for name, value in properties.get("DefinitionSubstitutions", {}).items():
        definition = definition.replace(f"${{{name}}}", value)
    rest = {name: value for name, value in properties.items() if name != "DefinitionSubstitutions"}
    return {**rest, "DefinitionString": json.loads(definition)}


def _comparable(name: str, value: Any) -> Any:
    if name == "Tags" and _are_tags(value):
        return user_tags(value)
    if name in POLICIES:
        return statements_of(value)
    if name == "DefinitionString":
        return value
    if isinstance(value, dict):
        inner = {key: _comparable(key, item) for key, item in value.items()}
        if name in SETS_IN:
            inner[SETS_IN[name]] = ordered(inner.get(SETS_IN[name], []))
        return inner
    if isinstance(value, list):
        items = [_comparable("", item) for item in value]
        return ordered(items) if name in SETS else items
    return value


def _are_tags(value: Any) -> bool:
    return isinstance(value, dict) or all(isinstance(tag, dict) and len(tag) == 2 for tag in value)


def ordered(items: Iterable[Any]) -> list[Any]:
    """Return items in an order that depends on nothing but them."""
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def statements_of(document: Properties) -> list[Properties]:
    """Return the statements of a policy, each with lists in order, in an order of their own."""
    statements = document["Statement"]
    return ordered(
        [
            {key: _listed(value) for key, value in statement.items()}
            for statement in (statements if isinstance(statements, list) else [statements])
        ]
    )


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return sorted(value) if isinstance(value, list) else [value]


def differences(declared: Any, found: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield path, declared and found value wherever something declared is not found; the rest of what is found is not looked at.

    The items of a list have the path of the list.
    """
    if isinstance(declared, dict) and isinstance(found, dict):
        for name, value in declared.items():
            inner = f"{path}.{name}" if path else name
            yield from differences(value, found.get(name, MISSING), inner)
    elif isinstance(declared, list) and isinstance(found, list) and len(declared) == len(found):
        for one, other in zip(declared, found, strict=True):
            yield from differences(one, other, path)
    elif declared != found:
        yield path, declared, found


def at(properties: Any, path: str) -> Any:
    """Return the value at a path of member names, ``MISSING`` where there is none."""
    for name in path.split("."):
        if not isinstance(properties, dict) or name not in properties:
            return MISSING
        properties = properties[name]
    return properties


def with_value(properties: Properties, path: str, value: Any) -> Properties:
    """Return the properties with another value at a path, or with none where the value is ``MISSING``."""
    name, _, rest = path.partition(".")
    inner = with_value(properties.get(name, {}), rest, value) if rest else value
    changed = {**properties, name: inner}
    return {key: item for key, item in changed.items() if item is not MISSING}
