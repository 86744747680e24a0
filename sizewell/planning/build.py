"""From a configuration and a catalog to the plan."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.environment import Environment
from sizewell.instance_selection import Catalog, Measurement, NoFeasibleInstanceError, load_catalog
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.bill import build_bill
from sizewell.planning.bill_lines import endpoint_line, foundation_line, training_line
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan import plan_foundation
from sizewell.planning.infeasible import no_feasible_fault, unknown_type_fault
from sizewell.planning.lock import LockedEnvironment, LockedWorkload
from sizewell.planning.modes import mode_faults
from sizewell.planning.name_faults import name_faults
from sizewell.planning.names import Names, names_in
from sizewell.planning.plan import (
    Bill,
    DeploymentPlan,
    EndpointPlan,
    FoundationPlan,
    TrainingJobPlan,
)
from sizewell.planning.preset_models import preset_faults
from sizewell.planning.training_plan import definition_faults, plan_training_job


def build_plan(
    environment: Environment,
    catalog: Catalog,
    *,
    lock: LockedEnvironment | None = None,
    measurements: Mapping[str, tuple[Measurement, ...]] = MappingProxyType({}),
    within_budget: bool = True,
) -> DeploymentPlan:
    """Return the plan of an environment; raises ``PlanError`` with every workload that cannot be planned.

    Workloads keep what ``lock`` says while it is feasible. ``measurements`` are by workload. A plan above the budget is
    a fault as well, unless ``within_budget`` is False: for explaining the plan.
    """
    policy = environment.policy
    if of_names := tuple(name_faults(environment, catalog)):
        # A family that does not exist, among those allowed, turns every type down: noise beside the cause.
        raise PlanError(of_names)
    parts = [
        _plan_part(
            part,
            names_in(part, place),
            catalog if part.policy.region == policy.region else load_catalog(part.policy.region),
            lock.workloads if lock else {},
            measurements,
        )
        for place, part in environment.parts()
    ]
    endpoints = tuple(endpoint for part in parts for endpoint in part.endpoints)
    jobs = tuple(job for part in parts for job in part.training_jobs)
    lines = (
        *(endpoint_line(endpoint, part.foundation.region) for part in parts for endpoint in part.endpoints),
        *(training_line(job, part.foundation.region) for part in parts for job in part.training_jobs),
        *(foundation_line(part.foundation) for part in parts),
    )
    bill = build_bill(lines, policy.budget_usd_per_month)
    faults = [fault for part in parts for fault in part.faults]
    if within_budget:
        faults.extend(
            _over_budget(bill, environment.name, {one.name for part in parts for one in part.workloads})
        )
    if faults:
        raise PlanError(tuple(faults))
    foundation, *elsewhere = (part.foundation for part in parts)
    return DeploymentPlan(
        platform=environment.platform,
        environment=environment.name,
        account=policy.account,
        region=policy.region,
        production=policy.production,
        catalog_version=catalog.version,
        nag_packs=tuple(pack.value for pack in policy.nag_packs),
        tags=dict(sorted(environment.tags.items())),
        role_path=policy.role_path,
        foundation=foundation,
        places=tuple(elsewhere),
        endpoints=endpoints,
        training_jobs=jobs,
        bill=bill,
    )


@dataclass
class _Part:
    """What runs in one place, and every need of it that nothing meets."""

    foundation: FoundationPlan
    endpoints: list[EndpointPlan] = field(default_factory=list)
    training_jobs: list[TrainingJobPlan] = field(default_factory=list)
    faults: list[PlanFault] = field(default_factory=list)

    @property
    def workloads(self) -> list[EndpointPlan | TrainingJobPlan]:
        return [*self.endpoints, *self.training_jobs]


def _plan_part(
    environment: Environment,
    names: Names,
    catalog: Catalog,
    locked_workloads: Mapping[str, LockedWorkload],
    measurements: Mapping[str, tuple[Measurement, ...]],
) -> _Part:
    policy = environment.policy
    part = _Part(plan_foundation(environment, names))
    for name, workload in environment.workloads.items():
        if of_preset := tuple(preset_faults(name, workload)):
            part.faults.extend(of_preset)
            continue
        locked, measured = locked_workloads.get(name), measurements.get(name, ())
        try:
            if isinstance(workload, RealTimeEndpoint):
                endpoint = plan_endpoint(name, workload, policy, catalog, names, locked, measured)
                part.endpoints.append(endpoint)
                part.faults.extend(mode_faults(name, workload, policy, endpoint.modes))
                part.faults.extend(alarm_faults(workload, endpoint))
            else:
                job = plan_training_job(
                    name, workload, policy, catalog, names, locked, measured, environment.tags
                )
                part.training_jobs.append(job)
                part.faults.extend(definition_faults(job))
        except UnknownInstanceTypeError as error:
            known = frozenset(instance_type.name for instance_type in catalog.instance_types)
            part.faults.append(unknown_type_fault(name, error, known))
        except NoFeasibleInstanceError as error:
            part.faults.append(no_feasible_fault(name, workload, error))
    return part


def _over_budget(bill: Bill, environment_name: str, workloads: Collection[str]) -> list[PlanFault]:
    budget = bill.budget_usd_per_month
    if budget is None or bill.usd_per_month <= budget:
        return []
    lines = sorted(bill.lines, key=lambda line: (-(line.usd_per_month or 0.0), line.workload))
    parts = ", ".join(
        f"{line.workload} {'unknown' if line.usd_per_month is None else f'{line.usd_per_month:,.2f}'}"
        for line in lines
    )
    fixed = ", ".join(f"{name}: {usd:,.2f}" for name, usd in bill.fixed_costs().items()) or "none is known"
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
