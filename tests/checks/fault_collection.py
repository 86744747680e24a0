"""Faulty templates, each with the only finding in it; the modules ``faults_of_...`` fill the collection."""

from sizewell.checks import Finding
from tests.checks.builders import Json

#: The template and the finding, by a name for the fault.
FAULTS: dict[str, tuple[Json, Finding]] = {}


def fault(
    name: str, faulty: Json, rule_id: str, logical_id: str, path: str, message: str, what_to_do: str
) -> None:
    """Add a fault; ``path`` starts below the properties."""
    assert name not in FAULTS
    FAULTS[name] = faulty, Finding(rule_id, logical_id, f"Properties.{path}", message, what_to_do)
