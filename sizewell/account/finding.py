"""What a check found in an account."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a check went, the worst first."""

    FAIL = "fail"
    """A deployment would not succeed, or what runs is not what was planned."""
    WARN = "warn"
    """It may be right, and somebody should look at it."""
    UNKNOWN = "unknown"
    """The account was not read: a permission is missing, or a service did not answer."""
    PASS = "pass"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One answer of one check."""

    check: str
    place: str
    """Account and region."""
    subject: str
    """What was looked at: a quota, an image, a subnet."""
    outcome: Outcome
    says: str
    """What was found."""
    to_do: str = ""
    """What to do; empty where nothing is left to do."""
