"""Traces of whatever answers at once that were written when the alarms stood: no threshold was chosen with them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tools.benchmarks.alarm_replay.loads import AFTERNOON, DAY, HOUR, NIGHT, Load, day_and_night, week
from tools.benchmarks.alarm_replay.series import Floats
from tools.benchmarks.alarm_replay.traces import SLOW_BURN_REQUESTS_PER_DAY, TELLING_REQUESTS, Trace

#: So many errors must have come before anybody can tell.
_TELLING_ERRORS = 20
_LITTLE_SLOWER = 1.08


def held_out_traces(per_minute: float, *, instances: bool, rollout: float | None) -> Iterator[Trace]:
    """Yield them as ``serving_traces`` does its own."""
    day = replace(day_and_night(per_minute), seed=11)
    for trace in (
        *_quiet(day, per_minute, instances=instances),
        *_incidents(day, per_minute),
        *(() if rollout is None else _rollouts(day, per_minute, rollout)),
    ):
        yield replace(trace, held_out=True)


def _quiet(day: Load, per_minute: float, *, instances: bool) -> Iterator[Trace]:
    all_days = week(per_minute)
    yield Trace(name="another day and night", load=day)
    yield Trace(name="another week", load=replace(all_days, seed=12))
    yield Trace(name="weekend without a request", load=replace(all_days, seed=13).scaled(5 * DAY, 7 * DAY, 0))
    yield Trace(name="a little slower for three hours", load=_slow(day, 3 * HOUR, _LITTLE_SLOWER))
    yield Trace(name="one in 2,000 fails", load=day.during(0, 3 * DAY, failed=1 / 2000))
    yield Trace(
        name="processors at 80 % for three hours", load=day.during(AFTERNOON, AFTERNOON + 3 * HOUR, cpu=80)
    )
    yield Trace(
        name="bad input all night, half of the requests", load=day.during(DAY, DAY + 6 * HOUR, refused=0.5)
    )
    yield Trace(name="one minute with 2 % failures", load=day.during(AFTERNOON, AFTERNOON + 1, failed=0.02))
    yield Trace(
        name="five times the requests for two hours", load=day.scaled(AFTERNOON, AFTERNOON + 2 * HOUR, 5)
    )
    if instances:
        yield Trace(name="instances silent for three minutes", load=day.during(NIGHT, NIGHT + 3, reports=0))


def _incidents(day: Load, per_minute: float) -> Iterator[Trace]:
    telling = int(np.ceil(TELLING_REQUESTS / per_minute))

    def incident(name: str, within: int, load: Load, starts: int = AFTERNOON) -> Trace:
        return Trace(name=name, load=load, starts=starts, page_within=within)

    def until(share: float) -> int:
        return int(np.ceil(_TELLING_ERRORS / share / per_minute))

    def length(within: int) -> int:
        return max(6 * HOUR, 2 * within)

    if per_minute * DAY >= SLOW_BURN_REQUESTS_PER_DAY:
        yield incident(
            "1 % fails for a day",
            max(180, until(0.01)),
            day.during(AFTERNOON, AFTERNOON + max(DAY, 2 * until(0.01)), failed=0.01),
        )
    if per_minute * 2 * HOUR >= 1000:
        yield incident(
            "3 % fails",
            max(90, until(0.03)),
            day.during(AFTERNOON, AFTERNOON + length(until(0.03)), failed=0.03),
        )
    at_night = max(30, 10 * telling)
    yield incident(
        "half of the requests fail at night",
        at_night,
        day.during(NIGHT, NIGHT + length(at_night), failed=0.5),
        NIGHT,
    )
    half, slower, slowest = max(30, 4 * telling), max(45, 4 * telling), max(60, 4 * telling)
    yield incident(
        "half of the requests time out", half, day.during(AFTERNOON, AFTERNOON + length(half), hung=0.5)
    )
    yield incident("all requests take twice as long", slower, _slow(day, length(slower), 2))
    yield incident("one in five takes six times as long", slowest, _slow(day, length(slowest), 6, 0.2))
    climbing = np.concatenate([np.linspace(0, 0.5, 2 * HOUR), np.full(3 * HOUR, 0.5)])
    yield incident("failures climb to a half within two hours", max(60, 6 * telling), _failing(day, climbing))
    gusts = np.tile(np.repeat([1.0, 0.0], [10, 50]), 6)
    yield incident("all fail for ten minutes of each hour", max(75, 6 * telling), _failing(day, gusts))


def _rollouts(day: Load, per_minute: float, share: float) -> Iterator[Trace]:
    end = AFTERNOON + 2 * HOUR

    def rollout(name: str, load: Load, *, rolls_back: bool) -> Trace:
        return Trace(name=name, load=load, starts=AFTERNOON, rolls_back=rolls_back, share=share)

    yield rollout("healthy rollout under twice the requests", day.scaled(AFTERNOON, end, 2), rolls_back=False)
    yield rollout(
        "healthy rollout, one in 2,000 fails", day.during(0, 3 * DAY, failed=1 / 2000), rolls_back=False
    )
    yield rollout("healthy rollout, a little slower", _slow(day, 2 * HOUR, _LITTLE_SLOWER), rolls_back=False)
    if per_minute * share >= TELLING_REQUESTS:
        yield rollout("rollout, all requests take twice as long", _slow(day, 2 * HOUR, 2), rolls_back=True)
        yield rollout("rollout, half time out", day.during(AFTERNOON, end, hung=0.5), rolls_back=True)
    elif per_minute * share >= TELLING_REQUESTS / 10:
        yield rollout("rollout, half fail", day.during(AFTERNOON, end, failed=0.5), rolls_back=True)


def _slow(day: Load, minutes: int, factor: float, share: float = 1) -> Load:
    return replace(day.during(AFTERNOON, AFTERNOON + minutes, slow=share), slow_factor=factor)


def _failing(day: Load, shares: Floats) -> Load:
    failed = day.failed.copy()
    failed[AFTERNOON : AFTERNOON + len(shares)] = shares
    return replace(day, failed=failed)
