"""From the files of a configuration to the plan, with every fault at its line."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from sizewell.config import (
    ConfigError,
    Fault,
    LoadedEnvironment,
    Sources,
    environment_names,
    load_environment,
)
from sizewell.config.environment import Environment
from sizewell.config.faults import value_fault
from sizewell.config.loading import FaultyEnvironmentError, faults_within
from sizewell.config.network import LookupNetwork
from sizewell.config.variant_names import endpoint_of
from sizewell.instance_selection import Catalog, load_catalog
from sizewell.instance_selection.catalog import RefreshedTables, regions
from sizewell.planning.build import build_plan
from sizewell.planning.catalog_files import read_refreshed
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan_model import NetworkLookup
from sizewell.planning.lock import LockedEnvironment
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.measurements import measurements_by_workload, unknown_type_faults
from sizewell.planning.name_faults import shared_name_faults
from sizewell.planning.network_lookup import Context, NotLookedUpError, read_context
from sizewell.planning.plan import DeploymentPlan


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Everything that the plan of one environment follows from, but its lock."""

    loaded: LoadedEnvironment
    catalog: Catalog
    context: Context = field(default_factory=dict)
    """What the CDK CLI looked up."""

    def plan(self, lock: LockedEnvironment | None, *, within_budget: bool = True) -> DeploymentPlan:
        """Return the plan under a lock; raises ``ConfigError`` with every need that nothing meets, at its line."""
        try:
            return build_plan(
                self.loaded.environment,
                self.catalog,
                lock=lock,
                measurements=measurements_by_workload(self.loaded.measurements, self.loaded.environment),
                context=self.context,
                within_budget=within_budget,
            )
        except NotLookedUpError as error:
            raise LookupNeededError(self.error(error.faults).faults, error.lookup) from None
        except PlanError as error:
            raise self.error(error.faults) from None

    def of_place(self, workload_name: str) -> "PlanInputs":
        """Return the part of the inputs for the account and region that a workload runs in."""
        environment = self.loaded.environment
        part = environment.part(environment.workloads[endpoint_of(workload_name)].place)
        return replace(
            self,
            loaded=replace(self.loaded, environment=part),
            catalog=load_catalog(part.policy.region, self.catalog.refreshed),
        )

    def with_environment(self, environment: Environment) -> "PlanInputs":
        """Return the inputs with another configuration; faults are told where this one is written."""
        return replace(self, loaded=replace(self.loaded, environment=environment))

    def error(self, faults: Iterable[PlanFault]) -> ConfigError:
        """Return the error of needs that cannot be met, each at its line."""
        return ConfigError(_fault(self.loaded.sources, fault) for fault in faults)


class LookupNeededError(ConfigError):
    """Nothing is wrong but that nobody has looked the network up."""

    def __init__(self, faults: Iterable[Fault], lookup: NetworkLookup) -> None:
        super().__init__(faults)
        self.lookup = lookup


def load_inputs(
    directory: Path,
    environment_name: str,
    context: Context | None = None,
    refreshed: RefreshedTables | None = None,
) -> PlanInputs:
    """Return the inputs of a plan; raises ``ConfigError`` with every fault of the files.

    ``context`` is what was looked up; by default what ``cdk.context.json`` says in the working directory, where the CDK CLI
    writes it. ``refreshed`` are the tables of the project; by default those beside the configuration.
    """
    tables = read_refreshed(directory) if refreshed is None else refreshed
    try:
        loaded = load_environment(directory, environment_name, regions=regions(tables))
    except FaultyEnvironmentError as error:
        raise ConfigError([*error.faults, *_faults_of_rest(error.rest, context, tables)]) from None
    inputs = _inputs(loaded, context, tables)
    if faults := tuple(shared_name_faults(loaded.environment, _others(directory, loaded.environment))):
        raise inputs.error(faults)
    return inputs


def _faults_of_rest(
    rest: LoadedEnvironment | None, context: Context | None, refreshed: RefreshedTables
) -> list[Fault]:
    """Return which needs of the workloads beside the faulty ones nothing meets: one round less to mend."""
    if rest is None:
        return []
    try:
        _inputs(rest, context, refreshed).plan(None, within_budget=False)
    except ConfigError as error:
        return faults_within(rest.environment, error.faults)
    return []


def _inputs(loaded: LoadedEnvironment, context: Context | None, refreshed: RefreshedTables) -> PlanInputs:
    catalog = load_catalog(loaded.environment.policy.region, refreshed)
    if faults := tuple(unknown_type_faults(loaded.measurements, catalog)):
        raise ConfigError(faults)
    if context is None:
        networks = (part.network for _, part in loaded.environment.parts())
        context = read_context() if any(isinstance(one, LookupNetwork) for one in networks) else {}
    return PlanInputs(loaded, catalog, context)


def _others(directory: Path, environment: Environment) -> Iterator[Environment]:
    """Yield the environments that may have a name of this one; one with faults hears of them itself, and of this."""
    patterns = environment.names.model_dump().values()
    if any(pattern and "{environment}" not in pattern for pattern in patterns):
        for name in environment_names(directory):
            if name != environment.name:
                with suppress(ConfigError):
                    yield load_environment(directory, name).environment


@dataclass(frozen=True, slots=True)
class PlannedEnvironment:
    """The plan, and the configuration that it was made from: what is written beside the templates."""

    plan: DeploymentPlan
    environment: Environment
    sources: Sources
    refreshed: RefreshedTables
    """The tables of the catalog that the project has of its own."""


def load_plan(directory: Path, environment_name: str, *, within_budget: bool = True) -> DeploymentPlan:
    """Return the plan of one environment of a configuration directory, under its lock where there is one.

    Raises ``ConfigError`` with every fault: of the files, or of needs that nothing meets. A plan above the budget is
    such a fault, unless ``within_budget`` is False: for explaining the plan.
    """
    return _plan(load_inputs(directory, environment_name), directory, within_budget=within_budget)


def load_for_synth(
    directory: Path, environment_name: str, context: Context | None = None
) -> PlannedEnvironment:
    """Return what one environment is synthesized from; ``context`` is as of ``load_inputs``.

    Raises ``ConfigError`` like ``load_plan``; ``LookupNeededError`` is one of them.
    """
    inputs = load_inputs(directory, environment_name, context)
    return PlannedEnvironment(
        _plan(inputs, directory),
        inputs.loaded.environment,
        inputs.loaded.sources,
        inputs.catalog.refreshed,
    )


def _plan(inputs: PlanInputs, directory: Path, *, within_budget: bool = True) -> DeploymentPlan:
    file = read_lock_file(directory)
    locked = file.lock.environments.get(inputs.loaded.environment.name) if file else None
    return inputs.plan(locked, within_budget=within_budget)


def _fault(sources: Sources, fault: PlanFault) -> Fault:
    message, *details = fault.reason.split("\n")
    return value_fault(
        sources.locate(fault.key_path), fault.key_path, message, hint=fault.hint, details=tuple(details)
    )
