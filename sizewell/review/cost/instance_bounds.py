"""How many instances a variant has: at the least, on average, and the most."""

from collections.abc import Callable, Mapping
from typing import Any

from sizewell.facts.scaling import INSTANCE_COUNT, SCALING_TYPE
from sizewell.review.cost.amounts import Amounts
from sizewell.review.cost.stack_view import RawResource, StackView
from sizewell.review.saved.plan import SavedEndpoint
from sizewell.templates.scaling_places import endpoint_and_variant
from sizewell.templates.values import maps, number

Bounds = tuple[float, float]


def instance_count(stack: StackView, endpoint: RawResource, variant: Mapping[str, Any]) -> Amounts | None:
    """Return the instances of a variant; None where the template leaves them to the deployment."""
    initial = number(variant.get("InitialInstanceCount"))
    bounds = next((found for rule in _RULES if (found := rule(stack, endpoint, variant))), None)
    if bounds is None:
        return None if initial is None else Amounts.fixed(initial)
    low, high = bounds
    average = _planned_average(stack, variant)
    expected = next((count for count in (average, initial) if count is not None), low)
    return Amounts(low, min(max(expected, low), high), high)


def scaled_bounds(
    stack: StackView, endpoint: RawResource, variant: Mapping[str, Any], dimension: str = INSTANCE_COUNT
) -> Bounds | None:
    """Return the bounds of the scalable target of a variant."""
    for view, target in stack.scaling(endpoint, "AWS::ApplicationAutoScaling::ScalableTarget"):
        named = endpoint_and_variant(view.canonical(target.properties.get("ResourceId")))
        if (
            named
            and target.properties.get("ScalableDimension") == dimension
            and named[1] == stack.text(variant.get("VariantName"))
        ):
            return _bounds(target.properties, "MinCapacity", "MaxCapacity")
    return None


def _registered(stack: StackView, endpoint: RawResource, variant: Mapping[str, Any]) -> Bounds | None:
    """Of the custom resource that registers the endpoints of our own stacks."""
    for _, scaling in stack.scaling(endpoint, SCALING_TYPE):
        for _, scaled in maps(scaling.properties.get("Variants")):
            if scaled.get("VariantName") == variant.get("VariantName"):
                return _bounds(scaled, "MinInstanceCount", "MaxInstanceCount")
    return None


def _managed(_: StackView, __: RawResource, variant: Mapping[str, Any]) -> Bounds | None:
    scaling = variant.get("ManagedInstanceScaling")
    if not isinstance(scaling, Mapping) or scaling.get("Status") == "DISABLED":
        return None
    return _bounds(scaling, "MinInstanceCount", "MaxInstanceCount")


def _planned(stack: StackView, _: RawResource, variant: Mapping[str, Any]) -> Bounds | None:
    workload = _planned_endpoint(stack, variant)
    if workload is None or workload.scaling is None:
        return None
    return float(workload.scaling.min_instance_count), float(workload.scaling.max_instance_count)


#: What the template says goes before what the plan says: it is what will be deployed.
_RULES: tuple[Callable[[StackView, RawResource, Mapping[str, Any]], Bounds | None], ...] = (
    scaled_bounds,
    _registered,
    _managed,
    _planned,
)


def _bounds(properties: Mapping[str, Any], minimum: str, maximum: str) -> Bounds | None:
    low, high = number(properties.get(minimum)), number(properties.get(maximum))
    return (low, max(low, high)) if low is not None and high is not None else None


def _planned_average(stack: StackView, variant: Mapping[str, Any]) -> float | None:
    workload = _planned_endpoint(stack, variant)
    return workload.selection.chosen.estimate.instances_at_average if workload else None


def _planned_endpoint(stack: StackView, variant: Mapping[str, Any]) -> SavedEndpoint | None:
    workload = stack.workload
    if isinstance(workload, SavedEndpoint) and workload.variant_name == variant.get("VariantName"):
        return workload
    return None
