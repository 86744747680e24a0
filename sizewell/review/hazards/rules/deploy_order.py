"""Values that one stack reads from another: which stack must be deployed first, and what cannot be removed.

CloudFormation user guide, "SSM parameter types" (read when the stack is deployed) and "Fn::ImportValue".
"""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import listed
from sizewell.templates.deployment import DeploymentDiff
from sizewell.templates.template import Stack
from sizewell.templates.values import mapping, text

_PARAMETER = "AWS::SSM::Parameter"
_READ_AT_DEPLOYMENT = "AWS::SSM::Parameter::Value<"
_RESOLVED = re.compile(r"\{\{resolve:ssm:([^:}]+)")


@hazard_rule("availability")
def deploy_order(environment: Environment) -> Iterator[Found]:
    """A stack adds an SSM parameter that other stacks read, so it must be deployed first."""
    new: dict[str, dict[str, str]] = {}
    for pair in environment.diff.resources(_PARAMETER):
        name = text(pair.head.properties.get("Name")) if pair.head else None
        if name and pair.stack.base and pair.stack.head and not _has(pair.stack.base, name):
            new.setdefault(pair.stack.name, {})[name] = pair.logical_id
    readers = {pair.name: _read(pair.head) for pair in environment.diff.stacks if pair.head} if new else {}
    for provider, parameters in sorted(new.items()):
        waiting = [
            stack for stack, names in readers.items() if stack != provider and names & parameters.keys()
        ]
        wanted = sorted(name for name in parameters if any(name in readers[stack] for stack in waiting))
        if waiting:
            yield Found(
                "notice",
                provider,
                parameters[wanted[0]] if len(wanted) == 1 else None,
                f"stack {provider}",
                f"SSM {'parameter' if len(wanted) == 1 else 'parameters'} {listed(wanted)} added, read by {listed(waiting)}",
                "CloudFormation reads the value when it deploys the reading stack. That deployment fails if the parameter does "
                "not exist yet.",
                f"Deploy {provider} first.",
            )


def _has(stack: Stack, name: str) -> bool:
    return any(
        resource.resource_type == _PARAMETER and resource.properties.get("Name") == name
        for resource in stack.resources.values()
    )


def _read(stack: Stack) -> frozenset[str]:
    """Return the names of the SSM parameters that the deployment of a stack reads."""
    parameters = mapping(stack.template.get("Parameters"))
    declared = (
        mapping(parameter).get("Default")
        for parameter in parameters.values()
        if str(mapping(parameter).get("Type")).startswith(_READ_AT_DEPLOYMENT)
    )
    return frozenset({*(str(name) for name in declared if name), *_resolved(stack.template)})


def _resolved(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if "{{resolve:ssm:" in value:
            yield from _RESOLVED.findall(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _resolved(item)
    elif isinstance(value, list):
        for item in value:
            yield from _resolved(item)


@hazard_rule("availability")
def export_in_use(environment: Environment) -> Iterator[Found]:
    """An export is removed although a deployed stack imports it, which CloudFormation refuses."""
    for name, base, head in environment.diff.kept_stacks:
        kept = _exports(head)
        gone = {export: logical_id for export, logical_id in _exports(base).items() if export not in kept}
        importers = _importers(environment.diff, gone.keys(), name) if gone else {}
        for export, stacks in sorted(importers.items()):
            yield Found(
                "danger",
                name,
                gone[export],
                f"export {export}",
                "the export is removed",
                f"{listed(stacks)} {'imports' if len(stacks) == 1 else 'import'} it as deployed, and CDK deploys {name} first. "
                "CloudFormation refuses to delete an export that is in use, and the deployment rolls back.",
                "Keep the export for one deployment (exportValue in CDK), in which the other stacks stop importing it. Remove "
                "it in the next one.",
            )


@hazard_rule("availability")
def export_removed(environment: Environment) -> Iterator[Found]:
    """An export is removed that a stack of another app may import."""
    for name, base, head in environment.diff.kept_stacks:
        kept = _exports(head)
        gone = _exports(base).keys() - kept
        imported = _importers(environment.diff, gone, name) if gone else {}
        for export in sorted(gone):
            if export not in imported:
                yield Found(
                    "warning",
                    name,
                    None,
                    f"export {export}",
                    "the export is removed",
                    "No stack of this app imports it. While a stack of another app does, CloudFormation refuses the deletion, "
                    "and the deployment rolls back.",
                    f"Look for importers: aws cloudformation list-imports --export-name {export}.",
                )


def _exports(stack: Stack) -> Mapping[str, str]:
    """Return the logical ids of the outputs by the name of the export."""
    found: dict[str, str] = {}
    for logical_id, output in mapping(stack.template.get("Outputs")).items():
        name = mapping(mapping(output).get("Export")).get("Name")
        if isinstance(name, str):
            found[name] = logical_id
    return found


def _importers(diff: DeploymentDiff, names: Set[str], exporter: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for stack in diff.stacks:
        if stack.base and stack.name != exporter:
            for name in sorted(names & set(_imports(stack.base.template))):
                found.setdefault(name, []).append(stack.name)
    return found


def _imports(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "Fn::ImportValue" and isinstance(item, str):
                yield item
            else:
                yield from _imports(item)
    elif isinstance(value, list):
        for item in value:
            yield from _imports(item)
