"""The shipped configuration with one change of every kind, as a person would make them in one pull request."""

import shutil
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.plan import DeploymentPlan
from tests.synthesis import PROJECT_ROOT, synthesize

NEW_ARTIFACT_KEY = "models/support-bert/second/model.tar.gz"
ANOTHER_MODEL = "support-bert"
ANOTHER_COUNT = "plant-id"
ANOTHER_TYPE = "assistant"
REMOVED = "plant-id-train"
ADDED = "triage-bert"


def change_configuration(plan: DeploymentPlan, folder: Path) -> Path:
    """Write the changed configuration of the plan's environment, synthesize it, and return the assembly."""
    configuration = folder / "config"
    shutil.copytree(
        PROJECT_ROOT / "config", configuration, ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    yaml = YAML()
    base = yaml.load(configuration / "base.yaml")
    path = configuration / f"{plan.environment}.yaml"
    environment = yaml.load(path)
    workloads = environment.setdefault("workloads", {})
    added = base["workloads"][ANOTHER_MODEL] | (workloads.get(ANOTHER_MODEL) or {})
    workloads[ADDED] = {**added, "description": "Sorts tickets by urgency"}
    _merge(workloads, ANOTHER_MODEL, {"container": {"artifact": {"key": NEW_ARTIFACT_KEY}}})
    count = endpoint_of(plan, ANOTHER_COUNT)
    assert count.scaling is not None
    _merge(workloads, ANOTHER_COUNT, {"scaling": {"min_instances": count.scaling.max_instance_count}})
    _merge(workloads, ANOTHER_TYPE, {"instances": {"instance_type": new_type(plan)}})
    workloads[REMOVED] = None
    environment["policy"]["budget_usd_per_month"] = 100_000
    yaml.dump(environment, path)
    assembly = folder / "changed"
    synthesize(plan.environment, assembly, config=str(configuration))
    return assembly


def new_type(plan: DeploymentPlan) -> str:
    """Return the type that the endpoint moves to: the next best on the same image."""
    return endpoint_of(plan, ANOTHER_TYPE).instance_pools[1]


def endpoint_of(plan: DeploymentPlan, name: str) -> EndpointPlan:
    """Return the plan of an endpoint."""
    return next(endpoint for endpoint in plan.endpoints if endpoint.name == name)


def _merge(workloads: dict[str, Any], name: str, change: dict[str, Any]) -> None:
    target = workloads.setdefault(name, {})
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target, key, value)
        else:
            target[key] = value
