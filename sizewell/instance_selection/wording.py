"""Latencies and counts as text."""


def milliseconds(value: float) -> str:
    """Return a latency in milliseconds, or in seconds from one second on."""
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    if value >= 1000:
        return f"{value / 1000:.2f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def counted(number: float, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 instance``, ``3 policies``."""
    return f"{number:,.10g} {noun if number == 1 else plural or f'{noun}s'}"
