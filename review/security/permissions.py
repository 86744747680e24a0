"""One element of the product of a statement, and which elements cover which."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from review.security.conditions import Condition, implies
from review.security.patterns import covers, disjoint

Effect = Literal["Allow", "Deny"]

#: Stands for the owner of a policy, where a statement names no principal or no resource.
OWNER = ""
EVERYBODY = "AWS:*"


class Term(NamedTuple):
    """One pattern; of ``NotAction`` and its like everything but the patterns."""

    patterns: tuple[str, ...]
    negated: bool = False


class Permission(NamedTuple):
    """Who may, or may not, do what on what under which condition: its own identity."""

    effect: Effect
    principal: Term
    """``AWS:111122223333``, ``Service:lambda.amazonaws.com`` ..., or the owner of an identity policy."""
    action: Term
    """In small letters: actions have no case."""
    resource: Term
    condition: Condition = ()


class Written(NamedTuple):
    """What of a permission does not belong to its identity: how people spelled it."""

    action: str
    condition: str = ""


Permissions = Mapping[Permission, Written]


def permission_covers(wide: Permission, narrow: Permission) -> bool:
    """Tell whether a permission of the same effect says for certain all that the other one does."""
    return (
        wide.effect == narrow.effect
        and _term_covers(wide.action, narrow.action, covers, disjoint)
        and _term_covers(wide.resource, narrow.resource, covers, disjoint)
        and _term_covers(wide.principal, narrow.principal, _principal_covers, _principals_differ)
        and implies(narrow.condition, wide.condition)
    )


def _term_covers(
    wide: Term,
    narrow: Term,
    covered: Callable[[str, str], bool],
    apart: Callable[[str, str], bool],
) -> bool:
    if wide == narrow:
        return True
    if not wide.negated:
        return (not narrow.negated and covered(wide.patterns[0], narrow.patterns[0])) or wide.patterns == (
            "*",
        )
    if narrow.negated:
        return all(any(covered(excluded, e) for excluded in narrow.patterns) for e in wide.patterns)
    return all(apart(excluded, narrow.patterns[0]) for excluded in wide.patterns)


def _principal_covers(wide: str, narrow: str) -> bool:
    return wide == narrow or (wide == EVERYBODY and narrow.startswith("AWS:"))


def _principals_differ(one: str, other: str) -> bool:
    """Tell whether two principals have nothing in common for certain: only names of services do."""
    return one != other and one.startswith("Service:") and other.startswith("Service:")
