"""Statements of policy documents as sets of permissions.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from review.canonical.policies import canonical_policy, is_policy
from review.security.alternatives import alternatives, items, may_be_missing, texts
from review.security.conditions import Condition, conditions, shown
from review.security.permissions import OWNER, Effect, Permission, Term, Written

_OWNER = Term((OWNER,))
_ANYTHING = Term(("*",))


def is_document(value: Any) -> bool:
    """Tell whether a map is a policy document, even where ``Fn::If`` chooses its statements."""
    if not isinstance(value, dict) or "Statement" not in value:
        return False
    statements = list(items(value["Statement"]))
    return bool(statements) and all(isinstance(s, Mapping) and "Effect" in s for s in statements)


def document_permissions(value: Any) -> dict[Permission, Written]:
    """Return the permissions of a canonical document; one that nobody can read is a single one, as opaque."""
    found: dict[Permission, Written] = {}
    for document in alternatives(value):
        if isinstance(document, Mapping) and "Statement" in document:
            for statement in _statements(document):
                found.update(_statement_permissions(statement))
        else:
            found.update(opaque_permission(_text(document)))
    return found


def opaque_permission(name: str) -> dict[Permission, Written]:
    """Return the permission that stands for a whole policy of which only the name is known."""
    action = f"everything of {name}"
    # https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AdministratorAccess.html
    pattern = "*" if name.endswith(":iam::aws:policy/AdministratorAccess") else action
    return {Permission("Allow", _OWNER, Term((pattern,)), _ANYTHING): Written(action)}


def boundary_permission(name: str) -> dict[Permission, Written]:
    """Return what a permissions boundary takes away."""
    action = f"everything outside of {name}"
    return {Permission("Deny", _OWNER, Term((action,)), _ANYTHING): Written(action)}


def principal_terms(value: Any) -> Iterator[str]:
    """Yield the principals of a canonical ``Principal`` with their kinds."""
    for principal in alternatives(value):
        if isinstance(principal, Mapping) and not any(key.startswith("Fn::") for key in principal):
            for kind, names in principal.items():
                for name in texts(names):
                    yield f"{kind}:{name}"
        else:
            yield f"AWS:{_text(principal)}"


def _statements(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if is_policy(document):
        statements = document["Statement"]
    else:
        readable = [s for s in items(document["Statement"]) if isinstance(s, Mapping)]
        statements = canonical_policy({"Statement": readable})["Statement"]
    yield from statements if isinstance(statements, list) else [statements]


def _statement_permissions(statement: Mapping[str, Any]) -> Iterator[tuple[Permission, Written]]:
    principals = list(_principals(statement)) or [_OWNER]
    actions = list(_actions(statement))
    resources = list(_resources(statement)) or [_OWNER]
    for effect, principal, (action, name), resource, (condition, words) in product(
        _effects(statement.get("Effect")), principals, actions, resources, _conditions(statement)
    ):
        yield Permission(effect, principal, action, resource, condition), Written(name, words)


def _conditions(statement: Mapping[str, Any]) -> list[tuple[Condition, str]]:
    given = statement.get("Condition")
    branches = [(conditions(value), shown(value)) for value in alternatives(given)]
    return [*branches, ((), "")] if may_be_missing(given) else branches


def _effects(value: Any) -> Iterator[Effect]:
    """Yield Allow and Deny; an effect that is worked out at deployment may be either."""
    for effect in texts(value):
        if effect != "Deny":
            yield "Allow"
        if effect != "Allow":
            yield "Deny"


def _actions(statement: Mapping[str, Any]) -> Iterator[tuple[Term, str]]:
    for action in texts(statement.get("Action")):
        lower = action.lower() if "${" not in action else action
        yield Term(("*" if lower == "*:*" else lower,)), action
    if excluded := sorted(texts(statement.get("NotAction"))):
        yield Term(tuple(sorted(name.lower() for name in excluded)), negated=True), excluding(excluded)


def _resources(statement: Mapping[str, Any]) -> Iterator[Term]:
    for pattern in texts(statement.get("Resource")):
        yield Term((pattern,))
    if excluded := tuple(sorted(texts(statement.get("NotResource")))):
        yield Term(excluded, negated=True)


def _principals(statement: Mapping[str, Any]) -> Iterator[Term]:
    for principal in principal_terms(statement.get("Principal")):
        yield Term((principal,))
    if excluded := tuple(sorted(principal_terms(statement.get("NotPrincipal")))):
        yield Term(excluded, negated=True)


def excluding(excluded: Iterable[str]) -> str:
    """Return how a negated element reads."""
    return f"not ({', '.join(excluded)})"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
