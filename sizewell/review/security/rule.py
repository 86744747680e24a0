"""What a rule of the security section sees and finds: one stack on both sides, or the permissions of one owner in it.

A rule registers itself: its function in ``rules/`` has one of the decorators.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sizewell.review.model import SecurityChange
from sizewell.review.words import Direction
from sizewell.templates.iam.changes import PermissionChange
from sizewell.templates.iam.sources import DocumentReader, Policies, stack_policies
from sizewell.templates.template import Resource, ResourcePair, Stack, StackPair

#: What stands for a side that does not have the resource.
ABSENT = "no such resource"
#: What stands for a property that a resource does not have.
NOT_SET = "not set"


@dataclass(frozen=True)
class StackChange:
    """One stack that is not the same on both sides."""

    pair: StackPair
    base_stacks: tuple[Stack, ...] = ()
    """All that there were, for what is only new in this one."""
    workload: str | None = None
    """The workload that the stack is for."""

    @cached_property
    def base(self) -> Mapping[str, Resource]:
        """The resources that there were."""
        return {pair.logical_id: pair.base for pair in self.pair.resources if pair.base}

    @cached_property
    def head(self) -> Mapping[str, Resource]:
        """The resources that there will be; those that do not differ are the very ones of base, and read once."""
        return {pair.logical_id: pair.head for pair in self.pair.resources if pair.head}

    @cached_property
    def _documents(self) -> DocumentReader:
        return DocumentReader()

    @cached_property
    def base_policies(self) -> Policies:
        """What was allowed and denied."""
        return stack_policies(self.base, self.head, self._documents)

    @cached_property
    def head_policies(self) -> Policies:
        """What will be allowed and denied."""
        return stack_policies(self.head, self.base, self._documents)

    @cached_property
    def changed(self) -> tuple[ResourcePair, ...]:
        """The resources with other properties; of another type, the old one and the new one."""
        pairs: list[ResourcePair] = []
        for pair in self.pair.resources:
            if pair.is_retyped:
                pairs += [replace(pair, head=None), replace(pair, base=None)]
            elif pair.base is not pair.head:
                pairs.append(pair)
        return tuple(pairs)

    def changed_of(self, *types: str) -> Iterator[ResourcePair]:
        """Yield the changed resources of these types."""
        return (pair for pair in self.changed if pair.either.resource_type in types)

    def path(self, owner: str) -> str:
        """Return the construct path of a logical id, else the name itself."""
        resource = self.head.get(owner) or self.base.get(owner)
        return resource.path if resource else owner

    def is_gone(self, owner: str) -> bool:
        """Tell whether a resource is deleted, and with it what its policies protected."""
        resource = self.base.get(owner)
        return resource is not None and owner not in self.head and not resource.retained

    def is_new(self, owner: str) -> bool:
        """Tell whether a resource will be created."""
        return owner in self.head and owner not in self.base

    def change(
        self,
        rule: str,
        direction: Direction,
        owner: str | None,
        *,
        base: str,
        head: str,
        why: str,
        subject: str = "",
    ) -> SecurityChange:
        """Return a change of this stack; the subject is the owner where nothing else is said."""
        known = owner is not None and (owner in self.base or owner in self.head)
        return SecurityChange(
            rule=rule,
            direction=direction,
            environment=self.pair.environment,
            stack=self.pair.name,
            logical_id=owner if known else None,
            workload=self.workload,
            subject=subject or self.path(owner or ""),
            base=base,
            head=head,
            why=why,
        )


PolicyRule = Callable[[StackChange, PermissionChange], Iterator[SecurityChange]]
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
