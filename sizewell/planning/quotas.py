"""The quotas that an account must have in a region for all workloads of a plan."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sizewell.facts.quotas import FUNCTION_CONCURRENCY, QuotaService
from sizewell.facts.serving_modes import Mode, limit
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.workload_plan import PlanModel, WorkloadPlan


class QuotaPlan(PlanModel):
    """A quota of Service Quotas, and what it has to be at least."""

    account: str
    region: str
    service: QuotaService
    name: str
    needed: int
    """Of this plan alone: what else runs in the account comes on top."""


def plan_quotas(
    workloads: Iterable[WorkloadPlan], foundations: Mapping[str | None, FoundationPlan]
) -> tuple[QuotaPlan, ...]:
    """Return the quotas by account, region and name: as if all workloads ran, and endpoints were updated, at the same time."""
    counts: Counter[tuple[str, str, QuotaService, str]] = Counter()
    for workload in workloads:
        where = foundations[workload.place]
        for service, name, count in workload.quotas:
            counts[where.account, where.region, service, name] += count
    unreserved = int(limit(Mode.LAMBDA, "unreserved_concurrency"))
    return tuple(
        QuotaPlan(
            account=account,
            region=region,
            service=service,
            name=name,
            # Lambda leaves so much to other functions, whatever is reserved.
            needed=count + (unreserved if name == FUNCTION_CONCURRENCY else 0),
        )
        for (account, region, service, name), count in sorted(counts.items())
    )
