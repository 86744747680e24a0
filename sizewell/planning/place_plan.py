"""The decisions for what runs in one account and region."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sizewell.config.cluster import CHEAPEST, target_of
from sizewell.config.cluster_rules import possible_targets
from sizewell.config.environment import Environment
from sizewell.config.instances import OnInstances
from sizewell.config.place_rules import path_of_place
from sizewell.config.variant_names import endpoint_of
from sizewell.instance_selection import Catalog, Measurement, NoFeasibleInstanceError
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.kinds.registry import facet
from sizewell.planning.compiled_artifacts import compiled_artifact_faults
from sizewell.planning.context_length import model_faults
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan import plan_foundation
from sizewell.planning.foundation_plan_model import (
    FoundationPlan,
    NetworkLookup,
)
from sizewell.planning.infeasible import no_feasible_fault, unknown_type_fault
from sizewell.planning.kind import PlanKind, Stated, plan_workload
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.names import Names
from sizewell.planning.network import plan_network
from sizewell.planning.network_lookup import Context, NotLookedUpError
from sizewell.planning.proxy import proxy_variables
from sizewell.planning.target_choice import plan_where_cheapest
from sizewell.planning.variants import faults_as_written, join_variants
from sizewell.planning.workload_plan import JobPlan, StateMachinePlan, WorkloadPlan


@dataclass
class PlacePlan:
    """What runs in one place, and every need of it that nothing meets."""

    foundation: FoundationPlan | None = None
    """None where there is no network."""
    workloads: list[WorkloadPlan] = field(default_factory=list)
    faults: list[PlanFault] = field(default_factory=list)
    lookup: NetworkLookup | None = None
    """What nobody has looked up; one of the faults says so."""


def plan_place(
    environment: Environment,
    names: Names,
    catalog: Catalog,
    locked_workloads: Mapping[str, LockedWorkload],
    measurements: Mapping[str, tuple[Measurement, ...]],
    context: Context,
) -> PlacePlan:
    """Return the plan of a place; ``environment`` is the part of the whole one that runs there."""
    policy, planned = environment.policy, PlacePlan()
    apart = environment.apart()
    # What runs others comes last.
    for name, workload in sorted(apart.workloads.items(), key=lambda item: bool(item[1].runs())):
        if of_models := tuple(model_faults(name, workload)):
            planned.faults.extend(of_models)
            continue
        stated = Stated(
            name=name,
            workload=workload,
            policy=policy,
            catalog=catalog,
            names=names,
            locked=locked_workloads.get(name),
            measurements=measurements.get(name, ()),
            environment_tags=environment.tags,
            jobs={plan.name: plan for plan in planned.workloads if isinstance(plan, JobPlan)},
            others=apart.workloads,
            cluster=environment.clusters.get(target_of(workload) or ""),
        )
        try:
            if target_of(workload) == CHEAPEST:
                clusters = environment.clusters
                targets = possible_targets(environment.workloads[endpoint_of(name)], environment)
                plan, faults = plan_where_cheapest(stated, targets, clusters)
            else:
                plan, faults = plan_workload(stated)
            planned.workloads.append(plan)
            planned.faults.extend(faults)
        except UnknownInstanceTypeError as error:
            known = frozenset(instance_type.name for instance_type in catalog.instance_types)
            planned.faults.append(unknown_type_fault(name, error, known))
        except PlanError as error:
            planned.faults.extend(error.faults)
        except NoFeasibleInstanceError as error:
            assert isinstance(workload, OnInstances), "only they choose an instance type"
            planned.faults.append(no_feasible_fault(name, workload, error))
    planned.faults.extend(compiled_artifact_faults(planned.workloads, catalog))
    try:
        network = plan_network(apart, context)
    except PlanError as error:
        planned.faults += (_in_place(fault, names.place) for fault in error.faults)
        planned.lookup = error.lookup if isinstance(error, NotLookedUpError) else None
        planned.faults = faults_as_written(planned.faults, environment)
        return planned
    planned.workloads = [
        plan.with_variables(proxy_variables(plan, environment, network)) for plan in planned.workloads
    ]
    keeps_data = any(workload.keeps_inference_data for workload in planned.workloads)
    planned.foundation = plan_foundation(
        environment,
        names,
        network,
        keeps_inference_data=keeps_data,
        artifact_events=any(
            plan.starts_on is not None and plan.starts_on.object_key is not None
            for plan in planned.workloads
            if isinstance(plan, StateMachinePlan)
        ),
    )
    for plan in planned.workloads:
        found = facet(plan.kind, PlanKind).foundation_faults(plan, planned.foundation, catalog)
        planned.faults += (_in_place(fault, names.place) for fault in found)
    planned.workloads, of_variants = join_variants(planned.workloads, environment, catalog)
    planned.faults = faults_as_written((*planned.faults, *of_variants), environment)
    return planned


def _in_place(fault: PlanFault, place: str | None) -> PlanFault:
    return replace(fault, key_path=path_of_place(place, fault.key_path))
