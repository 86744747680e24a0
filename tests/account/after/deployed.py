"""Stacks as CloudFormation describes them, with any resources."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sizewell.account.check import Check
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from tests.account.builders import Call, Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment

STACK = "demo-dev-plants"
Resource = tuple[str, str, Mapping[str, Any]]
"""Type, physical id and properties."""
Resources = Mapping[str, Resource]
"""By logical id."""
Given = list[tuple[str, Mapping[str, Any]]]


def described(name: str = STACK, status: str = "UPDATE_COMPLETE", **more: Any) -> Mapping[str, Any]:
    return {"Stacks": [{"StackName": name, "StackStatus": status, "CreationTime": 0, **more}]}


def template(resources: Resources) -> dict[str, Any]:
    return {
        "Resources": {
            logical_id: {"Type": resource_type, "Properties": properties}
            for logical_id, (resource_type, _, properties) in resources.items()
        }
    }


def stack_of(resources: Resources, *, without: Sequence[str] = (), **described_with: Any) -> Given:
    """Return the answers of CloudFormation for a stack; it has made all resources but those of ``without``."""
    summaries = [
        {
            "LogicalResourceId": logical_id,
            "PhysicalResourceId": physical_id,
            "ResourceType": resource_type,
            "LastUpdatedTimestamp": 0,
            "ResourceStatus": "CREATE_COMPLETE",
        }
        for logical_id, (resource_type, physical_id, _) in resources.items()
        if logical_id not in without
    ]
    return [
        ("describe_stacks", described(**described_with)),
        ("get_template", {"TemplateBody": json.dumps(template(resources))}),
        ("list_stack_resources", {"StackResourceSummaries": summaries}),
    ]


NOT_THERE = Refusal("ValidationError", f"Stack with id {STACK} does not exist")
DEPLOYED_PLAN = build_plan(environment({"plants": endpoint()}), catalog(gpu_instance()))


def found(
    check: Check, resources: Resources, answers: Mapping[str, Any], plan: DeploymentPlan = DEPLOYED_PLAN
) -> list[tuple[str, str, str]]:
    """Return subject, outcome and words of each finding of the stack of the workload; the foundation is not there."""
    cloudformation: list[Call] = [("describe_stacks", NOT_THERE), *stack_of(resources)]
    account = ScriptedAccount({"cloudformation": cloudformation, **answers})
    return [(one.subject, one.outcome.value, one.says) for one in findings(check, plan, account)]
