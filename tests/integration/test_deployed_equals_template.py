"""Given an environment deployed by ``cdk``, when its services are asked, then every property of every template is there.

CloudFormation says what a template came to (Cloud Control's ``GetResource``), one reader per resource type says what the
service made of it. What cannot be read back stands in ``losses.py``, with the reason, and nowhere else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.harness import Deployment
from tests.integration.losses import GUIDE, LOSSES, coverage_table, covers, emitted, guide_table, losses_of
from tests.integration.readers import READERS
from tests.integration.readers.compare import MISSING, comparable, differences
from tests.integration.readers.observed import resolved


@dataclass(frozen=True)
class Difference:
    """A property that the service shows otherwise than the template has it."""

    stack: str
    logical_id: str
    resource_type: str
    path: str
    declared: Any
    found: Any

    def __str__(self) -> str:
        where = f"{self.stack}/{self.logical_id} ({self.resource_type})"
        return f"{where}: {self.path}\n    declared {self.declared!r}\n    found    {self.found!r}"

    @property
    def is_known(self) -> bool:
        return any(covers(loss, self.path) for loss in losses_of(self.resource_type))


def stacks_of(deployed: Deployment) -> list[str]:
    return [
        deployed.plan.foundation.stack_name,
        *(workload.stack_name for workload in deployed.plan.workloads),
    ]


def declared_in(deployed: Deployment) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield stack, logical id and resource of all templates."""
    for stack in stacks_of(deployed):
        for logical_id, resource in deployed.template(stack)["Resources"].items():
            yield stack, logical_id, resource


@pytest.fixture(scope="session")
def found_differences(deployed: Deployment) -> tuple[Difference, ...]:
    """Every difference of an environment, found once."""
    return all_differences(deployed)


def all_differences(deployed: Deployment) -> tuple[Difference, ...]:
    found: list[Difference] = []
    for stack in stacks_of(deployed):
        physical_ids = deployed.physical_ids(stack)
        for logical_id, resource in deployed.template(stack)["Resources"].items():
            # What stands under a condition that does not hold is not there.
            if logical_id in physical_ids or "Condition" not in resource:
                found += _differences_of(deployed, stack, logical_id, resource, physical_ids[logical_id])
    return tuple(found)


def _differences_of(
    deployed: Deployment, stack: str, logical_id: str, resource: dict[str, Any], physical_id: str
) -> Iterator[Difference]:
    resource_type = resource["Type"]
    if resource_type not in READERS:
        return  # a test of its own says so
    known = resolved(deployed, resource_type, physical_id)
    declared = {name: known[name] for name in resource.get("Properties", {})}
    shown = READERS[resource_type](deployed.client, physical_id, declared)
    wanted, shown = comparable(declared), comparable(shown)
    for loss in losses_of(resource_type):
        if loss.path in shown:
            wanted.setdefault(loss.path, MISSING)
    for path, one, other in differences(wanted, shown):
        yield Difference(stack, logical_id, resource_type, path, one, other)


def test_every_resource_type_that_we_emit_has_a_reader(deployed: Deployment) -> None:
    missing = {resource["Type"] for _, _, resource in declared_in(deployed)} - set(READERS)
    assert not missing, f"no reader in tests/integration/readers: {', '.join(sorted(missing))}"


def test_given_a_deployed_template_then_each_service_shows_every_property(
    found_differences: tuple[Difference, ...],
) -> None:
    unknown = [difference for difference in found_differences if not difference.is_known]
    assert not unknown, "\n".join(map(str, unknown))


def test_given_a_known_loss_then_it_is_still_lost(
    deployed: Deployment, found_differences: tuple[Difference, ...]
) -> None:
    declared = {
        (resource["Type"], name)
        for _, _, resource in declared_in(deployed)
        for name in resource.get("Properties", {})
    }
    stale = [
        f"{loss.resource_type} {loss.path}"
        for loss in LOSSES
        if (loss.resource_type, loss.path.partition(".")[0]) in declared
        and (loss.on_aws or isinstance(deployed.cloud, LocalCloud))
        and not any(
            difference.resource_type == loss.resource_type and covers(loss, difference.path)
            for difference in found_differences
        )
    ]
    assert not stale, f"not lost any more, so take it from tests/integration/losses.py: {', '.join(stale)}"


def test_every_known_loss_is_of_a_property_that_we_emit() -> None:
    unused = [
        f"{loss.resource_type} {loss.path}"
        for loss in LOSSES
        if loss.path.partition(".")[0] not in emitted().get(loss.resource_type, set())
    ]
    assert not unused, f"no template has it: {', '.join(unused)}"


def test_every_reader_is_of_a_type_that_we_emit() -> None:
    assert set(READERS) == set(emitted())


def test_the_guide_shows_the_table_of_what_the_local_cloud_covers() -> None:
    assert guide_table() == coverage_table(), (
        f"put this between the markers of {GUIDE.name} (python -m tests.integration.losses):\n{coverage_table()}"
    )
