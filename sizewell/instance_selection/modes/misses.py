"""The checks that all modes share: payload, duration, latency, and whether somebody waits."""

from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.modes.needs import ModeNeeds
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.wording import milliseconds

#: A bound of just what is reached stands rounding, as in the selection.
HAIR = 1 + 1e-9


def payload_misses(mode: Mode, needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return whether request or answer are too large for a mode."""
    max_mb = limit(mode, "max_payload_mb")
    return tuple(
        ModeMiss(requirement=name, reason=f"{size:g} MB, at most {max_mb:g} MB", shortfall=size / max_mb)
        for name, size in (("payload", needs.payload_mb), ("response", needs.response_mb))
        if size is not None and size > max_mb
    )


def duration_miss(mode: Mode, service_s: float, where: str) -> tuple[ModeMiss, ...]:
    """Return whether one request takes longer than a mode lets it."""
    max_s = limit(mode, "max_processing_s")
    if service_s <= max_s * HAIR:
        return ()
    return (
        ModeMiss(
            requirement="duration",
            reason=f"one request takes {service_s:,.0f} s {where}, at most {max_s:,.0f} s",
            shortfall=service_s / max_s,
        ),
    )


def latency_miss(p95_ms: float, needs: ModeNeeds, where: str) -> tuple[ModeMiss, ...]:
    """Return whether a warm request takes longer than the bound."""
    max_ms = needs.endpoint.max_p95_latency_ms
    if p95_ms <= max_ms * HAIR:
        return ()
    return (
        ModeMiss(
            requirement="latency",
            reason=f"p95 of {milliseconds(p95_ms)} {where}, {milliseconds(max_ms)} asked",
            shortfall=p95_ms / max_ms,
        ),
    )


def answer_miss(needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return whether the caller waits for each answer, which a queue does not give."""
    if needs.max_wait_minutes is not None:
        return ()
    return (ModeMiss(requirement="answer", reason="the answer comes later, and nothing says that it may"),)
