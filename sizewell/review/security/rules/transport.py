"""Policies that refuse requests without TLS: those denials in words."""

from collections.abc import Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, policy_rule
from sizewell.templates.alternatives import always
from sizewell.templates.iam.changes import PermissionChange
from sizewell.templates.iam.permissions import Permissions, refuses_no_tls

_ENFORCED, _NOT_ENFORCED = "requests without TLS are denied", "requests without TLS are accepted"


@policy_rule
def tls_enforcement(stack: StackChange, change: PermissionChange) -> Iterator[SecurityChange]:
    """Yield resources whose policy no longer refuses requests without TLS, or does so from now on."""
    before, after = _enforces(change.base), _enforces(change.head)
    if before and not after and not change.is_gone:
        yield stack.change(
            "tls-enforcement-lost",
            "weaker",
            change.owner,
            base=_ENFORCED,
            head=_NOT_ENFORCED,
            why="Requests without TLS are accepted, and others can read them.",
        )
    elif after and not before and not change.is_new:
        yield stack.change(
            "tls-enforcement-gained",
            "stronger",
            change.owner,
            base=_NOT_ENFORCED,
            head=_ENFORCED,
            why="Requests without TLS are refused.",
        )


def _enforces(permissions: Permissions) -> bool:
    """Tell whether they are refused for certain: a condition of the template may leave a statement out."""
    return always([permission.guards for permission in permissions if refuses_no_tls(permission)])
