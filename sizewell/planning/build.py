"""From a configuration and a catalog to the plan."""

from collections.abc import Mapping
from types import MappingProxyType

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.environment import Environment
from sizewell.instance_selection import Catalog, Measurement, NoFeasibleInstanceError
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.planning.bill import build_bill
from sizewell.planning.bill_lines import endpoint_line, foundation_line, training_line
from sizewell.planning.bootstrap import plan_bootstrap
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.infeasible import no_feasible_fault, unknown_type_fault
from sizewell.planning.lock import LockedEnvironment
from sizewell.planning.modes import mode_faults
from sizewell.planning.name_faults import name_faults
from sizewell.planning.names import Names
from sizewell.planning.network import plan_network
from sizewell.planning.network_lookup import Context
from sizewell.planning.plan import (
    Bill,
    DeploymentPlan,
    EndpointPlan,
    ExistingNetworkPlan,
    FoundationPlan,
    NewNetworkPlan,
    TrainingJobPlan,
)
from sizewell.planning.preset_models import preset_faults
from sizewell.planning.proxy import bypass_faults, variables_with_proxy
from sizewell.planning.saved_files import FOUNDATION
from sizewell.planning.training_plan import definition_faults, plan_training_job


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
    names = Names(environment.platform, environment.name, policy.account, policy.region)
    endpoints: list[EndpointPlan] = []
    jobs: list[TrainingJobPlan] = []
    faults = list(name_faults(environment, catalog, names))
    if faults:
        # A family that does not exist, among those allowed, turns every type down: noise beside the cause.
        raise PlanError(tuple(faults))
    locked_workloads = lock.workloads if lock else {}
    for name, workload in environment.workloads.items():
        if of_preset := tuple(preset_faults(name, workload)):
            faults.extend(of_preset)
            continue
        locked, measured = locked_workloads.get(name), measurements.get(name, ())
        try:
            if isinstance(workload, RealTimeEndpoint):
                endpoints.append(plan_endpoint(name, workload, policy, catalog, names, locked, measured))
                faults.extend(mode_faults(name, workload, policy, endpoints[-1].modes))
            else:
                jobs.append(
                    plan_training_job(
                        name, workload, policy, catalog, names, locked, measured, environment.tags
                    )
                )
                faults.extend(definition_faults(jobs[-1]))
        except UnknownInstanceTypeError as error:
            known = frozenset(instance_type.name for instance_type in catalog.instance_types)
            faults.append(unknown_type_fault(name, error, known))
        except NoFeasibleInstanceError as error:
            faults.append(no_feasible_fault(name, workload, error))
    try:
        network = plan_network(environment, context)
    except PlanError as error:
        if not faults:
            raise
        raise PlanError((*faults, *error.faults)) from None
    endpoints = [
        endpoint.model_copy(update={"environment": variables_with_proxy(endpoint, environment, network)})
        for endpoint in endpoints
    ]
    jobs = [
        job.model_copy(update={"environment": variables_with_proxy(job, environment, network)})
        for job in jobs
    ]
    workloads: tuple[EndpointPlan | TrainingJobPlan, ...] = (*endpoints, *jobs)
    faults.extend(fault for workload_plan in workloads for fault in bypass_faults(workload_plan))
    foundation = _plan_foundation(environment, names, network)
    lines = (
        *(endpoint_line(endpoint, policy.region) for endpoint in endpoints),
        *(training_line(job, policy.region) for job in jobs),
        foundation_line(foundation, policy.region),
    )
    bill = build_bill(lines, policy.budget_usd_per_month)
    if within_budget:
        faults.extend(_over_budget(bill, environment.name))
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
        permissions_boundary_arn=policy.permissions_boundary_arn,
        role_path=policy.role_path,
        bootstrap=plan_bootstrap(environment.bootstrap),
        foundation=foundation,
        endpoints=tuple(endpoints),
        training_jobs=tuple(jobs),
        bill=bill,
    )


def _over_budget(bill: Bill, environment_name: str) -> list[PlanFault]:
    budget = bill.budget_usd_per_month
    if budget is None or bill.usd_per_month <= budget:
        return []
    lines = sorted(bill.lines, key=lambda line: (-(line.usd_per_month or 0.0), line.workload))
    parts = ", ".join(
        f"{line.workload} {'unknown' if line.usd_per_month is None else f'{line.usd_per_month:,.2f}'}"
        for line in lines
    )
    fixed = ", ".join(f"{name}: {usd:,.2f}" for name, usd in bill.fixed_costs().items()) or "none is known"
    dearest = next((line.workload for line in lines if line.workload != FOUNDATION), "WORKLOAD")
    return [
        PlanFault(
            ("policy", "budget_usd_per_month"),
            f"the plan costs {bill.usd_per_month:,.2f} USD per month, the budget is {budget:,.2f} ({parts})\n"
            f"fixed costs, whatever the load: {bill.fixed_usd_per_month:,.2f} of it ({fixed})",
            "raise the budget or ask for less; what each type costs: "
            f"sizewell explain {dearest} --env {environment_name}",
        )
    ]


def _plan_foundation(
    environment: Environment, names: Names, network: NewNetworkPlan | ExistingNetworkPlan
) -> FoundationPlan:
    return FoundationPlan(
        stack_name=names.foundation_stack,
        name_prefix=names.prefix,
        parameter_prefix=names.parameter_prefix,
        network=network,
        artifact_bucket_name=names.bucket("artifacts"),
        checkpoint_bucket_name=names.bucket("checkpoints"),
        access_log_bucket_name=names.bucket("access-logs"),
        alarm_topic_name=f"{names.prefix}-alarms",
        key_alias_prefix=names.prefix,
        retain_state=environment.policy.removal == "retain",
        log_retention_days=environment.policy.log_retention_days,
        checkpoint_expiry_days=environment.storage.checkpoint_expiry_days,
        noncurrent_version_expiry_days=environment.storage.noncurrent_version_expiry_days,
        alarm_emails=environment.notifications.emails,
    )
