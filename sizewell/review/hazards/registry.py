"""All rules, in the order of their themes."""

from collections.abc import Mapping
from types import MappingProxyType

from sizewell.review.hazards.rule import HazardRule
from sizewell.review.hazards.rules import (
    alarms,
    availability,
    capacity,
    copies,
    counts,
    deploy_order,
    endpoint_updates,
    fleet,
    guardrails,
    limits,
    models,
    network,
    policy,
    removal,
    replacement,
    reservations,
    schedules,
    traffic,
    training,
)

_THEMES = (
    removal,
    replacement,
    endpoint_updates,
    traffic,
    counts,
    fleet,
    guardrails,
    availability,
    capacity,
    copies,
    alarms,
    training,
    limits,
    models,
    network,
    reservations,
    schedules,
    deploy_order,
    policy,
)

RULES: tuple[HazardRule, ...] = tuple(rule for theme in _THEMES for rule in theme.RULES)

#: The name of each rule, and what it finds in one line.
HAZARD_RULES: Mapping[str, str] = MappingProxyType({rule.name: rule.description for rule in RULES})
