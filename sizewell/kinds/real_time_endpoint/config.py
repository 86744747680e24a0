"""The rules of a real-time endpoint that look at its environment."""

from collections.abc import Iterator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.endpoint_rules import instance_bounds, member_violations
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation
from sizewell.config.variant_names import SHADOW, variant_of


def _rules(environment: Environment, name: str, endpoint: RealTimeEndpoint) -> Iterator[Violation]:
    if variant_of(name) != SHADOW:
        yield from instance_bounds(environment, name, endpoint)
    yield from _reservation_is_usable(environment, name, endpoint)
    yield from member_violations(environment, name, endpoint)


def _reservation_is_usable(
    environment: Environment, name: str, endpoint: RealTimeEndpoint
) -> Iterator[Violation]:
    if (arn := endpoint.capacity_reservation_arn) is None:
        return
    for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
        yield ("workloads", name, "capacity_reservation_arn"), f"the reservation {reason}"


FACET = ConfigKind(rules=_rules)
