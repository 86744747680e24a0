"""Policies that let in everybody, or another account."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, policy_rule
from sizewell.templates.iam.changes import PermissionChange
from sizewell.templates.iam.conditions import Clause, is_everywhere
from sizewell.templates.iam.patterns import is_fixed, names_an_account
from sizewell.templates.iam.permissions import EVERYBODY, Permission, Permissions
from sizewell.templates.template import Stack

#: Their policies say what may pass, and open nothing: whoever passes still needs a permission of the service behind.
_FILTERS = ("AWS::EC2::VPCEndpoint",)


def _before(separator: str) -> Callable[[str], bool]:
    return lambda value: is_fixed(value.partition(separator)[0])


def _names_an_arn(value: str) -> bool:
    return value.startswith("{") or names_an_account(value)


def _is_somewhere(value: str) -> bool:
    return is_fixed(value) and not is_everywhere(value)


#: Keys that hold a policy to callers that are known, and which of their values do.
#: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html (The meaning of "public")
_CONFINING: Mapping[str, Callable[[str], bool]] = {
    "aws:principalaccount": is_fixed,
    "aws:principalarn": _names_an_arn,
    "aws:principalorgid": is_fixed,
    "aws:principalorgpaths": _before("/"),
    "aws:sourceaccount": is_fixed,
    "aws:sourcearn": _names_an_arn,
    "aws:sourceip": _is_somewhere,
    "aws:sourceorgid": is_fixed,
    "aws:sourceorgpaths": _before("/"),
    "aws:sourceowner": is_fixed,
    "aws:sourcevpc": is_fixed,
    "aws:sourcevpce": is_fixed,
    "aws:userid": _before(":"),
    "kms:calleraccount": is_fixed,
    "s3:dataaccesspointaccount": is_fixed,
    "s3:dataaccesspointarn": _names_an_arn,
}
_POSITIVE = ("stringequals", "stringequalsignorecase", "stringlike", "arnequals", "arnlike", "ipaddress")
_ACCOUNT = re.compile(r"AWS:(?:arn:[^:]*:[^:]*:[^:]*:)?(\d{12})(?::.*)?")
_NOBODY = "none"


@policy_rule
def public_principals(stack: StackChange, change: PermissionChange) -> Iterator[SecurityChange]:
    """Yield policies that allow everybody something that they did not, or no longer do."""
    owner = stack.head.get(change.owner) or stack.base.get(change.owner)
    if owner is not None and owner.resource_type in _FILTERS:
        return
    opened = any(_is_public(p) and p in change.head for p in change.broadened)
    closed = any(_is_public(p) and p in change.base for p in change.narrowed)
    if not opened and not (closed and change.owner in stack.head):
        return
    yield stack.change(
        "public-principal",
        "weaker" if opened else "stronger",
        change.owner,
        base=_public_actions(change.base),
        head=_public_actions(change.head),
        why="Everybody is allowed this, with any AWS account or with none."
        if opened
        else "Everybody was allowed this.",
    )


@policy_rule
def foreign_accounts(stack: StackChange, change: PermissionChange) -> Iterator[SecurityChange]:
    """Yield accounts that are let in and were not, or no longer are."""
    pair = stack.pair
    before, after = _foreign(change.base, pair.base), _foreign(change.head, pair.head)
    added, removed = sorted(after - before), sorted(before - after)
    shown = {
        "base": ", ".join(sorted(before)) or _NOBODY,
        "head": ", ".join(sorted(after)) or _NOBODY,
    }
    if added:
        yield stack.change(
            "foreign-account-trusted",
            "weaker",
            change.owner,
            **shown,
            why=f"Administrators of {', '.join(added)} decide who gets access.",
        )
    elif removed and not change.is_gone:
        yield stack.change(
            "foreign-account-trusted",
            "stronger",
            change.owner,
            **shown,
            why=f"{', '.join(removed)} no longer has access.",
        )


def _is_public(permission: Permission) -> bool:
    principal = permission.principal
    return (
        permission.effect == "Allow"
        and (principal.negated or principal.patterns == (EVERYBODY,))
        and not any(_confines(clause) for clause in permission.condition)
    )


def _confines(clause: Clause) -> bool:
    operator = clause.operator.removeprefix("foranyvalue:")
    confines = _CONFINING.get(clause.key)
    return (
        confines is not None
        and operator in _POSITIVE
        and not clause.if_exists
        and all(confines(value) for value in clause.values)
    )


def _public_actions(permissions: Permissions) -> str:
    actions = {
        " ".join((written.action, *map(str, p.guards))) for p, written in permissions.items() if _is_public(p)
    }
    return ", ".join(sorted(actions)) or _NOBODY


def _foreign(permissions: Iterable[Permission], stack: Stack | None) -> set[str]:
    """Return the accounts that are let in, and are not that of the stack."""
    found = {
        account[1]
        for p in permissions
        if p.effect == "Allow" and not p.principal.negated
        for pattern in p.principal.patterns
        if (account := _ACCOUNT.fullmatch(pattern))
    }
    return found - {stack.account if stack and stack.account else ""}
