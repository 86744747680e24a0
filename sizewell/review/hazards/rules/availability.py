"""Capacity that falls so low that one fault, or one quiet hour, is an outage."""

from collections.abc import Iterator

from sizewell.facts.scaling import COPY_COUNT
from sizewell.planning.saved_plan import SavedFoundation
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import moved, shown
from sizewell.templates.endpoints import MODEL, Endpoint, EndpointPair, Variant
from sizewell.templates.values import count, mapping, number
from sizewell.templates.variant_scaling import TARGET


@hazard_rule("availability")
def scale_to_zero(environment: Environment) -> Iterator[Found]:
    """Autoscaling may stop the last instance of an endpoint."""
    yield from _components_to_zero(environment)
    for endpoint in environment.diff.endpoints:
        for base, variant in _variants(endpoint):
            if endpoint.head is None or _least(endpoint.head, variant) != 0:
                continue
            before = _least(endpoint.base, base) if endpoint.base and base else None
            if before == 0 or (endpoint.base is None and not environment.production):
                continue
            queued = endpoint.head.is_asynchronous
            yield Found(
                ("warning" if queued else "danger") if environment.production else "notice",
                endpoint.stack,
                endpoint.logical_id,
                f"variant {variant.name} of endpoint {endpoint.head.name}",
                f"least number of instances {moved(before, 0)}",
                "After a quiet time no instance runs, and requests wait in the queue until an instance has started, which "
                "takes minutes."
                if queued
                else "After a quiet time no instance runs, and requests fail until an instance has started, which takes "
                "minutes.",
                "Keep at least one instance, and two in production. Otherwise make sure that a step scaling policy on "
                + ("HasBacklogWithoutCapacity" if queued else "NoCapacityInvocationFailures")
                + " starts an instance, and that clients retry.",
            )


def _components_to_zero(environment: Environment) -> Iterator[Found]:
    """Find inference components whose last copy autoscaling may take away."""
    for pair in environment.diff.resources(TARGET):
        if pair.head is None or pair.head.properties.get("ScalableDimension") != COPY_COUNT:
            continue
        before = number(pair.base.properties.get("MinCapacity")) if pair.base else None
        if number(pair.head.properties.get("MinCapacity")) != 0 or before == 0:
            continue
        if pair.base or environment.production:
            yield Found(
                "danger" if environment.production else "notice",
                pair.stack.name,
                pair.logical_id,
                shown(pair.head.properties.get("ResourceId")),
                f"least number of copies {moved(before, 0)}",
                "After a quiet time no copy runs, and requests fail until a copy has started, which takes minutes.",
                "Keep at least one copy, and two in production. Otherwise make sure that a step scaling policy on "
                "NoCapacityInvocationFailures starts a copy, and that clients retry.",
            )


def _least(endpoint: Endpoint, variant: Variant) -> float | None:
    """Return the lowest of what is said about the least number of instances."""
    said = [number(variant.managed_scaling.get("MinInstanceCount")), endpoint.min_instance_count(variant)]
    known = [value for value in said if value is not None]
    return min(known) if known else None


def _variants(endpoint: EndpointPair) -> Iterator[tuple[Variant | None, Variant]]:
    base = endpoint.base.variants if endpoint.base else {}
    for name, variant in sorted(endpoint.head.variants.items()) if endpoint.head else ():
        if not variant.is_serverless:
            yield base.get(name), variant


@hazard_rule("availability")
def single_zone(environment: EnvironmentPair) -> Iterator[Found]:
    """All instances are in one Availability Zone."""
    yield from _network(environment)
    for stack, base, head in environment.diff.kept(MODEL):
        before, after = (
            count(mapping(model.properties.get("VpcConfig")).get("Subnets")) for model in (base, head)
        )
        if after == 1 and before is not None and before > 1:
            yield _one_zone(
                environment, stack, head.logical_id, f"model {head.path}", f"subnets {moved(before, 1)}"
            )
    if environment.production:
        yield from _one_instance(environment)


def _network(environment: EnvironmentPair) -> Iterator[Found]:
    base, head = (side.plan if side and side.plan else None for side in (environment.base, environment.head))
    known = {foundation.place: _zones(foundation) for foundation in base.foundations} if base else {}
    for foundation in head.foundations if head else ():
        before, after = known.get(foundation.place), _zones(foundation)
        if after != 1 or before == 1 or (before is None and not environment.production):
            continue
        where = f" in {foundation.place}" if foundation.place else ""
        yield _one_zone(
            environment,
            foundation.stack_name,
            None,
            f"network of {environment.name}{where}",
            f"availability zones {moved(before, after)}",
        )


def _zones(foundation: SavedFoundation) -> int | None:
    network = foundation.network
    return network.availability_zones if network.mode == "new" else len(network.subnet_ids) or None


def _one_zone(
    environment: Environment, stack: str, logical_id: str | None, subject: str, cause: str
) -> Found:
    return Found(
        "danger" if environment.production else "warning",
        stack,
        logical_id,
        subject,
        cause,
        "All instances are in one Availability Zone. If the zone fails, or has no capacity for the instance type, no instance "
        "serves and none can start.",
        "Use subnets in at least two Availability Zones.",
    )


def _one_instance(environment: Environment) -> Iterator[Found]:
    for endpoint in environment.diff.endpoints:
        head = endpoint.head
        for base, variant in _variants(endpoint):
            if head is None or head.is_asynchronous or _least(head, variant) != 1:
                continue
            before = _least(endpoint.base, base) if endpoint.base and base else None
            if endpoint.base is not None and (before is None or before < 2):
                continue
            yield Found(
                "danger" if endpoint.base else "warning",
                endpoint.stack,
                endpoint.logical_id,
                f"variant {variant.name} of endpoint {head.name}",
                f"least number of instances {moved(before, 1)}",
                "One instance runs in one Availability Zone. If the zone or the instance fails, the endpoint answers no "
                "request until SageMaker has started another instance. SageMaker spreads two or more instances over zones.",
                "Keep at least two instances in production.",
            )
