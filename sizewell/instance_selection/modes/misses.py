"""The checks that all modes share: payload, duration, latency, and whether somebody waits."""

from collections.abc import Mapping

from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.latency_bounds import FIRST_TOKEN, INTER_TOKEN, LatencyBound
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


def latency_misses(
    reached_ms: Mapping[LatencyBound, float], needs: ModeNeeds, where: str
) -> tuple[ModeMiss, ...]:
    """Return which bounds of latency a warm request does not keep, with the margin of the needs."""
    margin = needs.endpoint.margin
    words = f" with the margin of {margin:.0%}" if margin else ""
    return tuple(
        ModeMiss(
            requirement=bound.filter,
            reason=f"{bound.name} of {milliseconds(ms * (1 + margin))}{words} {where}, {milliseconds(asked_ms)} asked",
            shortfall=ms * (1 + margin) / asked_ms,
        )
        for bound, ms in reached_ms.items()
        if (asked_ms := bound.asked_ms(needs.endpoint)) is not None and ms * (1 + margin) > asked_ms * HAIR
    )


def answer_miss(needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return whether the caller waits for each answer, which a queue does not give."""
    if needs.max_wait_minutes is None:
        return (
            ModeMiss(requirement="answer", reason="the answer comes later, and nothing says that it may"),
        )
    return tuple(
        ModeMiss(requirement=bound.filter, reason="the answer comes as a whole, and not token by token")
        for bound in (FIRST_TOKEN, INTER_TOKEN)
        if bound.asked_ms(needs.endpoint) is not None
    )
