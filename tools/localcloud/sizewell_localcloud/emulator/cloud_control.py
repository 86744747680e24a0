"""Cloud Control's GetResource for what stacks made: the properties as CloudFormation resolved them.

It shows the template with every reference resolved. The service itself says what it made of it.
"""

import json
from typing import Any

from ministack.services import cloudcontrol
from ministack.services.cloudformation import _stacks

from sizewell_localcloud.emulator.resource_schemas import schema_of


def install() -> None:
    """Let GetResource see the resources of stacks besides those made through Cloud Control."""
    original = cloudcontrol._get_resource

    def get_resource(request: dict[str, Any]) -> Any:
        found = _find(request.get("TypeName", ""), request.get("Identifier", ""))
        if found is None:
            return original(request)
        description = {"Identifier": request["Identifier"], "Properties": json.dumps(found)}
        return cloudcontrol.json_response(
            {"TypeName": request["TypeName"], "ResourceDescription": description}
        )

    cloudcontrol._get_resource = get_resource


def _find(type_name: str, identifier: str) -> dict[str, Any] | None:
    for stack in _stacks.values():
        for resource in (stack.get("_resources") or {}).values():
            if resource["ResourceType"] != type_name:
                continue
            known = {resource["PhysicalResourceId"], _identifier(type_name, resource)}
            if identifier in known:
                return {**(resource.get("Attributes") or {}), **resource["Properties"]}
    return None


def _identifier(type_name: str, resource: dict[str, Any]) -> str:
    schema = schema_of(type_name, "us-east-1") or {}
    values = {**(resource.get("Attributes") or {}), **resource["Properties"]}
    names = [path.removeprefix("/properties/") for path in schema.get("primaryIdentifier") or []]
    return "|".join(str(values.get(name, "")) for name in names)
