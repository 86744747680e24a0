"""All checks, in the order in which they look at a template."""

from collections.abc import Callable, Iterable

from sizewell.checks import (
    alarm_metrics,
    alarms,
    custom_scaling,
    deployment,
    names,
    offers,
    scaling,
    schedules,
    serverless,
    state_machines,
    training_requests,
    variants,
)
from sizewell.checks.finding import Finding
from sizewell.checks.offers import OfferedTypes
from sizewell.checks.resources import Template
from sizewell.templates.literals import without_no_value

Check = Callable[[Template], Iterable[Finding]]

_MODULES = (
    variants,
    serverless,
    scaling,
    custom_scaling,
    deployment,
    alarms,
    alarm_metrics,
    schedules,
    state_machines,
    training_requests,
    names,
)
CHECKS: tuple[Check, ...] = tuple(module.check for module in _MODULES)
#: Every rule, in the order of the checks.
RULE_IDS: tuple[str, ...] = tuple(rule_id for module in (*_MODULES, offers) for rule_id in module.RULE_IDS)


def check_template(template: Template, offered: OfferedTypes | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with a template, check by check; no findings is the answer for a good one.

    ``offered`` are the instance types of the region that it is for; without them, types are not judged.
    """
    whole: Template = without_no_value(template)
    findings = [finding for check in CHECKS for finding in check(whole)]
    if offered is not None:
        findings.extend(offers.check(whole, offered))
    return tuple(findings)
