"""The checks that all modes share: payload, duration, latency, and whether the caller waits."""

from collections.abc import Mapping

from sizewell.facts.serving_features import Feature, Support, feature_of
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.latency_bounds import FIRST_TOKEN, INTER_TOKEN, LatencyBound
from sizewell.instance_selection.wording import milliseconds
from sizewell.serving_modes.needs import ModeNeeds
from sizewell.serving_modes.results import ModeMiss

#: A bound of just what is reached stands rounding, as in the selection.
HAIR = 1 + 1e-9


def over(requirement: str, value: float, max_value: float, reason: str) -> tuple[ModeMiss, ...]:
    """Return the miss of a requirement where a value is above what is allowed."""
    if value <= max_value * HAIR:
        return ()
    return (ModeMiss(requirement=requirement, reason=reason, shortfall=value / max_value),)


def payload_misses(mode: Mode, needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return whether request or answer are too large for a mode."""
    max_mb = limit(mode, "max_payload_mb")
    sizes = (("payload", needs.payload_mb), ("response", needs.response_mb))
    return tuple(
        miss
        for name, size in sizes
        if size is not None
        for miss in over(name, size, max_mb, f"{size:g} MB, at most {max_mb:g} MB")
    )


def latency_misses(
    reached_ms: Mapping[LatencyBound, float], needs: ModeNeeds, where: str
) -> tuple[ModeMiss, ...]:
    """Return which bounds of latency a warm request does not keep, with the margin of the needs."""
    room = 1 + needs.endpoint.margin
    words = f" with the margin of {needs.endpoint.margin:.0%}" if needs.endpoint.margin else ""
    asked = ((bound, ms, bound.asked_ms(needs.endpoint)) for bound, ms in reached_ms.items())
    return tuple(
        miss
        for bound, ms, max_ms in asked
        if max_ms is not None
        for miss in over(
            bound.filter,
            ms * room,
            max_ms,
            f"{bound.name} of {milliseconds(ms * room)}{words} {where}, {milliseconds(max_ms)} asked",
        )
    )


def answer_miss(needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return whether the caller waits for each answer, which a queue does not give."""
    if needs.max_wait_minutes is None:
        return (
            ModeMiss(
                requirement="answer",
                reason="the answer comes later, and the configuration does not allow that",
            ),
        )
    return whole_answer_misses(needs)


def whole_answer_misses(needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return the bounds of tokens that a mode misses because its answers come as a whole."""
    return tuple(
        ModeMiss(requirement=bound.filter, reason="the answer comes as a whole, and not token by token")
        for bound in (FIRST_TOKEN, INTER_TOKEN)
        if bound.asked_ms(needs.endpoint) is not None
    )


def archive_miss(needs: ModeNeeds, who: str) -> tuple[ModeMiss, ...]:
    """Return the miss of a mode that loads nothing but a .tar.gz."""
    if needs.packed_artifact:
        return ()
    return (ModeMiss(requirement="artifact", reason=f"{who} load one model.tar.gz"),)


def container_misses(mode: Mode, needs: ModeNeeds) -> tuple[ModeMiss, ...]:
    """Return the features of the containers that AWS does not support in a mode."""
    asked = {
        Feature.SERIAL_PIPELINE: needs.endpoint.pipeline_ms > 0,
        Feature.MODEL_PACKAGE: needs.model_package,
    }
    rows = (feature_of(mode, feature) for feature, is_asked in asked.items() if is_asked)
    return tuple(
        ModeMiss(requirement=row.feature.value, reason=row.because)
        for row in rows
        if row.supported is Support.NO
    )
