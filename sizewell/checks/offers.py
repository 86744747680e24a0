"""Instance types that the region does not have.

An enum of the API holds types that can be had in no region, so the schema accepts them. Who checks says what is
offered; without that, nothing is judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.checks.endpoints import variants
from sizewell.checks.rule import Finding, Rule
from sizewell.checks.rules.training_requests import training_requests
from sizewell.templates.endpoints import ENDPOINT_CONFIG
from sizewell.templates.template import Resource, Template

OFFERED = "instance-offered"
RULES: tuple[Rule, ...] = (
    Rule(
        OFFERED,
        "an instance type that the region does not offer for hosting or training",
        "An enum value is not an offer: see [the catalog](catalog.md)",
    ),
)


@dataclass(frozen=True, slots=True)
class OfferedTypes:
    """The instance types that one region offers, by what they are used for."""

    region: str
    hosting: frozenset[str]
    training: frozenset[str]


def check(template: Template, offered: OfferedTypes) -> Iterator[Finding]:
    """Yield every instance type, of a variant or of a training request, that the region does not offer."""
    for config in template.of_type(ENDPOINT_CONFIG):
        for variant in variants(config):
            for path, instance_type in variant.instance_type_paths():
                if instance_type not in offered.hosting:
                    yield _finding(config, f"Properties.{path}", instance_type, "hosting", offered.region)
    for request in training_requests(template):
        for path, instance_type in request.instance_types():
            if instance_type not in offered.training:
                yield _finding(request.resource, path, instance_type, "training", offered.region)


def _finding(resource: Resource, path: str, instance_type: str, usage: str, region: str) -> Finding:
    return Finding(
        OFFERED,
        resource.logical_id,
        path,
        f"{instance_type} is not offered for {usage} in {region}",
        "choose another type or another region",
    )
