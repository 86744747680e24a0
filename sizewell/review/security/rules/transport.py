"""Policies that refuse requests without TLS: those denials in words."""

from collections.abc import Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import OwnerChange, policy_rule
from sizewell.templates.alternatives import always
from sizewell.templates.iam.conditions import Clause
from sizewell.templates.iam.permissions import Permissions

_ENFORCED, _NOT_ENFORCED = "requests without TLS are denied", "requests without TLS are accepted"


@policy_rule
def tls_enforcement(change: OwnerChange) -> Iterator[SecurityChange]:
    """Yield resources whose policy no longer refuses requests without TLS, or does so from now on."""
    before, after = _enforces(change.base), _enforces(change.head)
    if before and not after and not change.stack.is_gone(change.owner):
        yield change.stack.change(
            "tls-enforcement-lost",
            "weaker",
            change.owner,
            base=_ENFORCED,
            head=_NOT_ENFORCED,
            why="Requests without TLS are accepted, and others can read them.",
        )
    elif after and not before and not change.stack.is_new(change.owner):
        yield change.stack.change(
            "tls-enforcement-gained",
            "stronger",
            change.owner,
            base=_NOT_ENFORCED,
            head=_ENFORCED,
            why="Requests without TLS are refused.",
        )


def _enforces(permissions: Permissions) -> bool:
    """Tell whether they are refused for certain: a condition of the template may leave a statement out."""
    cases = [
        p.guards
        for p in permissions
        if p.effect == "Deny" and any(_is_plain(clause) for clause in p.condition)
    ]
    return always(cases)


def _is_plain(clause: Clause) -> bool:
    return clause.operator == "bool" and clause.key == "aws:securetransport" and clause.values == ("false",)
