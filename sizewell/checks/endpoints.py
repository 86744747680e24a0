"""Endpoint configurations as a template writes them: a finding names the place, ``ProductionVariants.0``."""

from collections.abc import Iterator
from typing import Any

from sizewell.templates.endpoints import ENDPOINT, ENDPOINT_CONFIG, PRODUCTION, SHADOW, Variant
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import count, mapping, maps, referenced_id, text, with_placeholders


def variants(config: Resource, *keys: str) -> Iterator[Variant]:
    """Yield the production and shadow variants of a configuration as written, or those under ``keys``."""
    for key in keys or (PRODUCTION, SHADOW):
        for index, properties in maps(config.written.get(key)):
            yield Variant(f"{key}.{index}", properties)


def variant_names(config: Resource) -> frozenset[str] | None:
    """Return the names of all variants, or None where not all are written out."""
    for key in (PRODUCTION, SHADOW):
        if key in config.written and count(config.written[key]) is None:
            return None
    names = [text(variant.properties.get("VariantName")) for variant in variants(config)]
    return None if None in names or not names else frozenset(name for name in names if name)


def configuration_of(template: Template, endpoint_config_name: Any) -> Resource | None:
    """Return the configuration that a property ``EndpointConfigName`` means."""
    if logical_id := referenced_id(endpoint_config_name, "EndpointConfigName"):
        return template.find(logical_id, ENDPOINT_CONFIG)
    name = text(endpoint_config_name)
    for config in template.of_type(ENDPOINT_CONFIG):
        if name is not None and config.written.get("EndpointConfigName") == name:
            return config
    return None


def configuration_behind(template: Template, endpoint_name: str | None) -> Resource | None:
    """Return the configuration of the endpoint of that name, which may be a placeholder for one."""
    for endpoint in template.of_type(ENDPOINT):
        names = (
            f"${{{endpoint.logical_id}.EndpointName}}",
            with_placeholders(endpoint.written.get("EndpointName")),
        )
        if endpoint_name is not None and endpoint_name in names:
            return configuration_of(template, endpoint.written.get("EndpointConfigName"))
    return None


def is_asynchronous(config: Resource) -> bool:
    """Tell whether the endpoint answers through S3."""
    return bool(mapping(config.written.get("AsyncInferenceConfig")))


def is_serverless(config: Resource) -> bool:
    """Tell whether the endpoint runs without instances."""
    return any(variant.is_serverless for variant in variants(config))
