"""How the variants of an endpoint are scaled: by Application Auto Scaling's own resources, or by the hand-over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sizewell.facts.scaling import INSTANCE_COUNT
from sizewell.templates.scaling_places import (
    HANDED_OVER,
    RELEASE,
    TARGET,
    ScalingPlaces,
    endpoint_and_variant,
    inside_names,
    outside_names,
    spelled,
)
from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import mapping, maps, number, text

POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
_SCALING_TYPES = (TARGET, POLICY, RELEASE, HANDED_OVER)


@dataclass(frozen=True, slots=True)
class VariantScaling:
    """The registration of one variant; None is unknown."""

    stack: str
    """Where the registration stands: mostly the stack of the endpoint."""
    logical_id: str
    handed_over: bool
    """Whether the hand-over registers it, and not CloudFormation."""
    dimension: str | None
    """What is scaled: ``INSTANCE_COUNT`` or ``PROVISIONED_CONCURRENCY``."""
    minimum: float | None
    maximum: float | None
    targets: Mapping[str, float] = field(default_factory=dict)
    """By metric: the value that target tracking holds."""
    scale_in_cooldowns_s: Mapping[str, float] = field(default_factory=dict)
    """By metric."""


@dataclass(frozen=True, slots=True)
class ScalingResources:
    """What one template says about scaling, and the texts by which it names one endpoint."""

    stack: str
    resources: Sequence[Resource]
    names: frozenset[str]


def scaling_resources(
    stack: Stack, endpoint: Resource, places: ScalingPlaces | None
) -> tuple[ScalingResources, ...]:
    """Return what the templates of an output say about the scaling of an endpoint; its own template is the last."""
    name = text(endpoint.properties.get("EndpointName"))
    own = ScalingResources(stack.name, _of(stack), inside_names(endpoint.logical_id, name))
    if places is None:
        return (own,)
    names = outside_names(stack, endpoint.logical_id, name)
    others = {other.name: other for other, _ in places.outside(stack.name, names)}
    return (*(ScalingResources(other.name, _of(other), names) for other in others.values()), own)


def _of(stack: Stack) -> tuple[Resource, ...]:
    return tuple(one for one in stack.resources.values() if one.resource_type in _SCALING_TYPES)


def scaling_of(given: Sequence[ScalingResources]) -> dict[str, VariantScaling]:
    """Return the registrations of an endpoint by the name of the variant."""
    return {name: found for one in given for name, found in (*_native(one), *_handed_over(one))}


def releases(given: Sequence[ScalingResources]) -> bool:
    """Tell whether the hand-over deregisters a variant before its type changes."""
    return any(
        one.resource_type == RELEASE and spelled(one.properties.get("EndpointName")) in group.names
        for group in given
        for one in group.resources
    )


def _native(given: ScalingResources) -> Iterator[tuple[str, VariantScaling]]:
    for target in given.resources:
        if target.resource_type != TARGET:
            continue
        resource_id = target.properties.get("ResourceId")
        found = endpoint_and_variant(resource_id)
        if found is None or found[0] not in given.names:
            continue
        policies = [
            mapping(one.properties.get("TargetTrackingScalingPolicyConfiguration"))
            for one in given.resources
            if one.resource_type == POLICY
            and (
                one.properties.get("ScalingTargetId") == f"${{{target.logical_id}}}"
                or one.properties.get("ResourceId") == resource_id
            )
        ]
        named = [(_metric(policy), policy) for policy in policies]
        yield (
            found[1],
            VariantScaling(
                given.stack,
                target.logical_id,
                False,
                text(target.properties.get("ScalableDimension")),
                number(target.properties.get("MinCapacity")),
                number(target.properties.get("MaxCapacity")),
                _numbers(named, "TargetValue"),
                _numbers(named, "ScaleInCooldown"),
            ),
        )


def _handed_over(given: ScalingResources) -> Iterator[tuple[str, VariantScaling]]:
    for resource in given.resources:
        if (
            resource.resource_type != HANDED_OVER
            or spelled(resource.properties.get("EndpointName")) not in given.names
        ):
            continue
        for _, variant in maps(resource.properties.get("Variants")):
            policies = [
                (str(policy.get("PredefinedMetricType") or policy.get("PolicyName")), policy)
                for _, policy in maps(variant.get("Policies"))
            ]
            yield (
                str(variant.get("VariantName")),
                VariantScaling(
                    given.stack,
                    resource.logical_id,
                    True,
                    INSTANCE_COUNT,
                    number(variant.get("MinInstanceCount")),
                    number(variant.get("MaxInstanceCount")),
                    _numbers(policies, "TargetValue"),
                    _numbers(policies, "ScaleInCooldownSeconds"),
                ),
            )


def _metric(policy: Mapping[str, object]) -> str:
    predefined = mapping(policy.get("PredefinedMetricSpecification"))
    custom = mapping(policy.get("CustomizedMetricSpecification"))
    return str(predefined.get("PredefinedMetricType") or custom.get("MetricName") or "")


def _numbers(policies: list[tuple[str, Mapping[str, object]]], key: str) -> dict[str, float]:
    found = {metric: number(policy.get(key)) for metric, policy in policies if metric}
    return {metric: value for metric, value in found.items() if value is not None}
