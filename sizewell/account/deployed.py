"""What CloudFormation has of the stacks of a plan: status, template and resources, each read once for all checks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place
from sizewell.deploy.cloudformation import template_of
from sizewell.templates.template import Template

#: What reads a stack with its resources.
STACK_ACTIONS = (
    "cloudformation:DescribeStacks",
    "cloudformation:GetTemplate",
    "cloudformation:ListStackResources",
)


@dataclass(frozen=True)
class DeployedResource:
    """One resource of a stack, as its deployed template states it."""

    stack: "DeployedStack"
    resource_type: str
    physical_id: str
    """What ``Ref`` gives: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resources-section-structure.html"""
    stated: Mapping[str, Any]
    """Its properties; a value that CloudFormation works out is a map with its function."""

    @property
    def name(self) -> str:
        """The last part of an ARN, or the whole id."""
        return self.physical_id.rpartition("/")[2].rpartition(":")[2]


@dataclass(frozen=True)
class DeployedStack:
    """One stack that exists, whatever its state; checks that ask at the same time read it once."""

    aws: AwsAccount
    description: Mapping[str, Any]
    """https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html"""
    _lock: RLock = field(default_factory=RLock, compare=False)

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.description["StackName"])

    @property
    def status(self) -> str:
        """Its status."""
        return str(self.description["StackStatus"])

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """Its parameters as they were given."""
        return {
            parameter["ParameterKey"]: parameter["ParameterValue"]
            for parameter in self.description.get("Parameters", ())
        }

    @property
    def template(self) -> Mapping[str, Any]:
        """Its template as it was deployed."""
        with self._lock:
            return self._template

    @cached_property
    def _template(self) -> Mapping[str, Any]:
        body = self.aws.client("cloudformation").get_template(StackName=self.name, TemplateStage="Original")[
            "TemplateBody"
        ]
        return template_of(self.name, body)

    @cached_property
    def _physical_ids(self) -> Mapping[str, str]:
        """By logical id: of what exists. What a condition leaves out is not there."""
        pages = self.aws.client("cloudformation").get_paginator("list_stack_resources")
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for page in pages.paginate(StackName=self.name)
            for resource in page["StackResourceSummaries"]
            if resource.get("PhysicalResourceId") and resource["ResourceStatus"] != "DELETE_COMPLETE"
        }

    def resources(self, *resource_types: str) -> Iterator[DeployedResource]:
        """Yield the resources of some types, in the order of the template."""
        with self._lock:
            template, physical_ids = self._template, self._physical_ids
        for resource in Template(template).of_type(*resource_types):
            if physical_id := physical_ids.get(resource.logical_id):
                yield DeployedResource(self, resource.resource_type, physical_id, resource.written)


_LOCK = RLock()
_READ: WeakKeyDictionary[AwsAccount, dict[str, DeployedStack | None]] = WeakKeyDictionary()


def deployed_stack(aws: AwsAccount, name: str) -> DeployedStack | None:
    """Return a stack as it was when an account was first asked for it; None where there is none."""
    with _LOCK:
        known = _READ.setdefault(aws, {})
        if name not in known:
            known[name] = _described(aws, name)
        return known[name]


def _described(aws: AwsAccount, name: str) -> DeployedStack | None:
    try:
        (found,) = aws.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    return DeployedStack(aws, found)


def stack_names(place: Place) -> tuple[str, ...]:
    """Return the names of the stacks of a place, the foundation first."""
    names = (place.foundation.stack_name, *(workload.stack_name for workload in place.workloads))
    return tuple(dict.fromkeys(names))


def check_of_stacks(
    name: str, actions: Iterable[str], ask: Callable[[AwsAccount, DeployedStack], Iterable[Answer]]
) -> Check:
    """Return a check of each stack that exists; one that does not is a finding of the check of stacks alone."""

    def ask_stack(aws: AwsAccount, stack_name: str) -> Iterable[Answer]:
        stack = deployed_stack(aws, stack_name)
        return () if stack is None else ask(aws, stack)

    return Check(
        name=name,
        actions=(*STACK_ACTIONS, *actions),
        subjects=stack_names,
        ask=ask_stack,
        named=lambda stack_name: f"{name} of {stack_name}",
    )


def check_of_resources(
    name: str,
    resource_types: tuple[str, ...],
    actions: Iterable[str],
    ask: Callable[[AwsAccount, DeployedResource], Iterable[Answer]],
) -> Check:
    """Return a check of each resource of some types, whatever the workload that it belongs to."""

    def ask_each(aws: AwsAccount, stack: DeployedStack) -> Iterator[Answer]:
        for resource in stack.resources(*resource_types):
            yield from ask(aws, resource)

    return check_of_stacks(name, actions, ask_each)
