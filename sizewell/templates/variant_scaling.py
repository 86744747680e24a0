"""What scales a variant, and which endpoint and variant a scaling resource names, as the templates of one output have it.

A scaling resource may stand in another stack than its endpoint: it is found by the text that it names the endpoint with.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sizewell.facts.scaling import AUTOSCALING_PARAMETER
from sizewell.templates.canonical import canonical_value
from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import mapping, maps, mentioned_names, number, text

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
_RESOURCE_ID = re.compile(r"endpoint/(.+)/variant/(.+)")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
#: The parts of an ARN of an endpoint, which is what ``Ref`` gives: ``arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME``.
_NAME_AFTER_SLASH = ("/", "1")
_RESOURCE_AFTER_COLONS = (":", "5")


def spelled(value: Any) -> str | None:
    """Return a canonical value as one text, where only functions stand in the way whose result is known."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((name, arguments),) = value.items()
    if name == "Fn::ImportValue":
        exported = spelled(arguments)
        return None if exported is None else imported(exported)
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    first, second = arguments
    if name == "Fn::Join" and isinstance(second, list):
        parts = [spelled(part) for part in second]
        return str(first).join(part or "" for part in parts) if None not in parts else None
    if name == "Fn::Sub" and isinstance(first, str) and isinstance(second, Mapping):
        for variable, given in second.items():
            first = first.replace(f"${{{variable}}}", spelled(given) or f"${{{variable}}}")
        return first
    return _selected(str(first), second) if name == "Fn::Select" else None


def _selected(index: str, items: Any) -> str | None:
    split = _split_of(items)
    if split is None or not index.isdecimal():
        return None
    separator, text = split
    if found := _REFERENCE.fullmatch(text):
        name = f"${{{found[1]}.EndpointName}}"
        return {_NAME_AFTER_SLASH: name, _RESOURCE_AFTER_COLONS: f"endpoint/{name}"}.get((separator, index))
    parts = text.split(separator) if separator and "${" not in text else []
    return parts[int(index)] if int(index) < len(parts) else None


def _split_of(value: Any) -> tuple[str, str] | None:
    arguments = value.get("Fn::Split") if isinstance(value, Mapping) else None
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    text = spelled(arguments[1])
    return (arguments[0], text) if isinstance(arguments[0], str) and text is not None else None


def endpoint_and_variant(resource_id: Any) -> tuple[str, str] | None:
    """Return what the id of a scalable target means, both canonical; None where it is no variant, or unknown."""
    found = _RESOURCE_ID.fullmatch(spelled(resource_id) or "")
    return (found[1], found[2]) if found else None


def imported(export: str) -> str:
    """Return the text for a value that another stack exports."""
    return f"${{import {export}}}"


def inside_names(logical_id: str, given_name: str | None) -> frozenset[str]:
    """Return the texts that mean an endpoint in its own template."""
    return frozenset({f"${{{logical_id}.EndpointName}}", *([given_name] if given_name else [])})


def outside_names(stack: Stack, logical_id: str, given_name: str | None) -> frozenset[str]:
    """Return the texts that mean an endpoint in other templates: its name, and the exports of it."""
    own = inside_names(logical_id, given_name)
    exports = set()
    for output in mapping(stack.template.get("Outputs")).values():
        name = mapping(mapping(output).get("Export")).get("Name")
        if name is not None and spelled(canonical_value(mapping(output).get("Value"), stack.place)) in own:
            exports.add(spelled(canonical_value(name, stack.place)))
    return frozenset({*(imported(export) for export in exports if export), *own}) - {
        name for name in own if name.startswith("${")
    }


@dataclass(frozen=True)
class ScalingPlaces:
    """The scaling resources of one output, by the text that they name their endpoint with."""

    stacks: tuple[Stack, ...]

    @cached_property
    def _by_name(self) -> Mapping[str, list[tuple[Stack, str]]]:
        found: dict[str, list[tuple[Stack, str]]] = {}
        for stack in self.stacks:
            for name, logical_id in _named(stack):
                found.setdefault(name, []).append((stack, logical_id))
        return found

    def outside(self, stack_name: str, names: Iterable[str]) -> tuple[tuple[Stack, str], ...]:
        """Return stack and logical id of the resources that name an endpoint of a stack from another one."""
        return tuple(
            place
            for name in sorted(names)
            for place in self._by_name.get(name, ())
            if place[0].name != stack_name
        )

    def names_in(self, stack_names: Iterable[str]) -> frozenset[str]:
        """Return all texts that the resources of some stacks name endpoints with."""
        wanted = frozenset(stack_names)
        return frozenset(
            name for name, places in self._by_name.items() if any(stack.name in wanted for stack, _ in places)
        )


