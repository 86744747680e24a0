"""Numbers as they stand in a review."""

from sizewell.facts.billing import HOURS_PER_MONTH as HOURS_PER_MONTH


def number_words(number: float) -> str:
    """Return a number with at most two decimals: ``1,460``, ``4.35``."""
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def usd_words(usd: float) -> str:
    """Return USD with two decimals, or with as many as a small price has: ``1.50``, ``0.0000002``."""
    whole, _, decimals = f"{usd:.10f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def span_words(minimum: float, maximum: float) -> str:
    """Return both bounds, or one number where they are the same: ``2-3``, ``2``."""
    low, high = number_words(minimum), number_words(maximum)
    return low if low == high else f"{low}-{high}"
