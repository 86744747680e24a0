"""The decisions for what runs in one account and region."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.environment import Environment
from sizewell.config.place_rules import path_of_place
from sizewell.instance_selection import Catalog, Measurement, NoFeasibleInstanceError
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.context_length import context_faults
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan import plan_foundation
from sizewell.planning.infeasible import no_feasible_fault, unknown_type_fault
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.modes import mode_faults
from sizewell.planning.names import Names
from sizewell.planning.network import plan_network
from sizewell.planning.network_lookup import Context, NotLookedUpError
from sizewell.planning.plan import (
    EndpointPlan,
    ExistingNetworkPlan,
    FoundationPlan,
    NetworkLookup,
    NewNetworkPlan,
    TrainingJobPlan,
)
from sizewell.planning.preset_models import preset_faults
from sizewell.planning.proxy import bypass_faults, variables_with_proxy
from sizewell.planning.training_plan import definition_faults, plan_training_job


@dataclass
class PlacePlan:
    """What runs in one place, and every need of it that nothing meets."""

    foundation: FoundationPlan | None = None
    """None where there is no network."""
    endpoints: list[EndpointPlan] = field(default_factory=list)
    training_jobs: list[TrainingJobPlan] = field(default_factory=list)
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
    for name, workload in environment.workloads.items():
        if of_model := tuple(preset_faults(name, workload)) or tuple(context_faults(name, workload)):
            planned.faults.extend(of_model)
            continue
        locked, measured = locked_workloads.get(name), measurements.get(name, ())
        try:
            if isinstance(workload, RealTimeEndpoint):
                endpoint = plan_endpoint(name, workload, policy, catalog, names, locked, measured)
                planned.endpoints.append(endpoint)
                planned.faults.extend(mode_faults(name, workload, policy, endpoint.modes))
                planned.faults.extend(alarm_faults(workload, endpoint))
            else:
                job = plan_training_job(
                    name, workload, policy, catalog, names, locked, measured, environment.tags
                )
                planned.training_jobs.append(job)
                planned.faults.extend(definition_faults(job))
        except UnknownInstanceTypeError as error:
            known = frozenset(instance_type.name for instance_type in catalog.instance_types)
            planned.faults.append(unknown_type_fault(name, error, known))
        except NoFeasibleInstanceError as error:
            planned.faults.append(no_feasible_fault(name, workload, error))
    try:
        network = plan_network(environment, context)
    except PlanError as error:
        planned.faults += (_in_place(fault, names.place) for fault in error.faults)
        planned.lookup = error.lookup if isinstance(error, NotLookedUpError) else None
        return planned
    _add_proxy(planned, environment, network, names.place)
    planned.foundation = plan_foundation(environment, names, network)
    return planned


def _add_proxy(
    planned: PlacePlan,
    environment: Environment,
    network: NewNetworkPlan | ExistingNetworkPlan,
    place: str | None,
) -> None:
    planned.endpoints = [
        one.model_copy(update={"environment": variables_with_proxy(one, environment, network)})
        for one in planned.endpoints
    ]
    planned.training_jobs = [
        one.model_copy(update={"environment": variables_with_proxy(one, environment, network)})
        for one in planned.training_jobs
    ]
    for of_one in (*map(bypass_faults, planned.endpoints), *map(bypass_faults, planned.training_jobs)):
        planned.faults += (_in_place(fault, place) for fault in of_one)


def _in_place(fault: PlanFault, place: str | None) -> PlanFault:
    return replace(fault, key_path=path_of_place(place, fault.key_path))
