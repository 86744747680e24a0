"""A number within bounds: the commonest kind of rule."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.finding import Finding, fault
from sizewell.templates.literals import number, show
from sizewell.templates.template import Resource


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
    value, (least, most) = number(properties.get(key)), bounds
    if value is not None and not least <= value <= most:
        allowed = f"{least:g} to {most:.0f}{unit}"
        yield fault(
            resource,
            rule_id,
            f"{path}.{key}" if path else key,
            f"{key} is {show(properties[key])}, allowed is {allowed}",
            f"choose a value of {allowed}",
        )


def reversed_bounds(
    resource: Resource, rule_id: str, path: str, properties: Mapping[str, Any], least_key: str, most_key: str
) -> Iterator[Finding]:
    """Yield a finding where a lower bound is above its upper bound."""
    least, most = number(properties.get(least_key)), number(properties.get(most_key))
    if least is not None and most is not None and least > most:
        yield fault(
            resource,
            rule_id,
            f"{path}.{least_key}" if path else least_key,
            f"{least_key} is {show(least)}, above {most_key} ({show(most)})",
            f"lower {least_key} or raise {most_key}",
        )
