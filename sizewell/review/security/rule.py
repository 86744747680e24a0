"""What a rule of the security section is. A rule registers itself: its function in ``rules/`` has one of the decorators."""

from collections.abc import Callable, Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.iam import OwnerChange
from sizewell.review.security.view import StackChange

PolicyRule = Callable[[OwnerChange], Iterator[SecurityChange]]
"""Looks at the permissions of one role or resource."""
StackRule = Callable[[StackChange], Iterator[SecurityChange]]
"""Looks at a whole stack."""

#: Filled by the decorators, when the modules of ``rules/`` are imported.
POLICY_RULES: list[PolicyRule] = []
STACK_RULES: list[StackRule] = []


def policy_rule(rule: PolicyRule) -> PolicyRule:
    """Register a rule about permissions."""
    POLICY_RULES.append(rule)
    return rule


def stack_rule(rule: StackRule) -> StackRule:
    """Register a rule about a whole stack."""
    STACK_RULES.append(rule)
    return rule
