"""The rules of a batch transform that look at its environment."""

from sizewell.config.endpoint_rules import member_violations
from sizewell.config.kind import ConfigKind

FACET = ConfigKind(rules=member_violations)
