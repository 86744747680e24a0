"""The security section: permissions as sets, and whatever else makes an app weaker or stronger."""

from review.security.compare import compare_security

__all__ = ["compare_security"]
