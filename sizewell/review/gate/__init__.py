"""What may stop a change: conditions on a review, from the command line and from the configuration."""

from sizewell.review.gate.apply import apply_gate
from sizewell.review.gate.conditions import GATE_CONDITIONS, Condition
from sizewell.review.gate.parsing import GateSyntaxError, parse_conditions
from sizewell.review.gate.policy import policy_conditions

__all__ = [
    "GATE_CONDITIONS",
    "Condition",
    "GateSyntaxError",
    "apply_gate",
    "parse_conditions",
    "policy_conditions",
]
