"""plan.json and config.json: the plan, and what it was made from, as text."""

from typing import Any

from pydantic_core import to_json

from sizewell.config.environment import Environment
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_files import CONFIGURATION_VERSION

#: Digits that an estimate is written with: enough to read, few enough that the last bit of a logarithm on another
#: machine does not change the file.
SIGNIFICANT_DIGITS = 6


def plan_to_json(plan: DeploymentPlan) -> str:
    """Return the plan as JSON that ends in a newline; numbers have six significant digits."""
    # Without computed sums: read back, they would be the sums of rounded parts, and differ in the last digit.
    document = rounded(plan.model_dump(mode="json", exclude_computed_fields=True))
    return to_json(document, indent=2).decode() + "\n"


def plan_from_json(text: str) -> DeploymentPlan:
    """Return the plan that was written by ``plan_to_json``."""
    return DeploymentPlan.model_validate_json(text)


def configuration_to_json(environment: Environment) -> str:
    """Return the merged configuration with all defaults as JSON that ends in a newline.

    Two syntheses of it tell what a change of the files means, whatever the files look like.
    """
    document = {
        "schema_version": CONFIGURATION_VERSION,
        "environment": environment.model_dump(mode="json"),
    }
    return to_json(document, indent=2).decode() + "\n"


def rounded(value: Any) -> Any:
    """Return plain data with every number at six significant digits."""
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value
