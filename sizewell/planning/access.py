"""Who is given the permission to invoke an endpoint: roles of its account, roles of others, and callers of its API."""

from sizewell.config.access import Access
from sizewell.config.arn_rules import account_of
from sizewell.instance_selection import EndpointRequirements
from sizewell.planning.api_gateway import plan_api_gateway
from sizewell.planning.workload_plan import AccessPlan


def plan_access(
    access: Access | None,
    account: str,
    needs: EndpointRequirements,
    *,
    answer_s: float,
    streams: bool = False,
) -> AccessPlan | None:
    """Return who may invoke an endpoint of the account; the order of the configuration does not matter."""
    if access is None:
        return None
    callers = sorted(access.callers)
    return AccessPlan(
        role_arns=tuple(arn for arn in callers if account_of(arn) == account),
        role_arns_elsewhere=tuple(arn for arn in callers if account_of(arn) != account),
        streams=streams,
        api_gateway=plan_api_gateway(access.api_gateway, needs, answer_s) if access.api_gateway else None,
    )
