"""Service quotas that an account needs, by AWS's names."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from sizewell.planning.saved_plan import SavedPlan
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule


@hazard_rule("availability")
def quota_raised(environment: EnvironmentPair) -> Iterator[Found]:
    """The account needs a higher service quota: for more instances of a type, or for more requests at a time."""
    base, head = (_needed(side.plan if side else None) for side in (environment.base, environment.head))
    if head is None or (base is None and environment.base is not None):  # unknown
        return
    before = base or {}
    raised = [key for key, needed in head.items() if needed > before.get(key, 0)]
    for (account, region), keys in groupby(raised, lambda key: key[:2]):
        yield Found(
            "notice",
            "",
            None,
            f"account {account}, {region}",
            "quotas that are needed: "
            + "; ".join(f"{key[2]} {before.get(key, 0)} → {head[key]}" for key in keys),
            "AWS refuses what exceeds a quota: the endpoint is not updated, and a job tries its next instance type or fails. "
            "Other workloads in the account count, too. The review does not know the quotas of the account.",
            "Compare with Service Quotas before you deploy, and request an increase there.",
        )


def _needed(plan: SavedPlan | None) -> Mapping[tuple[str, str, str], int] | None:
    if plan is None or plan.quotas is None:
        return None
    return {(quota.account, quota.region, quota.name): quota.needed for quota in plan.quotas}
