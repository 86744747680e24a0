"""Who is given the permission to invoke an endpoint: roles of its account, and roles of others."""

from sizewell.config.access import Access
from sizewell.config.arn_rules import account_of
from sizewell.planning.workload_plan import AccessPlan


def plan_access(access: Access | None, account: str, *, streams: bool = False) -> AccessPlan | None:
    """Return who may invoke an endpoint of the account; the order of the configuration does not matter."""
    if access is None:
        return None
    callers = sorted(access.callers)
    return AccessPlan(
        role_arns=tuple(arn for arn in callers if account_of(arn) == account),
        role_arns_elsewhere=tuple(arn for arn in callers if account_of(arn) != account),
        streams=streams,
    )