def _named(stack: Stack) -> Iterator[tuple[str, str]]:
    """Yield the texts that mean something outside of the template, with the resource."""
    for logical_id, body in mapping(stack.template.get("Resources")).items():
        if mapping(body).get("Type") != TARGET:
            continue
        parts = endpoint_and_variant(
            canonical_value(mapping(body.get("Properties")).get("ResourceId"), stack.place)
        )
        if parts and (not parts[0].startswith("${") or parts[0].startswith("${import ")):
            yield parts[0], logical_id


@dataclass(frozen=True, slots=True)
class VariantScaling:
    """The registration of one variant; None is unknown."""

    stack: str
    """Where the registration stands: mostly the stack of the endpoint."""
    logical_id: str
    has_switch: bool
    """Whether ``sizewell deploy`` can turn it off, by the parameter of its stack that our constructs add."""
    dimension: str | None
    """What is scaled: ``INSTANCE_COUNT`` or ``PROVISIONED_CONCURRENCY``."""
    minimum: float | None
    """At any hour: scheduled actions may go below the target."""
    maximum: float | None
    """At any hour, too."""
    targets: Mapping[str, float] = field(default_factory=dict)
    """By metric: the value that target tracking holds."""
    scale_in_cooldowns_s: Mapping[str, float] = field(default_factory=dict)
    """By metric."""


def scaling_of(
    stack: Stack, endpoint: Resource, places: ScalingPlaces | None = None
) -> dict[str, VariantScaling]:
    """Return the registrations of an endpoint by the name of the variant, of all templates; its own one is the last."""
    name = text(endpoint.properties.get("EndpointName"))
    found: dict[str, VariantScaling] = {}
    if places is not None:
        names = outside_names(stack, endpoint.logical_id, name)
        for other in {other.name: other for other, _ in places.outside(stack.name, names)}.values():
            found.update(_registrations(other, names))
    found.update(_registrations(stack, inside_names(endpoint.logical_id, name)))
    return found


def _registrations(stack: Stack, names: frozenset[str]) -> Iterator[tuple[str, VariantScaling]]:
    """Yield what one template registers of an endpoint, which it may name with any of the texts."""
    for target in stack.resources.values():
        if target.resource_type != TARGET:
            continue
        resource_id = target.properties.get("ResourceId")
        found = endpoint_and_variant(resource_id)
        if found is None or found[0] not in names:
            continue
        policies = [
            mapping(resource.properties.get("TargetTrackingScalingPolicyConfiguration"))
            for resource in stack.resources.values()
            if resource.resource_type == POLICY
            and (
                resource.properties.get("ScalingTargetId") == f"${{{target.logical_id}}}"
                or resource.properties.get("ResourceId") == resource_id
            )
        ]
        named = [(_metric(policy), policy) for policy in policies]
        yield (
            found[1],
            VariantScaling(
                stack.name,
                target.logical_id,
                _asks_switch(stack, target),
                text(target.properties.get("ScalableDimension")),
                _extreme(min, target, "MinCapacity"),
                _extreme(max, target, "MaxCapacity"),
                _numbers(named, "TargetValue"),
                _numbers(named, "ScaleInCooldown"),
            ),
        )


def _asks_switch(stack: Stack, target: Resource) -> bool:
    """Tell whether the condition of a target asks the parameter that ``sizewell deploy`` sets."""
    # As it is written: in canonical spelling a parameter is its value.
    condition = mapping(stack.template.get("Conditions")).get(str(target.body.get("Condition")))
    return (AUTOSCALING_PARAMETER, False) in mentioned_names(condition)


def _extreme(pick: Callable[[Iterable[float]], float], target: Resource, key: str) -> float | None:
    """Return a bound over all hours: that of the target, and those that its scheduled actions set."""
    actions = (
        mapping(action.get("ScalableTargetAction"))
        for _, action in maps(target.properties.get("ScheduledActions"))
    )
    bounds = [number(settings.get(key)) for settings in (target.properties, *actions) if key in settings]
    known = [bound for bound in bounds if bound is not None]
    return pick(known) if known and len(known) == len(bounds) else None


def _metric(policy: Mapping[str, object]) -> str:
    predefined = mapping(policy.get("PredefinedMetricSpecification"))
    custom = mapping(policy.get("CustomizedMetricSpecification"))
    return str(predefined.get("PredefinedMetricType") or custom.get("MetricName") or _result(custom))


def _result(custom: Mapping[str, object]) -> str:
    """Return what a customized metric of queries comes to: an expression, or the one metric that is read."""
    for _, query in maps(custom.get("Metrics")):
        if query.get("ReturnData") is not False:
            metric = mapping(mapping(query.get("MetricStat")).get("Metric"))
            return str(query.get("Expression") or metric.get("MetricName") or "")
    return ""


def _numbers(policies: list[tuple[str, Mapping[str, object]]], key: str) -> dict[str, float]:
    found = {metric: number(policy.get(key)) for metric, policy in policies if metric}
    return {metric: value for metric, value in found.items() if value is not None}
