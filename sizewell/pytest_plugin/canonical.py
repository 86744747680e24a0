"""What of an output is worth a snapshot, in the spelling that a reviewer can read.

Templates are spelt as ``sizewell review`` compares them, so a snapshot changes when a review has something to say, and
not with a release of CDK: references are ``${Role.Arn}``, policies and unordered lists are sorted, JSON in a text is
data, the hash of an asset is ``<asset>``, and what CDK adds for itself is gone. Numbers and truth values are texts:
CloudFormation takes ``"2"`` and ``2`` alike, and CDK writes now the one, now the other.
"""

import json
from collections.abc import Mapping
from typing import Any

from sizewell.planning.saved_plan import SavedPlan
from sizewell.templates.canonical import hide_assets
from sizewell.templates.template import Stack

#: Metadata of CDK's own: construct paths and where assets lie.
_OF_CDK = "aws:"

Template = dict[str, Any]


def snapshot_of_stack(stack: Stack) -> Template:
    """Return the template of a stack, with everything sorted that has no order."""
    template = {**stack.canonical, "Resources": _resources(stack.canonical.get("Resources", {}))}
    result: Template = json.loads(hide_assets(json.dumps(template, sort_keys=True)))
    return result


def snapshot_of_plan(plan: SavedPlan) -> dict[str, dict[str, Any]]:
    """Return what was decided for each workload: instance types, counts and bounds; prices and digests are left out."""
    return {choice.name: choice.decided for choice in sorted(plan.choices, key=lambda choice: choice.name)}


def _resources(resources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {logical_id: _resource(body) for logical_id, body in resources.items()}


def _resource(body: Mapping[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in body.items() if key != "Metadata" and value != {}}
    metadata = body.get("Metadata")
    own = (
        {k: v for k, v in metadata.items() if not k.startswith(_OF_CDK)}
        if isinstance(metadata, Mapping)
        else {}
    )
    return {**result, "Metadata": own} if own else result
