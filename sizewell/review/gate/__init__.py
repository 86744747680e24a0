"""What may stop a change: conditions on a review, from the command line and from the configuration."""

from sizewell.review.gate.conditions import (
    GATE_CONDITIONS,
    Condition,
    GateSyntaxError,
    parse_conditions,
    policy_conditions,
    with_no_base,
)
from sizewell.review.gate.findings import apply_gate

__all__ = [
    "GATE_CONDITIONS",
    "Condition",
    "GateSyntaxError",
    "apply_gate",
    "parse_conditions",
    "policy_conditions",
    "with_no_base",
]
