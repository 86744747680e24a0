"""A number within bounds: the commonest kind of rule."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.rule import Finding, fault
from sizewell.templates.template import Resource
from sizewell.templates.values import number, show


def outside(
    resource: Resource,
    rule_id: str,
    path: str,
    properties: Mapping[str, Any],
    key: str,
    bounds: tuple[float, float],
    *,
    unit: str = "",
) -> Iterator[Finding]:
    """Yield a finding where the number under ``key`` is written out and outside its bounds."""
    value, (minimum, maximum) = number(properties.get(key)), bounds
    if value is not None and not minimum <= value <= maximum:
        allowed = f"{minimum:g} to {maximum:.0f}{unit}"
        yield fault(
            resource,
            rule_id,
            f"{path}.{key}" if path else key,
            f"{key} is {show(properties[key])}, allowed is {allowed}",
            f"choose a value of {allowed}",
        )


def reversed_bounds(
    resource: Resource, rule_id: str, path: str, properties: Mapping[str, Any], min_key: str, max_key: str
) -> Iterator[Finding]:
    """Yield a finding where a lower bound is above its upper bound."""
    minimum, maximum = number(properties.get(min_key)), number(properties.get(max_key))
    if minimum is not None and maximum is not None and minimum > maximum:
        yield fault(
            resource,
            rule_id,
            f"{path}.{min_key}" if path else min_key,
            f"{min_key} is {show(minimum)}, above {max_key} ({show(maximum)})",
            f"lower {min_key} or raise {max_key}",
        )
