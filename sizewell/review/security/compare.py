"""The section: every rule over every stack that is not the same."""

from collections.abc import Sequence

from sizewell.modules import modules_in
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import IamChange, Security, SecurityChange
from sizewell.review.security import rules
from sizewell.review.security.iam import iam_changes, unchanged_grant_count
from sizewell.review.security.rule import POLICY_RULES, STACK_RULES, StackChange
from sizewell.templates.iam.changes import permission_changes

modules_in(rules)
_DIRECTIONS = {"weaker": 0, "broadened": 0, "stronger": 1, "narrowed": 1, "neutral": 2}


def _without_renamed(changes: Sequence[IamChange]) -> list[IamChange]:
    """Leave out the permissions of a construct that got another logical id: it loses and gets the same."""
    sides = {(change.policy, change.direction): change.grants for change in changes}
    return [
        change
        for change in changes
        if sides.get((change.policy, "broadened")) != sides.get((change.policy, "narrowed"))
    ]


def compare_security(pair: EnvironmentPair) -> Security:
    """Return what a change does to permissions, reachability, encryption and records.

    ``unchanged_grant_count`` is over the stacks that are not the same, and in them over the resources that usually have
    policies: all others are not even read.
    """
    iam: list[IamChange] = []
    others: list[SecurityChange] = []
    unchanged = 0
    before = tuple(stacks.base for stacks in pair.stacks if stacks.base)
    for stack_pair in pair.stacks:
        if stack_pair.is_unchanged:
            continue
        workload = pair.workload_of_stack(stack_pair.name)
        stack = StackChange(stack_pair, before, workload.name if workload else None)
        owners = tuple(permission_changes(stack.base_policies, stack.head_policies))
        iam += _without_renamed(tuple(iam_changes(stack, owners)))
        others += [change for rule in POLICY_RULES for owner in owners for change in rule(stack, owner)]
        others += [change for rule in STACK_RULES for change in rule(stack)]
        unchanged += unchanged_grant_count(stack)
    return Security(
        iam=tuple(sorted(iam, key=lambda c: (_DIRECTIONS[c.direction], c.stack, c.policy))),
        others=tuple(
            sorted(
                others, key=lambda c: (_DIRECTIONS[c.direction], c.stack, c.subject, c.rule, c.base, c.head)
            )
        ),
        unchanged_grant_count=unchanged,
    )
