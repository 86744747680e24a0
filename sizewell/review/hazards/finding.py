"""Every hazard of one environment."""

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.registry import RULES
from sizewell.review.hazards.rule import Found, HazardRule
from sizewell.review.model import Hazard
from sizewell.review.words import SEVERITIES


def find_hazards(pair: EnvironmentPair) -> tuple[Hazard, ...]:
    """Return what can go wrong when head of an environment is deployed over base: dangers, warnings, notices.

    What base has as well is no hazard of the change.
    """
    found = [(rule, hazard) for rule in RULES for hazard in rule.find(pair)]
    workloads = {stack: _workload(pair, stack) for stack in sorted({hazard.stack for _, hazard in found})}
    return tuple(
        sorted((_hazard(pair, rule, hazard, workloads[hazard.stack]) for rule, hazard in found), key=_order)
    )


def _workload(pair: EnvironmentPair, stack: str) -> str | None:
    workload = pair.workload_of_stack(stack)
    return workload.name if workload else None


def _hazard(pair: EnvironmentPair, rule: HazardRule, found: Found, workload: str | None) -> Hazard:
    return Hazard(
        rule=rule.name,
        severity=found.severity,
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
