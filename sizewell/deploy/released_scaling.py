"""Stacks of release 0.1, whose scaling a function registered: the template that takes them out of its hands.

The resources of that release, if they were only deleted, would take the registration of the new ones with them. So they
are first deployed without variants, which ends what they registered, and with ``Retain``, so that nothing is called
when the next template leaves them out. To be deleted when nobody comes from 0.1 any more.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

_TYPES = ("Custom::ScalingRelease", "Custom::EndpointScaling")
_RULE = "AWS::Events::Rule"
_RULE_SUFFIX = "-deployed"
_PARAMETER = "AWS::SSM::Parameter"
_FUNCTION_SUFFIX = "/scaling-handover-function-arn"


def is_released_scaling(template: Mapping[str, Any]) -> bool:
    """Tell whether a template still has resources of that release that scale."""
    return any(
        body.get("Type") in _TYPES and body.get("DeletionPolicy") != "Retain"
        for body in template.get("Resources", {}).values()
    )


def has_released_function(template: Mapping[str, Any]) -> bool:
    """Tell whether a template still publishes the function of that release."""
    return any(
        body.get("Type") == _PARAMETER and str(body["Properties"].get("Name")).endswith(_FUNCTION_SUFFIX)
        for body in template.get("Resources", {}).values()
    )


def without_released_scaling(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template in which those resources scale nothing, are retained, and their rule calls no function."""
    changed = deepcopy(dict(template))
    for body in changed["Resources"].values():
        if body.get("Type") in _TYPES:
            body["Properties"]["Variants"] = []
            body["DeletionPolicy"] = body["UpdateReplacePolicy"] = "Retain"
        elif body.get("Type") == _RULE and str(body["Properties"].get("Name")).endswith(_RULE_SUFFIX):
            body["Properties"]["State"] = "DISABLED"
    return changed
