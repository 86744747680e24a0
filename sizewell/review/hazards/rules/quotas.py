"""What an account must be allowed: Service Quotas, by AWS's names."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from sizewell.planning.saved_plan import SavedPlan
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule


@hazard_rule
def quota_raised(environment: EnvironmentPair) -> Iterator[Found]:
    """The account must be allowed more instances of a type, or more requests at a time, than before."""
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
            "quotas to have at least: "
            + "; ".join(f"{key[2]} {before.get(key, 0)} → {head[key]}" for key in keys),
            "Beyond a quota AWS refuses: the endpoint is not updated, a job tries its next instance type or fails. What "
            "else runs in the account counts, too, and what the account has is not known offline.",
            "Compare with Service Quotas before you deploy, and ask for more there.",
        )


def _needed(plan: SavedPlan | None) -> Mapping[tuple[str, str, str], int] | None:
    if plan is None or plan.quotas is None:
        return None
    return {(one.account, one.region, one.name): one.needed for one in plan.quotas}
