"""All rules: those of every module in ``rules/``."""

from collections.abc import Mapping
from typing import Any

from sizewell.checks import offers, rules
from sizewell.checks.offers import OfferedTypes
from sizewell.checks.rule import Finding, Rule
from sizewell.modules import modules_in
from sizewell.templates.template import Template
from sizewell.templates.values import without_no_value

_MODULES = modules_in(rules)
#: Every rule, by module.
RULES: tuple[Rule, ...] = tuple(rule for module in (*_MODULES, offers) for rule in module.RULES)
RULE_IDS: tuple[str, ...] = tuple(rule.id for rule in RULES)


def check_template(template: Mapping[str, Any], offered: OfferedTypes | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with a template, check by check; no findings is the answer for a good one.

    ``offered`` are the instance types of the region that it is for; without them, types are not judged.
    """
    whole = Template(without_no_value(template))
    findings = [finding for module in _MODULES for finding in module.check(whole)]
    if offered is not None:
        findings.extend(offers.check(whole, offered))
    return tuple(findings)
