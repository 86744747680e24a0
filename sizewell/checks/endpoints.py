"""Which endpoint has which configuration, where both are in one template."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.checks.placeholders import referenced_id, with_placeholders
from sizewell.checks.resources import Resource, Template, find, resources
from sizewell.templates.literals import count, is_given, mapping, maps, text

ENDPOINT = "AWS::SageMaker::Endpoint"
ENDPOINT_CONFIG = "AWS::SageMaker::EndpointConfig"
PRODUCTION = "ProductionVariants"
SHADOW = "ShadowProductionVariants"


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant and where it stands below the properties of its configuration."""

    path: str
    properties: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name, or the place of a variant whose name is not written out."""
        return text(self.properties.get("VariantName")) or self.path

    @property
    def is_serverless(self) -> bool:
        """Whether it runs without instances, for certain."""
        return is_given(self.properties, "ServerlessConfig")

    def instance_types(self) -> Iterator[tuple[str, str]]:
        """Yield the paths and names of its instance types: the one, or those of its pools."""
        if instance_type := text(self.properties.get("InstanceType")):
            yield f"{self.path}.InstanceType", instance_type
        for index, pool in maps(self.properties.get("InstancePools")):
            if instance_type := text(pool.get("InstanceType")):
                yield f"{self.path}.InstancePools.{index}.InstanceType", instance_type


def variants(config: Resource, *keys: str) -> Iterator[Variant]:
    """Yield the production and shadow variants of a configuration, or those under ``keys``."""
    for key in keys or (PRODUCTION, SHADOW):
        for index, properties in maps(config.properties.get(key)):
            yield Variant(f"{key}.{index}", properties)


def variant_names(config: Resource) -> frozenset[str] | None:
    """Return the names of all variants, or None where not all are written out."""
    for key in (PRODUCTION, SHADOW):
        if key in config.properties and count(config.properties[key]) is None:
            return None
    names = [text(variant.properties.get("VariantName")) for variant in variants(config)]
    return None if None in names or not names else frozenset(name for name in names if name)


def configuration_of(template: Template, endpoint_config_name: Any) -> Resource | None:
    """Return the configuration that a property ``EndpointConfigName`` means."""
    if logical_id := referenced_id(endpoint_config_name, "EndpointConfigName"):
        return find(template, logical_id, ENDPOINT_CONFIG)
    name = text(endpoint_config_name)
    for config in resources(template, ENDPOINT_CONFIG):
        if name is not None and config.properties.get("EndpointConfigName") == name:
            return config
    return None


def configuration_behind(template: Template, endpoint_name: str | None) -> Resource | None:
    """Return the configuration of the endpoint of that name, which may be a placeholder for one."""
    for endpoint in resources(template, ENDPOINT):
        names = (
            f"${{{endpoint.logical_id}.EndpointName}}",
            with_placeholders(endpoint.properties.get("EndpointName")),
        )
        if endpoint_name is not None and endpoint_name in names:
            return configuration_of(template, endpoint.properties.get("EndpointConfigName"))
    return None


def is_asynchronous(config: Resource) -> bool:
    """Tell whether the endpoint answers through S3."""
    return bool(mapping(config.properties.get("AsyncInferenceConfig")))
