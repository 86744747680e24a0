"""Statements of policy documents as sets of permissions.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from sizewell.templates.alternatives import (
    Guards,
    condition_names,
    dumped,
    items,
    members,
    resolutions,
    simplified,
)
from sizewell.templates.canonical import canonical_policy, is_policy
from sizewell.templates.iam.conditions import conditions, shown
from sizewell.templates.iam.permissions import OWNER, Effect, Permission, Permissions, Term, Written
from sizewell.templates.values import is_intrinsic

_OWNER = Term((OWNER,))
_ANYTHING = Term(("*",))


def is_document(value: Any) -> bool:
    """Tell whether a map is a policy document, even where ``Fn::If`` chooses its statements."""
    if not isinstance(value, dict) or "Statement" not in value:
        return False
    statements = list(items(value["Statement"]))
    return any(isinstance(s, Mapping) and "Effect" in s for s in statements)


def document_permissions(value: Any) -> Permissions:
    """Return the permissions of a canonical document; one that nobody can read is a single one, as opaque."""
    found: dict[Permission, Written] = {}
    cases: dict[Permission, set[Guards]] = {}
    parts = [part for document, given in members(value) for part in _parts(document, given)]
    for permissions, _ in parts:
        found.update(permissions)
    if not any(guards for _, guards in parts):
        return found
    for permissions, guards in parts:
        for permission in permissions:
            cases.setdefault(permission, set()).add(guards)
    return {
        permission._replace(guards=guards): written
        for permission, written in found.items()
        for guards in simplified(cases[permission])
    }


def opaque_permission(name: str) -> Permissions:
    """Return the permission that stands for a whole policy of which only the name is known."""
    action = f"everything of {name}"
    # https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AdministratorAccess.html
    is_everything = name.endswith(":iam::aws:policy/AdministratorAccess")
    term = _ANYTHING if is_everything else Term((action,), opaque=True)
    return {Permission("Allow", _OWNER, term, _ANYTHING): Written(action)}


def boundary_permission(name: str) -> Permissions:
    """Return what a permissions boundary takes away."""
    action = f"everything outside of {name}"
    return {Permission("Deny", _OWNER, Term((action,), opaque=True), _ANYTHING): Written(action)}


def _parts(document: Any, given: Guards) -> Iterator[tuple[Permissions, Guards]]:
    """Yield the permissions of each statement, and what must be so for it to be there."""
    if not isinstance(document, Mapping) or "Statement" not in document:
        yield opaque_permission(dumped(document)), given
        return
    if inserted := {key: value for key, value in document.items() if key.startswith("Fn::")}:
        yield _opaque_statement(inserted), given
    statements = document["Statement"]
    if is_policy(document) and not condition_names(statements):
        for statement in statements if isinstance(statements, list) else [statements]:
            yield _statement_permissions(statement), given
        return
    for member, guards in members(statements, given):
        cases = resolutions(member, guards)
        if cases is None:
            yield _opaque_statement(member), guards
            continue
        for resolved, case in cases:
            if is_policy({"Statement": resolved}):
                (statement,) = canonical_policy({"Statement": resolved})["Statement"]
                yield _statement_permissions(statement), case
            else:
                yield _opaque_statement(resolved), case


def _opaque_statement(statement: Any) -> Permissions:
    """Return the permissions that stand for a statement that nobody can read: it may allow, or deny."""
    action = f"everything of {dumped(statement)}"
    term = Term((action,), opaque=True)
    effects: tuple[Effect, ...] = ("Allow", "Deny")
    return {Permission(effect, _OWNER, term, _ANYTHING): Written(action) for effect in effects}


def _statement_permissions(statement: Mapping[str, Any]) -> Permissions:
    if any(key.startswith("Fn::") for key in statement):
        return _opaque_statement(statement)
    given = _given_condition(statement)
    condition, words = (conditions(given), shown(given)) if given else ((), "")
    return {
        Permission(effect, principal, action, resource, condition): written
        for effect, principal, (action, written), resource in product(
            _effects(statement.get("Effect")),
            _principals(statement) if _says(statement, "Principal") else [_OWNER],
            [(action, Written(name, words)) for action, name in _actions(statement)],
            _terms(statement, "Resource") if _says(statement, "Resource") else [_OWNER],
        )
    }


def _says(statement: Mapping[str, Any], key: str) -> bool:
    return key in statement or f"Not{key}" in statement


def _given_condition(statement: Mapping[str, Any]) -> Any:
    """Return the condition without the keys of which ``Fn::If`` leaves no value."""
    given = statement.get("Condition")
    if not isinstance(given, Mapping):
        return given
    return {
        operator: {key: values for key, values in keys.items() if values != []}
        if isinstance(keys, Mapping)
        else keys
        for operator, keys in given.items()
    }


def _effects(value: Any) -> Iterator[Effect]:
    """Yield Allow and Deny; an effect that is worked out at deployment may be either."""
    if value != "Deny":
        yield "Allow"
    if value != "Allow":
        yield "Deny"


def _actions(statement: Mapping[str, Any]) -> list[tuple[Term, str]]:
    return [
        (_in_small_letters(term), excluding(term.patterns) if term.negated else term.patterns[0])
        for term in _terms(statement, "Action")
    ]


@lru_cache(maxsize=16_384)
def _in_small_letters(term: Term) -> Term:
    patterns = [name if "${" in name or term.opaque else name.lower() for name in term.patterns]
    return term._replace(patterns=tuple(sorted("*" if name == "*:*" else name for name in patterns)))


def _terms(statement: Mapping[str, Any], key: str) -> list[Term]:
    """Return ``Action`` and ``NotAction``, or what else there may be in either spelling."""
    found = [_one(item) for item in _members(statement.get(key))]
    if excluded := _members(statement.get(f"Not{key}")):
        found.append(_everything_but(sorted((dumped(item), not isinstance(item, str)) for item in excluded)))
    return found


def _members(value: Any) -> Sequence[Any]:
    """Return the members as they are, most of which are texts."""
    if value is None:
        return ()
    if isinstance(value, list) and all(type(item) is str for item in value):
        return value
    return list(items(value))


def _one(value: Any) -> Term:
    return _known(value) if isinstance(value, str) else Term((dumped(value),), opaque=True)


@lru_cache(maxsize=16_384)
def _known(name: str) -> Term:
    return Term((name,))


def _everything_but(names: Sequence[tuple[str, bool]]) -> Term:
    return Term(tuple(name for name, _ in names), negated=True, opaque=any(opaque for _, opaque in names))


def _principals(statement: Mapping[str, Any]) -> list[Term]:
    found = [
        Term((name,), opaque=True) if opaque else _known(name)
        for name, opaque in _principal_names(statement.get("Principal"))
    ]
    if excluded := sorted(_principal_names(statement.get("NotPrincipal"))):
        found.append(_everything_but(excluded))
    return found


def _principal_names(value: Any) -> Iterator[tuple[str, bool]]:
    """Yield the principals with their kinds, and whether nobody knows who that is."""
    for principal in items(value):
        if isinstance(principal, Mapping) and not is_intrinsic(principal):
            for kind, names in principal.items():
                for name in _members(names):
                    yield f"{kind}:{dumped(name)}", not isinstance(name, str)
        else:
            yield f"AWS:{dumped(principal)}", not isinstance(principal, str)


def excluding(excluded: Iterable[str]) -> str:
    """Return how a negated element reads."""
    return f"not ({', '.join(excluded)})"
