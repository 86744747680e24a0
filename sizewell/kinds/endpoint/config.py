"""The rules of an endpoint in any mode that look at its environment."""

from sizewell.config.endpoint_rules import member_violations
from sizewell.config.kind import ConfigKind

FACET = ConfigKind(rules=member_violations)
