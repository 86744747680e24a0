"""Scaling that a custom resource registers, so that UpdateEndpoint may change the instance type.

``Custom::EndpointScaling`` lists variants with their bounds and policies; validators see a resource without a schema.
The rules are those of ``scaling``.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.endpoints import configuration_behind, configuration_of
from sizewell.checks.finding import Finding
from sizewell.checks.ranges import reversed_bounds
from sizewell.checks.rule import Rule
from sizewell.checks.rules.scaling import BOUNDS, scaled_variant_faults, unknown_metric
from sizewell.facts.scaling import INSTANCE_COUNT, SCALING_TYPE
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import maps, text, with_placeholders

RULES: tuple[Rule, ...] = ()


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every custom resource that scales an endpoint."""
    for resource in template.of_type(SCALING_TYPE):
        config = configuration_of(template, resource.written.get("EndpointConfigName"))
        if config is None:
            name = with_placeholders(resource.written.get("EndpointName"))
            config = configuration_behind(template, name)
        for path, variant in _variants(resource):
            yield from reversed_bounds(
                resource, BOUNDS, path, variant, "MinInstanceCount", "MaxInstanceCount"
            )
            if name := text(variant.get("VariantName")):
                yield from scaled_variant_faults(resource, f"{path}.VariantName", config, name)
            for index, policy in maps(variant.get("Policies")):
                metric = text(policy.get("PredefinedMetricType"))
                metric_path = f"{path}.Policies.{index}.PredefinedMetricType"
                yield from unknown_metric(resource, metric_path, metric, INSTANCE_COUNT)


def _variants(resource: Resource) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the variants with their paths: a list, or JSON text, since custom resources turn numbers into text."""
    for key, value in resource.written.items():
        read = _from_json(with_placeholders(value)) if not isinstance(value, list) else value
        if isinstance(read, Mapping):
            key, read = f"{key}.Variants", read.get("Variants")
        if key.endswith("Variants"):
            for index, variant in maps(read):
                yield f"{key}.{index}", variant


def _from_json(value: str | None) -> Any:
    try:
        return json.loads(value) if value and value[:1] in "[{" else None
    except (ValueError, RecursionError):
        return None
