"""Many permissions at once: which of them cover another one is found without trying them all.

A statement is a product, of actions and resources above all, so that few different ones make very many permissions.
"""

from collections.abc import Iterable
from itertools import groupby

from sizewell.templates.guards import Guards, always
from sizewell.templates.iam.conditions import Condition, implies
from sizewell.templates.iam.permissions import Permission, Term, principal_covers, term_covers


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
