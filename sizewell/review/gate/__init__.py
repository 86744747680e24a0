"""What may stop a change: conditions on a review, from the command line and from the configuration."""

from sizewell.review.gate.apply import apply_gate
from sizewell.review.gate.conditions import (
    GATE_CONDITIONS,
    Condition,
    GateSyntaxError,
    parse_conditions,
    policy_conditions,
    with_no_base,
)
from sizewell.review.gate.rules_of_base import check_rules, needed_approvals, waivers_of_base

__all__ = [
    "GATE_CONDITIONS",
    "Condition",
    "GateSyntaxError",
    "apply_gate",
    "check_rules",
    "needed_approvals",
    "parse_conditions",
    "policy_conditions",
    "waivers_of_base",
    "with_no_base",
]
