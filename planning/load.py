"""From the files of a configuration to the plan, with every fault at its line."""

from pathlib import Path

from config import ConfigError, Fault, Sources, load_environment
from instance_selection import load_catalog
from instance_selection.catalog import regions
from planning.build import build_plan
from planning.errors import PlanError
from planning.plan import DeploymentPlan


def load_plan(directory: Path, environment_name: str) -> DeploymentPlan:
    """Return the plan of one environment of a configuration directory.

    Raises ``ConfigError`` with every fault: of the files, or of needs that nothing meets.
    """
    loaded = load_environment(directory, environment_name)
    region = loaded.environment.policy.region
    if region not in regions():
        raise ConfigError(
            [
                _fault(
                    loaded.sources,
                    ("policy", "region"),
                    f"nothing is known about {region}",
                    tuple(sorted(regions())),
                )
            ]
        )
    try:
        return build_plan(loaded.environment, load_catalog(region))
    except PlanError as error:
        raise ConfigError(_fault(loaded.sources, f.key_path, f.reason) for f in error.faults) from None


def _fault(sources: Sources, key_path: tuple[str, ...], reason: str, allowed: tuple[str, ...] = ()) -> Fault:
    position = sources.locate(key_path)
    return Fault(position.file, position.line, None, key_path, None, reason.replace("\n", "\n  "), allowed)
