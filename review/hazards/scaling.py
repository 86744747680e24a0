"""How the variants of an endpoint are scaled: by Application Auto Scaling's own resources, or by the hand-over."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from review.saved import Resource, Stack
from template_checks.literals import mapping, maps, number, text

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
RELEASE = "Custom::ScalingRelease"
HANDED_OVER = "Custom::EndpointScaling"
_SCALING_TYPES = (TARGET, POLICY, RELEASE, HANDED_OVER)

_RESOURCE_ID = re.compile(r"endpoint/(.+)/variant/(.+)")


@dataclass(frozen=True, slots=True)
class VariantScaling:
    """The registration of one variant; None is unknown."""

    logical_id: str
    handed_over: bool
    """Whether the hand-over registers it, and not CloudFormation."""
    minimum: float | None
    maximum: float | None
    targets: Mapping[str, float] = field(default_factory=dict)
    """By metric: the value that target tracking holds."""
    scale_in_cooldowns_s: Mapping[str, float] = field(default_factory=dict)
    """By metric."""


def endpoint_names(endpoint: Resource) -> frozenset[str]:
    """Return the texts that mean an endpoint in its own template."""
    name = text(endpoint.properties.get("EndpointName"))
    return frozenset({f"${{{endpoint.logical_id}.EndpointName}}", *([name] if name else [])})


def scaling_resources(stack: Stack) -> tuple[Resource, ...]:
    """Return what a template says about scaling."""
    return tuple(one for one in stack.resources.values() if one.resource_type in _SCALING_TYPES)


def scaling_of(resources: Sequence[Resource], endpoint: Resource) -> dict[str, VariantScaling]:
    """Return the registrations of an endpoint by the name of the variant."""
    names = endpoint_names(endpoint)
    return {**dict(_native(resources, names)), **dict(_handed_over(resources, names))}


def releases(resources: Sequence[Resource], endpoint: Resource) -> bool:
    """Tell whether the hand-over deregisters a variant before its type changes."""
    names = endpoint_names(endpoint)
    return any(
        one.resource_type == RELEASE and one.properties.get("EndpointName") in names for one in resources
    )


def _native(resources: Sequence[Resource], names: frozenset[str]) -> Iterator[tuple[str, VariantScaling]]:
    for target in resources:
        if target.resource_type != TARGET:
            continue
        resource_id = target.properties.get("ResourceId")
        found = _RESOURCE_ID.fullmatch(resource_id) if isinstance(resource_id, str) else None
        if found is None or found[1] not in names:
            continue
        policies = [
            mapping(one.properties.get("TargetTrackingScalingPolicyConfiguration"))
            for one in resources
            if one.resource_type == POLICY
            and (
                one.properties.get("ScalingTargetId") == f"${{{target.logical_id}}}"
                or one.properties.get("ResourceId") == resource_id
            )
        ]
        named = [(_metric(policy), policy) for policy in policies]
        yield (
            found[2],
            VariantScaling(
                target.logical_id,
                False,
                number(target.properties.get("MinCapacity")),
                number(target.properties.get("MaxCapacity")),
                _numbers(named, "TargetValue"),
                _numbers(named, "ScaleInCooldown"),
            ),
        )


def _handed_over(
    resources: Sequence[Resource], names: frozenset[str]
) -> Iterator[tuple[str, VariantScaling]]:
    for resource in resources:
        if resource.resource_type != HANDED_OVER or resource.properties.get("EndpointName") not in names:
            continue
        for _, variant in maps(resource.properties.get("Variants")):
            policies = [
                (str(policy.get("PredefinedMetricType") or policy.get("PolicyName")), policy)
                for _, policy in maps(variant.get("Policies"))
            ]
            yield (
                str(variant.get("VariantName")),
                VariantScaling(
                    resource.logical_id,
                    True,
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
