"""Latencies as text."""


def milliseconds(value: float) -> str:
    """Return a latency in milliseconds, or in seconds from one second on."""
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    if value >= 1000:
        return f"{value / 1000:.2f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"
