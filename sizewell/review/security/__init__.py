"""The security section: permissions as sets, and whatever else makes an app weaker or stronger."""

from sizewell.review.security.compare import compare_security

__all__ = ["compare_security"]
