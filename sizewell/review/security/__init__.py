"""The security section: permissions as sets, and whatever else makes an app weaker or stronger."""

from sizewell.review.security.compare import compare_security, rule_count

__all__ = ["compare_security", "rule_count"]
