"""Endpoints with their configuration, variants and models, as the templates of one output have them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import (
    is_given,
    mapping,
    maps,
    number,
    references_in,
    text,
)
from sizewell.templates.variant_scaling import ScalingPlaces, VariantScaling, scaling_of

ENDPOINT = "AWS::SageMaker::Endpoint"
ENDPOINT_CONFIG = "AWS::SageMaker::EndpointConfig"
MODEL = "AWS::SageMaker::Model"
PRODUCTION = "ProductionVariants"
SHADOW = "ShadowProductionVariants"


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
        for resource in self.stack.resources.values():
            if (
                resource.resource_type == ENDPOINT_CONFIG
                and wanted
                and resource.properties.get("EndpointConfigName") == wanted
            ):
                return resource
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
