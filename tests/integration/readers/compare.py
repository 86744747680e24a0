"""What templates declare against what services show: both in one form, and where they differ.

Only what AWS itself does not keep is evened out: the order of what is a set to the service, one value or a list of one
in policies, tags as pairs or as a map, the first letters of members, JSON as text, and empty values.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.integration.harness import Deployment
from tests.integration.losses import is_known
from tests.integration.readers import READERS, Properties
from tests.integration.readers.reading import read, user_tags


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


POLICIES = {"AssumeRolePolicyDocument", "KeyPolicy", "Policy", "PolicyDocument"}
#: Documents that are compared as they stand.
DOCUMENTS = {"DefinitionString", "EventPattern"}
SETS = {
    "AlarmActions",
    "Dimensions",
    "InsufficientDataActions",
    "ManagedPolicyArns",
    "OKActions",
    "RouteTableIds",
    "Rules",
    "SecurityGroupEgress",
    "SecurityGroupIds",
    "SecurityGroupIngress",
    "SubnetIds",
    "Subnets",
}
#: Stands for a value that is not there; one object, so that no value of a service is taken for it.
MISSING: Any = _Missing()
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class Difference:
    """A property that the service shows otherwise than the template has it."""

    stack: str
    logical_id: str
    resource_type: str
    path: str
    declared: Any
    found: Any

    def __str__(self) -> str:
        where = f"{self.stack}/{self.logical_id} ({self.resource_type})"
        return f"{where}: {self.path}\n    declared {self.declared!r}\n    found    {self.found!r}"


def assert_reads_back(deployed: Deployment) -> None:
    """Every property of every template is there, but for those of the table of losses."""
    unknown = [one for one in all_differences(deployed) if not is_known(one.resource_type, one.path)]
    assert not unknown, "\n".join(map(str, unknown))


def all_differences(deployed: Deployment) -> Iterator[Difference]:
    """Yield every difference of a deployment, known or not. Raises KeyError for a type that has no row in the table."""
    for stack in deployed.stack_names:
        physical_ids = deployed.physical_ids(stack)
        for logical_id, resource in deployed.template(stack)["Resources"].items():
            # What stands under a condition that does not hold is not there.
            if logical_id in physical_ids or "Condition" not in resource:
                physical_id, resource_type = physical_ids[logical_id], resource["Type"]
                known = _resolved(deployed, resource_type, physical_id)
                declared = {name: known[name] for name in resource.get("Properties", {})}
                shown = read(READERS[resource_type], deployed.client, physical_id, declared)
                for path, wanted, found in differences(comparable(declared), comparable(shown)):
                    yield Difference(stack, logical_id, resource_type, path, wanted, found)


def _resolved(deployed: Deployment, resource_type: str, physical_id: str) -> Properties:
    """Return the properties of the template as CloudFormation resolved them: Cloud Control's ``GetResource``."""
    answer = deployed.client("cloudcontrol").get_resource(TypeName=resource_type, Identifier=physical_id)
    properties: Properties = json.loads(answer["ResourceDescription"]["Properties"])
    return properties


def comparable(properties: Properties) -> Properties:
    """Return the properties in the form in which they are compared."""
    properties = dict(properties)
    # Placeholders of a state machine's definition are replaced as the service does: by bare text.
    for name, value in properties.pop("DefinitionSubstitutions", {}).items():
        definition = properties["DefinitionString"]
        properties["DefinitionString"] = definition.replace(f"${{{name}}}", value)
    return dict(_members(properties))


def _members(properties: Properties) -> Iterator[tuple[str, Any]]:
    for member, given in properties.items():
        name = member[:1].upper() + member[1:]
        value = _comparable(name, given)
        if value not in EMPTY:
            yield name, value


def _comparable(name: str, value: Any) -> Any:
    if name in POLICIES | DOCUMENTS:
        document = json.loads(value) if isinstance(value, str) else value
        return statements_of(document) if name in POLICIES else document
    if name == "Tags" and value:
        return user_tags(value)
    if isinstance(value, dict):
        return dict(_members(value))
    if isinstance(value, list):
        items = [_comparable("", item) for item in value]
        return ordered(items) if name in SETS else items
    return value


def ordered(items: Iterable[Any]) -> list[Any]:
    """Return items in an order that depends on nothing but them."""
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True, default=str))


def statements_of(document: Properties) -> list[Properties]:
    """Return the statements of a policy, each with lists in order, in an order of their own."""
    statements = document["Statement"]
    listed = statements if isinstance(statements, list) else [statements]
    return ordered({key: _listed(value) for key, value in statement.items()} for statement in listed)


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
            yield from differences(value, found.get(name, MISSING), f"{path}.{name}" if path else name)
    elif isinstance(declared, list) and isinstance(found, list) and len(declared) == len(found):
        for wanted, shown in zip(declared, found, strict=True):
            yield from differences(wanted, shown, path)
    elif declared != found:
        yield path, declared, found
