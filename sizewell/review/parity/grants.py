"""Policy documents as grants in words: who may do what, on what kind of thing, under which conditions."""

from collections.abc import Callable, Mapping
from typing import Any

from sizewell.templates.iam.conditions import Clause
from sizewell.templates.iam.permissions import OWNER, Permission, Term
from sizewell.templates.iam.statements import document_permissions

_ALL = "*"


def grants(document: Mapping[str, Any], normalise: Callable[[str], str]) -> Mapping[str, str]:
    """Return each grant of a canonical policy document as people wrote it, by what of it counts.

    Of a resource its service and type count, and whether all of them are meant: names differ by environment. Of a
    condition its keys count: values differ as well.
    """
    found = {}
    for permission, written in document_permissions(document).items():
        keys = " and ".join(normalise(_key(clause)) for clause in permission.condition)
        action = _words(permission.action, normalise if permission.action.opaque else str)
        named = action if permission.action.negated else written.action
        counts = _grant(permission, action, keys, normalise)
        found[counts] = _grant(permission, named, written.condition, normalise)
    return found


def _grant(permission: Permission, action: str, condition: str, normalise: Callable[[str], str]) -> str:
    on = _words(permission.resource, lambda name: _kind_of_resource(normalise(name)))
    who = _words(permission.principal, lambda name: normalise(" ".join(name.split(":", 1))))
    parts = (
        f"{permission.effect} {action}",
        f"on {on}" if on else "",
        f"for {who}" if who else "",
        f"if {condition}" if condition else "",
        *map(str, permission.guards),
    )
    return " ".join(part for part in parts if part)


def _key(clause: Clause) -> str:
    """Return operator and key; of what cannot be read all of it."""
    if_exists = "ifexists" if clause.if_exists else ""
    return f"{clause.operator}{if_exists} {clause.key or ', '.join(clause.values)}"


def _words(term: Term, name_of: Callable[[str], str]) -> str:
    """Return a term in words, empty for the owner of the policy."""
    if term.patterns == (OWNER,):
        return ""
    names = ", ".join(sorted({name_of(pattern) for pattern in term.patterns}))
    return f"all but {names}" if term.negated else names


def _kind_of_resource(resource: str) -> str:
    parts = resource.split(":", 5)
    if len(parts) < 6 or parts[0] != "arn":
        return resource
    service, name = parts[2], parts[5]
    if service == "s3":
        return "s3 " + (_ALL if name == _ALL else "objects" if "/" in name else "bucket")
    separator = next((c for c in name if c in "/:"), None)
    if separator is None:
        return f"{service} {_ALL if name == _ALL else 'by name'}"
    kind, _, rest = name.partition(separator)
    return f"{service} {kind}" + (f"{separator}*" if rest == _ALL else "")
