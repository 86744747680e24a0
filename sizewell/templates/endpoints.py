"""Endpoints with their configuration, variants, models and scaling, as the templates of one output have them.

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
from sizewell.templates.values import (
    is_given,
    mapping,
    maps,
    mentioned_names,
    number,
    references_in,
    text,
)

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
_RESOURCE_ID = re.compile(r"endpoint/(.+)/variant/(.+)")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
#: The parts of an ARN of an endpoint, which is what ``Ref`` gives: ``arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME``.
_NAME_AFTER_SLASH = ("/", "1")
_RESOURCE_AFTER_COLONS = (":", "5")
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
ENDPOINT = "AWS::SageMaker::Endpoint"
ENDPOINT_CONFIG = "AWS::SageMaker::EndpointConfig"
MODEL = "AWS::SageMaker::Model"
PRODUCTION = "ProductionVariants"
SHADOW = "ShadowProductionVariants"


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
            mapping(one.properties.get("TargetTrackingScalingPolicyConfiguration"))
            for one in stack.resources.values()
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
        mapping(one.get("ScalableTargetAction")) for _, one in maps(target.properties.get("ScheduledActions"))
    )
    bounds = [number(one.get(key)) for one in (target.properties, *actions) if key in one]
    known = [bound for bound in bounds if bound is not None]
    return pick(known) if known and len(known) == len(bounds) else None


def _metric(policy: Mapping[str, object]) -> str:
    predefined = mapping(policy.get("PredefinedMetricSpecification"))
    custom = mapping(policy.get("CustomizedMetricSpecification"))
    return str(predefined.get("PredefinedMetricType") or custom.get("MetricName") or "")


def _numbers(policies: list[tuple[str, Mapping[str, object]]], key: str) -> dict[str, float]:
    found = {metric: number(policy.get(key)) for metric, policy in policies if metric}
    return {metric: value for metric, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Variant:
    """A production or shadow variant."""

    path: str
    """Where it stands below the properties of its configuration: ``ProductionVariants.0``."""
    properties: Mapping[str, Any]
    """Canonical, or as written: those of its configuration."""

    @property
    def name(self) -> str:
        """Its name, or its path where that is not written out."""
        return text(self.properties.get("VariantName")) or self.path

    @property
    def instance_type(self) -> str | None:
        """Its type, or those of its pools; None where it is serverless or worked out at deployment."""
        if written := text(self.properties.get("InstanceType")):
            return written
        pools = [str(pool.get("InstanceType")) for _, pool in maps(self.properties.get("InstancePools"))]
        return f"pool of {', '.join(pools)}" if pools else None

    def instance_type_paths(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the name of each of its instance types that is written out."""
        if instance_type := text(self.properties.get("InstanceType")):
            yield f"{self.path}.InstanceType", instance_type
        for index, pool in maps(self.properties.get("InstancePools")):
            if instance_type := text(pool.get("InstanceType")):
                yield f"{self.path}.InstancePools.{index}.InstanceType", instance_type

    @property
    def instance_types(self) -> tuple[str, ...]:
        """Its type, or those of its pools in the order in which SageMaker tries them; empty where it is serverless."""
        pools = sorted(
            (number(pool.get("Priority")) or 0.0, place, str(pool.get("InstanceType")))
            for place, pool in maps(self.properties.get("InstancePools"))
        )
        only = text(self.properties.get("InstanceType"))
        return tuple(name for _, _, name in pools) or ((only,) if only else ())

    @property
    def initial_instance_count(self) -> float | None:
        """None where it is not there or not known."""
        return number(self.properties.get("InitialInstanceCount"))

    @property
    def managed_scaling(self) -> Mapping[str, Any]:
        """Scaling by SageMaker itself, for inference components."""
        return mapping(self.properties.get("ManagedInstanceScaling"))

    @property
    def is_serverless(self) -> bool:
        """Whether it runs without instances, for certain."""
        return is_given(self.properties, "ServerlessConfig")


@dataclass(frozen=True)
class Endpoint:
    """One endpoint on one side."""

    stack: Stack
    resource: Resource
    places: ScalingPlaces | None = None
    """Of the whole output; without them only its own template is looked at."""

    @property
    def given_name(self) -> str | None:
        """Its name; None where CloudFormation names it."""
        return text(self.resource.properties.get("EndpointName"))

    @property
    def name(self) -> str:
        """Its name, or its place in the app where CloudFormation names it."""
        return self.given_name or self.resource.path

    @cached_property
    def config(self) -> Resource | None:
        """Its configuration; None where another template has it."""
        wanted = self.resource.properties.get("EndpointConfigName")
        for reference in references_in(wanted):
            found = self.stack.resources.get(reference.name)
            if found and found.resource_type == ENDPOINT_CONFIG:
                return found
        for one in self.stack.resources.values():
            if (
                one.resource_type == ENDPOINT_CONFIG
                and wanted
                and one.properties.get("EndpointConfigName") == wanted
            ):
                return one
        return None

    @cached_property
    def variants(self) -> Mapping[str, Variant]:
        """The production variants by name."""
        return self._variants(PRODUCTION)

    @cached_property
    def shadow_variants(self) -> Mapping[str, Variant]:
        """Those that get a copy of the traffic, by name."""
        return self._variants(SHADOW)

    def _variants(self, key: str) -> Mapping[str, Variant]:
        found = maps(self.config.properties.get(key)) if self.config else ()
        variants = (Variant(f"{key}.{index}", properties) for index, properties in found)
        return {variant.name: variant for variant in variants}

    @cached_property
    def scaling(self) -> Mapping[str, VariantScaling]:
        """By the name of the variant; a variant that nobody scales is not in it."""
        return scaling_of(self.stack, self.resource, self.places)

    @property
    def deployment(self) -> Mapping[str, Any]:
        """Its guardrails; empty where it has none."""
        return mapping(self.resource.properties.get("DeploymentConfig"))

    @property
    def is_asynchronous(self) -> bool:
        """Whether requests wait in a queue."""
        return self.config is not None and "AsyncInferenceConfig" in self.config.properties

    @cached_property
    def models(self) -> Mapping[str, Resource]:
        """The models of this template by the name of the variant."""
        found: dict[str, Resource] = {}
        for name, variant in self.variants.items():
            for reference in references_in(variant.properties.get("ModelName")):
                model = self.stack.resources.get(reference.name)
                if model and model.resource_type == MODEL:
                    found[name] = model
        return found

    def min_instance_count(self, variant: Variant) -> float | None:
        """Return how few instances a variant may have."""
        scaling = self.scaling.get(variant.name)
        return scaling.minimum if scaling else variant.initial_instance_count

    def max_instance_count(self, variant: Variant) -> float | None:
        """Return how many instances a variant may have."""
        scaling = self.scaling.get(variant.name)
        return scaling.maximum if scaling else variant.initial_instance_count


@dataclass(frozen=True)
class EndpointPair:
    """The same endpoint on both sides; None on the side that does not have it, never on both."""

    stack: str
    logical_id: str
    base: Endpoint | None
    head: Endpoint | None


@dataclass(frozen=True)
class EndpointChange:
    """An endpoint that exists on both sides."""

    stack: str
    logical_id: str
    base: Endpoint
    head: Endpoint

    @property
    def subject(self) -> str:
        """What it is about."""
        return f"endpoint {self.head.name}"

    @cached_property
    def variants(self) -> tuple[tuple[Variant, Variant], ...]:
        """The variants of the same name."""
        names = sorted(self.base.variants.keys() & self.head.variants.keys())
        return tuple((self.base.variants[name], self.head.variants[name]) for name in names)
