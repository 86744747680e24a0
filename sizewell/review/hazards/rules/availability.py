"""Capacity that falls so low that one fault, or one quiet hour, is an outage."""

from collections.abc import Iterator

from sizewell.checks.literals import count, mapping, number
from sizewell.review.hazards.endpoint import MODEL, Endpoint, EndpointPair, Variant
from sizewell.review.hazards.rule import Found, HazardRule
from sizewell.review.hazards.scaling_places import TARGET
from sizewell.review.hazards.situation import Situation
from sizewell.review.hazards.words import moved, shown
from sizewell.review.saved.plan import SavedPlan

_COPIES = "sagemaker:inference-component:DesiredCopyCount"


def _scale_to_zero(situation: Situation) -> Iterator[Found]:
    yield from _components_to_zero(situation)
    for endpoint in situation.endpoints:
        for base, variant in _variants(endpoint):
            if endpoint.head is None or _least(endpoint.head, variant) != 0:
                continue
            before = _least(endpoint.base, base) if endpoint.base and base else None
            if before == 0 or (endpoint.base is None and not situation.production):
                continue
            queued = endpoint.head.is_asynchronous
            yield Found(
                ("warning" if queued else "danger") if situation.production else "notice",
                endpoint.stack,
                endpoint.logical_id,
                f"variant {variant.name} of endpoint {endpoint.head.name}",
                f"least number of instances {moved(before, 0)}",
                "After a quiet time no instance is left: requests wait in the queue for the minutes that the next instance "
                "needs to start."
                if queued
                else "After a quiet time no instance is left: requests fail until the next instance has started, which "
                "takes minutes.",
                "Keep at least one instance, two in production; or make sure that a step policy on "
                + ("HasBacklogWithoutCapacity" if queued else "NoCapacityInvocationFailures")
                + " wakes the endpoint and that clients try again.",
            )


def _components_to_zero(situation: Situation) -> Iterator[Found]:
    """Find inference components whose last copy autoscaling may take away."""
    for pair in situation.resources(TARGET):
        if pair.head is None or pair.head.properties.get("ScalableDimension") != _COPIES:
            continue
        before = number(pair.base.properties.get("MinCapacity")) if pair.base else None
        if number(pair.head.properties.get("MinCapacity")) != 0 or before == 0:
            continue
        if pair.base or situation.production:
            yield Found(
                "danger" if situation.production else "notice",
                pair.stack.name,
                pair.logical_id,
                shown(pair.head.properties.get("ResourceId")),
                f"least number of copies {moved(before, 0)}",
                "After a quiet time no copy is left: requests fail until the next one has started, which takes minutes.",
                "Keep at least one copy, two in production; or make sure that a step policy on NoCapacityInvocationFailures "
                "wakes it and that clients try again.",
            )


def _least(endpoint: Endpoint, variant: Variant) -> float | None:
    """Return the lowest of what is said about the least number of instances."""
    said = [number(variant.managed_scaling.get("MinInstanceCount")), endpoint.least_instances(variant)]
    known = [value for value in said if value is not None]
    return min(known) if known else None


def _variants(endpoint: EndpointPair) -> Iterator[tuple[Variant | None, Variant]]:
    base = endpoint.base.variants if endpoint.base else {}
    for name, variant in sorted(endpoint.head.variants.items()) if endpoint.head else ():
        if not variant.is_serverless:
            yield base.get(name), variant


def _single_zone(situation: Situation) -> Iterator[Found]:
    yield from _network(situation)
    for stack, base, head in situation.kept(MODEL):
        before, after = (
            count(mapping(one.properties.get("VpcConfig")).get("Subnets")) for one in (base, head)
        )
        if after == 1 and before is not None and before > 1:
            yield _one_zone(
                situation, stack, head.logical_id, f"model {head.path}", f"subnets {moved(before, 1)}"
            )
    if situation.production:
        yield from _one_instance(situation)


def _network(situation: Situation) -> Iterator[Found]:
    base, head = (
        side.plan if side and side.plan else None for side in (situation.pair.base, situation.pair.head)
    )
    before, after = _zones(base), _zones(head)
    if head is None or after != 1 or before == 1 or (before is None and not situation.production):
        return
    yield _one_zone(
        situation,
        head.foundation.stack_name,
        None,
        f"network of {head.environment}",
        f"availability zones {moved(before, after)}",
    )


def _zones(plan: SavedPlan | None) -> int | None:
    if plan is None:
        return None
    network = plan.foundation.network
    return network.availability_zones if network.mode == "new" else len(network.subnet_ids) or None


def _one_zone(situation: Situation, stack: str, logical_id: str | None, subject: str, cause: str) -> Found:
    return Found(
        "danger" if situation.production else "warning",
        stack,
        logical_id,
        subject,
        cause,
        "All instances are in one availability zone: when it fails, or has no capacity for the instance type, nothing "
        "serves and nothing new can start.",
        "Give subnets in at least two availability zones.",
    )


def _one_instance(situation: Situation) -> Iterator[Found]:
    for endpoint in situation.endpoints:
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
                "A single instance is in a single availability zone: when the zone or the instance fails, the endpoint "
                "answers nothing until SageMaker has started another one. SageMaker spreads instances over zones from two "
                "instances on.",
                "Keep at least two instances in production.",
            )


RULES = (
    HazardRule("scale-to-zero", "An endpoint may be left without any instance.", _scale_to_zero),
    HazardRule("single-zone", "Instances are all in one availability zone.", _single_zone),
)
