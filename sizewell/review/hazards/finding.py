"""Every hazard of one environment."""

from collections.abc import Sequence

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.registry import OF_TABLES, RULES
from sizewell.review.hazards.rule import Found, HazardRule
from sizewell.review.hazards.rules.consequences import REMOVED
from sizewell.review.model import Hazard
from sizewell.review.words import SEVERITIES


def find_hazards(pair: EnvironmentPair) -> tuple[Hazard, ...]:
    """Return what can go wrong when head of an environment is deployed over base: dangers, warnings, notices.

    What base has as well is no hazard of the change.
    """
    found = _without_what_rules_say([(rule, hazard) for rule in RULES for hazard in rule.find(pair)])
    workloads = {stack: _workload(pair, stack) for stack in sorted({hazard.stack for _, hazard in found})}
    return tuple(
        sorted((_hazard(pair, rule, hazard, workloads[hazard.stack]) for rule, hazard in found), key=_order)
    )


def _without_what_rules_say(found: Sequence[tuple[HazardRule, Found]]) -> list[tuple[HazardRule, Found]]:
    """Leave out what the tables say where a rule says more of the same effect.

    That is of the same resource, or of what goes together with what the rule speaks of.
    """
    said = {
        (hazard.stack, hazard.logical_id, hazard.effect or rule.effect)
        for rule, hazard in found
        if rule.theme != OF_TABLES
    }
    stacks = {(stack, effect) for stack, _, effect in said}
    return [
        (rule, hazard)
        for rule, hazard in found
        if rule.theme != OF_TABLES
        or not (
            (hazard.stack, hazard.logical_id, rule.effect) in said
            or (hazard.cause == REMOVED and (hazard.stack, rule.effect) in stacks)
        )
    ]


def _workload(pair: EnvironmentPair, stack: str) -> str | None:
    workload = pair.workload_of_stack(stack)
    return workload.name if workload else None


def _hazard(pair: EnvironmentPair, rule: HazardRule, found: Found, workload: str | None) -> Hazard:
    return Hazard(
        rule=rule.name,
        severity=found.severity,
        effect=found.effect or rule.effect,
        environment=pair.name,
        stack=found.stack,
        logical_id=found.logical_id,
        workload=workload,
        subject=found.subject,
        cause=found.cause,
        consequence=found.consequence,
        what_to_do=found.what_to_do,
    )


def _order(hazard: Hazard) -> tuple[int, str, str, str, str, str]:
    return (
        SEVERITIES.index(hazard.severity),
        hazard.stack,
        hazard.rule,
        hazard.logical_id or "",
        hazard.subject,
        hazard.cause,
    )
