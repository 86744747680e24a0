"""What nobody may overlook: what everybody can reach, and who may do everything."""

import re
from collections.abc import Iterator

from sizewell.review.model import Grant, IamChange, Review, SecurityChange

#: Rules of the security section after which everybody reaches what only some reached.
EXPOSING_RULES = frozenset({"internet-gateway-added", "public-principal"})
#: The hazard of a setting that lets everybody in.
EXPOSED = "publicly-reachable"
#: Rules that say from where, and are exposures when that is everywhere.
OPENING_RULES = frozenset({"network-acl-opened", "security-group-opened"})
_FROM_EVERYBODY = re.compile(r"\bfrom [^ ,;]+ \(everybody\)")
#: AWS's own policies with which one can give oneself everything else.
_EVERYTHING_POLICIES = ("/AdministratorAccess", "/IAMFullAccess", "/PowerUserAccess")
_EVERYTHING_ACTIONS = ("*", "iam:*", "iam:PassRole")


def public_exposures(review: Review) -> Iterator[SecurityChange]:
    """Yield what everybody can reach that could not be reached before."""
    for change in review.security.others:
        opened = change.rule in OPENING_RULES and _FROM_EVERYBODY.search(change.head)
        if change.direction == "weaker" and (change.rule in EXPOSING_RULES or opened):
            yield change


def new_administrators(review: Review) -> Iterator[IamChange]:
    """Yield the policies that now let somebody do everything, or give themselves everything."""
    for change in review.security.iam:
        if change.direction == "broadened" and any(_gives_everything(grant) for grant in change.grants):
            yield change


def _gives_everything(grant: Grant) -> bool:
    if grant.effect != "Allow" or grant.condition:
        return False
    if grant.action.startswith("everything of "):
        return grant.action.endswith(_EVERYTHING_POLICIES)
    return grant.resource == "*" and grant.action in _EVERYTHING_ACTIONS
