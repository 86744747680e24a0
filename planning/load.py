"""From the files of a configuration to the plan, with every fault at its line."""

from pathlib import Path

from config import ConfigError, Fault, Sources, load_environment
from config.faults import value_fault
from instance_selection import load_catalog
from instance_selection.catalog import regions
from planning.build import build_plan
from planning.errors import PlanError, PlanFault
from planning.plan import DeploymentPlan


def load_plan(directory: Path, environment_name: str, *, within_budget: bool = True) -> DeploymentPlan:
    """Return the plan of one environment of a configuration directory.

    Raises ``ConfigError`` with every fault: of the files, or of needs that nothing meets. A plan above the budget is
    such a fault, unless ``within_budget`` is False: for explaining the plan.
    """
    loaded = load_environment(directory, environment_name, regions=regions())
    catalog = load_catalog(loaded.environment.policy.region)
    try:
        return build_plan(loaded.environment, catalog, within_budget=within_budget)
    except PlanError as error:
        raise ConfigError(_fault(loaded.sources, fault) for fault in error.faults) from None


def _fault(sources: Sources, fault: PlanFault) -> Fault:
    reason = fault.reason.replace("\n", "\n  ")
    return value_fault(sources.locate(fault.key_path), fault.key_path, reason, hint=fault.hint)
