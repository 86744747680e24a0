"""One element of the product of a statement, and which elements cover which.

A statement is a product, of actions and resources above all, so that few different ones make very many permissions: which of
many cover another one is found without trying them all (``Coverage``).
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Literal, NamedTuple

from sizewell.templates.alternatives import Guards, always, combined
from sizewell.templates.iam.conditions import Clause, Condition, implies
from sizewell.templates.iam.patterns import covers, disjoint

Effect = Literal["Allow", "Deny"]

#: Stands for the owner of a policy, where a statement names no principal or no resource.
OWNER = ""
EVERYBODY = "AWS:*"


class Term(NamedTuple):
    """One pattern; of ``NotAction`` and its like everything but the patterns."""

    patterns: tuple[str, ...]
    negated: bool = False
    opaque: bool = False
    """Whether it only has a name, and nobody knows what it stands for."""

    @property
    def is_literal(self) -> bool:
        """Whether it covers nothing but itself."""
        return self.opaque or not (self.negated or "*" in self.patterns[0] or "?" in self.patterns[0])


class Permission(NamedTuple):
    """Who may, or may not, do what on what under which condition: its own identity."""

    effect: Effect
    principal: Term
    """``AWS:111122223333``, ``Service:lambda.amazonaws.com`` ..., or the owner of an identity policy."""
    action: Term
    """In small letters: actions have no case."""
    resource: Term
    condition: Condition = ()
    guards: Guards = ()
    """Which conditions of the template decide whether there is such a permission at all."""


class Written(NamedTuple):
    """What of a permission does not belong to its identity: how people spelled it."""

    action: str
    condition: str = ""


Permissions = Mapping[Permission, Written]


def under(guards: Guards, permissions: Permissions) -> Permissions:
    """Return the permissions as far as they are there when this is so, and only then."""
    if not guards:
        return permissions
    return {
        permission._replace(guards=together): written
        for permission, written in permissions.items()
        if (together := combined(guards, permission.guards)) is not None
    }


def term_covers(wide: Term, narrow: Term) -> bool:
    """Tell whether a term for actions or resources covers another for certain."""
    return _covers(wide, narrow, covers, disjoint)


def principal_covers(wide: Term, narrow: Term) -> bool:
    """Tell whether a term for principals covers another for certain."""
    return _covers(wide, narrow, _contains, _are_apart)


def _covers(
    wide: Term,
    narrow: Term,
    covered: Callable[[str, str], bool],
    apart: Callable[[str, str], bool],
) -> bool:
    if wide == narrow or wide.patterns == ("*",):
        return wide == narrow or not wide.negated
    if wide.opaque or narrow.opaque:
        return False
    if not wide.negated:
        return not narrow.negated and covered(wide.patterns[0], narrow.patterns[0])
    if narrow.negated:
        return all(any(covered(excluded, e) for excluded in narrow.patterns) for e in wide.patterns)
    return all(apart(excluded, narrow.patterns[0]) for excluded in wide.patterns)


def _contains(wide: str, narrow: str) -> bool:
    return wide == narrow or (wide == EVERYBODY and narrow.startswith("AWS:"))


def _are_apart(one: str, other: str) -> bool:
    """Tell whether two principals have nothing in common for certain: only names of services do."""
    return (
        one != other
        and one.startswith("Service:")
        and other.startswith("Service:")
        and "${" not in one + other
    )


class _Terms:
    """Actions, or resources; what covers one of them is worked out once."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._terms = frozenset(terms)
        self._patterns = sorted(term for term in self._terms if not term.is_literal)
        self._known: dict[Term, frozenset[Term]] = {}

    def covering(self, narrow: Term) -> frozenset[Term]:
        found = self._known.get(narrow)
        if found is None:
            found = self._terms & {narrow} | {wide for wide in self._patterns if term_covers(wide, narrow)}
            self._known[narrow] = found
        return found


class _Products:
    """Permissions that have everything in common but actions and resources."""

    def __init__(self, permissions: Iterable[Permission]) -> None:
        self._resources_by_action: dict[Term, set[Term]] = {}
        for permission in permissions:
            self._resources_by_action.setdefault(permission.action, set()).add(permission.resource)
        self._actions = _Terms(self._resources_by_action)
        self._resources = _Terms(set().union(*self._resources_by_action.values()))

    def covers(self, action: Term, resource: Term) -> bool:
        wide = self._resources.covering(resource)
        return bool(wide) and any(
            not wide.isdisjoint(self._resources_by_action[name]) for name in self._actions.covering(action)
        )


def _shared(permission: Permission) -> tuple[Term, Condition, Guards]:
    return permission.principal, permission.condition, permission.guards


class Coverage:
    """Permissions of one effect."""

    def __init__(self, permissions: Iterable[Permission]) -> None:
        self._groups = [
            (shared, _Products(group)) for shared, group in groupby(sorted(permissions, key=_shared), _shared)
        ]
        self._candidates: dict[tuple[Term, Condition], list[tuple[Guards, _Products]]] = {}

    def covers(self, narrow: Permission) -> bool:
        """Tell whether one of the permissions says for certain all that this one does, in every case at least one."""
        cases = {
            guards
            for guards, products in self._of(narrow.principal, narrow.condition)
            if products.covers(narrow.action, narrow.resource)
        }
        return always(cases, narrow.guards)

    def _of(self, principal: Term, condition: Condition) -> list[tuple[Guards, _Products]]:
        """Return the permissions that may cover one of this principal under this condition."""
        found = self._candidates.get((principal, condition))
        if found is None:
            found = self._candidates[principal, condition] = [
                (guards, products)
                for (wide, needed, guards), products in self._groups
                if principal_covers(wide, principal) and implies(condition, needed)
            ]
        return found


def refuses_no_tls(permission: Permission) -> bool:
    """Tell whether it denies requests because they are without TLS."""
    return permission.effect == "Deny" and any(map(_is_without_tls, permission.condition))


def refuses_weak_tls(permission: Permission) -> bool:
    """Tell whether it denies requests because they are without TLS, or with an old version of it."""
    return permission.effect == "Deny" and any(
        _is_without_tls(clause) or clause.key == "s3:tlsversion" for clause in permission.condition
    )


def _is_without_tls(clause: Clause) -> bool:
    return (clause.operator, clause.key, clause.values) == ("bool", "aws:securetransport", ("false",))
