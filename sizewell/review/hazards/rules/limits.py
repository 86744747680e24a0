"""Stacks and policies near the quotas of CloudFormation and IAM.

CloudFormation user guide, "Understand CloudFormation quotas"; IAM user guide, "IAM and AWS STS quotas".
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.templates.template import Resource

#: From this share of a limit on it is worth a warning.
_NEAR = 0.8
_MANAGED_POLICY = "AWS::IAM::ManagedPolicy"
_MANAGED_POLICY_CHARACTERS = 6_144


@dataclass(frozen=True, slots=True)
class _Limit:
    noun: str
    most: int
    measure: Callable[[Mapping[str, Any]], int]
    what_to_do: str


def _members(section: str) -> Callable[[Mapping[str, Any]], int]:
    def count(template: Mapping[str, Any]) -> int:
        found = template.get(section)
        return len(found) if isinstance(found, Mapping) else 0

    return count


_SPLIT = "Split the stack by workload, or move a part of it into a nested stack, before the next change needs the room."
_LIMITS = (
    _Limit("resources", 500, _members("Resources"), _SPLIT),
    _Limit("parameters", 200, _members("Parameters"), _SPLIT),
    _Limit("outputs", 200, _members("Outputs"), _SPLIT),
    _Limit(
        "bytes of template body",
        1_000_000,
        lambda template: len(json.dumps(template)),
        "Move long definitions and code into assets, or split the stack.",
    ),
)


@hazard_rule("availability")
def stack_near_limits(environment: Environment) -> Iterator[Found]:
    """A stack exceeds 80 % of a CloudFormation quota: resources, parameters, outputs or template size."""
    for stack in environment.diff.changed_stacks:
        if stack.head is None:
            continue
        for limit in _LIMITS:
            head = limit.measure(stack.head.template)
            if head <= limit.most * _NEAR:
                continue
            base = limit.measure(stack.base.template) if stack.base else None
            over = head > limit.most
            if (over and (base is None or base <= limit.most)) or (
                base is not None and base <= limit.most * _NEAR
            ):
                yield Found(
                    "danger" if over else "warning",
                    stack.name,
                    None,
                    f"stack {stack.name}",
                    _growth(limit.noun, base, head, limit.most),
                    "CloudFormation refuses the template, and deploys nothing of the stack."
                    if over
                    else "The stack is near the quota. CloudFormation may refuse one of the next changes as a whole.",
                    limit.what_to_do,
                )


def _growth(noun: str, base: int | None, head: int, most: int) -> str:
    return f"{noun} {'none' if base is None else f'{base:,}'} → {head:,} of {most:,}"


@hazard_rule("availability")
def policy_near_limit(environment: Environment) -> Iterator[Found]:
    """A managed policy exceeds 80 % of the characters that IAM allows."""
    near = _MANAGED_POLICY_CHARACTERS * _NEAR
    for pair in environment.diff.resources(_MANAGED_POLICY):
        if pair.head is None or (pair.base and pair.base.is_same_as(pair.head)):
            continue
        head = _characters(pair.head)
        base = _characters(pair.base) if pair.base else None
        over = head > _MANAGED_POLICY_CHARACTERS
        if (over and (base is None or base <= _MANAGED_POLICY_CHARACTERS)) or (
            near < head and base is not None and base <= near
        ):
            yield Found(
                "danger" if over else "warning",
                pair.stack.name,
                pair.logical_id,
                f"policy {pair.head.path}",
                _growth("characters", base, head, _MANAGED_POLICY_CHARACTERS),
                "IAM refuses the policy with LimitExceeded, and the deployment rolls back. Names that are known only at "
                "deployment count as they are in the template."
                if over
                else "The policy is near the quota. Names that are known only at deployment count as they are in the template.",
                "Split the policy into two, or name resources by a common prefix.",
            )


def _characters(policy: Resource) -> int:
    """Return the length of the document; IAM does not count white space."""
    return len(json.dumps(policy.properties.get("PolicyDocument"), separators=(",", ":")))
