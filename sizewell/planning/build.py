"""From a configuration and a catalog to the plan."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.instance_selection import Catalog, Measurement, load_catalog
from sizewell.kinds.registry import facet, kind_names
from sizewell.planning.bill import build_bill
from sizewell.planning.bill_plan import Bill
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_bill import foundation_line
from sizewell.planning.kind import BillKind
from sizewell.planning.lock import LockedEnvironment
from sizewell.planning.name_faults import name_faults
from sizewell.planning.names import names_in
from sizewell.planning.network_lookup import Context, NotLookedUpError
from sizewell.planning.place_plan import plan_place
from sizewell.planning.plan import DeploymentPlan, WorkingHoursPlan
from sizewell.planning.quotas import plan_quotas
from sizewell.planning.workload_plan import WorkloadPlan


def build_plan(
    environment: Environment,
    catalog: Catalog,
    *,
    lock: LockedEnvironment | None = None,
    measurements: Mapping[str, tuple[Measurement, ...]] = MappingProxyType({}),
    context: Context = MappingProxyType({}),
    within_budget: bool = True,
) -> DeploymentPlan:
    """Return the plan of an environment; raises ``PlanError`` with every workload that cannot be planned.

    Workloads keep what ``lock`` says while it is feasible. ``measurements`` are by workload. A plan above the budget is
    a fault as well, unless ``within_budget`` is False: for explaining the plan. ``context`` holds what was looked up; where
    only the network is missing there, the error is a ``NotLookedUpError``.
    """
    policy = environment.policy
    if of_names := tuple(name_faults(environment, catalog)):
        # A family that does not exist, among those allowed, turns every type down: noise beside the cause.
        raise PlanError(of_names)
    places = [
        plan_place(
            part,
            names_in(part, place),
            catalog
            if part.policy.region == policy.region
            else load_catalog(part.policy.region, catalog.refreshed),
            lock.workloads if lock else {},
            measurements,
            context,
        )
        for place, part in environment.parts()
    ]
    faults = [fault for place in places for fault in place.faults]
    lookups = [place.lookup for place in places if place.lookup is not None]
    if lookups and len(lookups) == len(faults):
        raise NotLookedUpError(lookups[0], *faults)
    foundations = [place.foundation for place in places if place.foundation is not None]
    if len(foundations) < len(places):
        raise PlanError(tuple(faults))
    regions = {foundation.place: foundation.region for foundation in foundations}
    planned = [workload for place in places for workload in place.workloads]
    workloads = tuple(sorted(planned, key=lambda plan: _rank(plan, environment)))
    lines = (
        *(facet(workload.kind, BillKind).line(workload, regions[workload.place]) for workload in workloads),
        *(foundation_line(foundation) for foundation in foundations),
    )
    bill = build_bill(lines, policy.budget_usd_per_month)
    if within_budget:
        faults.extend(_over_budget(bill, environment.name, {one.name for one in workloads}))
    if faults:
        raise PlanError(tuple(faults))
    return DeploymentPlan(
        platform=environment.platform,
        environment=environment.name,
        account=policy.account,
        region=policy.region,
        production=policy.production,
        catalog_version=catalog.version,
        nag_packs=tuple(pack.value for pack in policy.nag_packs),
        tags=dict(sorted(environment.tags.items())),
        working_hours=WorkingHoursPlan(
            **policy.working_hours.model_dump(), hours_per_week=policy.working_hours.hours_per_week
        )
        if policy.working_hours
        else None,
        role_path=policy.role_path,
        foundation=foundations[0],
        places=tuple(foundations[1:]),
        workloads=workloads,
        bill=bill,
        quotas=plan_quotas(workloads, {one.place: one for one in foundations}),
    )


def _rank(plan: WorkloadPlan, environment: Environment) -> int:
    """Return the place of the kind of a plan among others; what runs in a cluster has that of its kind in the configuration."""
    is_configured = plan.kind in kind_names()
    return facet(plan.kind if is_configured else environment.workloads[plan.name].kind, ConfigKind).rank


def _over_budget(bill: Bill, environment_name: str, workloads: Collection[str]) -> list[PlanFault]:
    budget = bill.budget_usd_per_month
    if budget is None or bill.usd_per_month is None or bill.usd_per_month <= budget:
        return []
    lines = sorted(bill.lines, key=lambda line: (-(line.usd_per_month or 0.0), line.workload))
    parts = ", ".join(
        f"{line.workload} {'unknown' if line.usd_per_month is None else f'{line.usd_per_month:,.2f}'}"
        for line in lines
    )
    fixed = (
        ", ".join(f"{name}: {usd:,.2f}" for name, usd in bill.fixed_costs().items())
        or "none of them has a known price"
    )
    dearest = next((line.workload for line in lines if line.workload in workloads), "WORKLOAD")
    return [
        PlanFault(
            ("policy", "budget_usd_per_month"),
            f"the plan costs {bill.usd_per_month:,.2f} USD per month, the budget is {budget:,.2f} ({parts})\n"
            f"fixed costs, whatever the load: {bill.fixed_usd_per_month:,.2f} of it ({fixed})",
            "raise the budget or ask for less; what each type costs: "
            f"sizewell explain {dearest} --env {environment_name}",
        )
    ]
