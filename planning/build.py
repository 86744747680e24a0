"""From a configuration and a catalog to the plan."""

from config.endpoint import RealTimeEndpoint
from config.environment import Environment
from config.network import NewNetwork
from config.training import TrainingJob
from instance_selection import Catalog, NoFeasibleInstanceError
from instance_selection.catalog import UnknownInstanceTypeError
from planning.bill import build_bill
from planning.endpoint_plan import plan_endpoint
from planning.errors import PlanError, PlanFault
from planning.names import Names
from planning.plan import (
    Bill,
    DeploymentPlan,
    EndpointPlan,
    ExistingNetworkPlan,
    FoundationPlan,
    NewNetworkPlan,
    TrainingJobPlan,
)
from planning.training_plan import plan_training_job


def build_plan(environment: Environment, catalog: Catalog) -> DeploymentPlan:
    """Return the plan of an environment; raises ``PlanError`` with every workload that cannot be planned."""
    policy = environment.policy
    names = Names(environment.platform, environment.name, policy.account, policy.region)
    endpoints: list[EndpointPlan] = []
    jobs: list[TrainingJobPlan] = []
    faults: list[PlanFault] = []
    for name, workload in environment.workloads.items():
        try:
            if isinstance(workload, RealTimeEndpoint):
                endpoints.append(plan_endpoint(name, workload, policy, catalog, names))
            else:
                jobs.append(plan_training_job(name, workload, policy, catalog, names))
        except UnknownInstanceTypeError as error:
            faults.append(PlanFault(("workloads", name, "instances", "instance_type"), str(error)))
        except NoFeasibleInstanceError as error:
            faults.append(_no_feasible_fault(name, workload, error))
    planned: tuple[EndpointPlan | TrainingJobPlan, ...] = (*endpoints, *jobs)
    bill = build_bill(((w.name, w.selection.chosen.cost) for w in planned), policy.budget_usd_per_month)
    faults.extend(_over_budget(bill))
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
        foundation=_plan_foundation(environment, names),
        endpoints=tuple(endpoints),
        training_jobs=tuple(jobs),
        bill=bill,
    )


def _no_feasible_fault(
    name: str, workload: RealTimeEndpoint | TrainingJob, error: NoFeasibleInstanceError
) -> PlanFault:
    pinned = workload.instances.instance_type
    if pinned is None:
        return PlanFault(("workloads", name), str(error))
    # All others were turned down for not being the pinned one: only its own reason matters.
    own = next(rejection for rejection in error.nearest if rejection.instance_type == pinned)
    return PlanFault(
        ("workloads", name, "instances", "instance_type"),
        f"{pinned} cannot be used: {own.filter}: {own.reason}",
    )


def _over_budget(bill: Bill) -> list[PlanFault]:
    budget = bill.budget_usd_per_month
    if budget is None or bill.usd_per_month <= budget:
        return []
    lines = sorted(bill.lines, key=lambda line: (-(line.usd_per_month or 0.0), line.workload))
    parts = ", ".join(f"{line.workload} {line.usd_per_month or 0:,.0f}" for line in lines)
    reason = f"the plan costs {bill.usd_per_month:,.0f} USD per month, the budget is {budget:,.0f} ({parts})"
    return [PlanFault(("policy", "budget_usd_per_month"), reason)]


def _plan_foundation(environment: Environment, names: Names) -> FoundationPlan:
    network = environment.network
    return FoundationPlan(
        stack_name=names.foundation_stack,
        parameter_prefix=names.parameter_prefix,
        network=NewNetworkPlan(
            cidr=network.cidr,
            availability_zones=network.availability_zones,
            interface_endpoints=network.interface_endpoints,
        )
        if isinstance(network, NewNetwork)
        else ExistingNetworkPlan(vpc_id=network.vpc_id, subnet_ids=network.subnet_ids),
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
