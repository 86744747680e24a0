"""The traces of each kind, and what must happen in each: written down before an alarm is replayed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tools.benchmarks.alarm_replay.loads import AFTERNOON, DAY, HOUR, NIGHT, Load, day_and_night, steady, week

#: Requests that tell an incident from chance.
TELLING_REQUESTS = 30
SLOW_BURN_REQUESTS_PER_DAY = 5000


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """``page_within`` is how many minutes after ``starts`` people must hear of it, once; None: they must not.

    ``rolls_back`` is what must become of the rollout that begins with ``starts``; None where there is none. A rollout that goes
    back may page.
    """

    name: str
    load: Load
    starts: int = 0
    page_within: int | None = None
    rolls_back: bool | None = None
    share: float = 1.0
    """Of the requests that the new fleet gets first."""
    held_out: bool = False
    """Whether no threshold was chosen with it."""

    @property
    def is_incident(self) -> bool:
        """Whether somebody must hear of it."""
        return self.page_within is not None


def serving_traces(per_minute: float, *, instances: bool, rollout: float | None) -> Iterator[Trace]:
    """Yield those of whatever answers at once: ``rollout`` is the share of the requests that a new fleet gets first."""
    day = day_and_night(per_minute)
    # Until so many requests have come, nobody can tell an incident from chance.
    telling = int(np.ceil(TELLING_REQUESTS / per_minute))
    yield from _quiet(per_minute)
    yield from _incidents(day, telling, instances=instances)
    if per_minute * DAY >= SLOW_BURN_REQUESTS_PER_DAY:
        yield Trace(
            name="slow burn: 0.5 % of requests fail",
            load=day.during(DAY, 3 * DAY, failed=0.005),
            starts=DAY,
            page_within=DAY,
        )
    if rollout is not None:
        yield from _rollouts(day, per_minute, rollout)


def _quiet(per_minute: float) -> Iterator[Trace]:
    day = day_and_night(per_minute)
    yield Trace(name="steady", load=steady(per_minute))
    yield Trace(name="day and night", load=day)
    yield Trace(name="week with a weekend", load=week(per_minute))
    yield Trace(name="silent night", load=day.scaled(DAY, DAY + 6 * HOUR, 0))
    yield Trace(
        name="spike of three times the requests",
        load=day.scaled(AFTERNOON, AFTERNOON + 20, 3).during(AFTERNOON, AFTERNOON + 20, cpu=85),
    )
    yield Trace(
        name="processors are full, and requests are answered in time",
        load=day.during(AFTERNOON, AFTERNOON + 2 * HOUR, cpu=98),
    )
    yield Trace(
        name="one bad request at night",
        load=day.scaled(DAY, DAY + 6 * HOUR, 0.1).during(NIGHT, NIGHT + 1, exact=1, exact_failed=1),
    )
    yield (
        Trace(
            name="one bad request each half hour of a night",
            load=_every(day.scaled(DAY, DAY + 6 * HOUR, 0.1), DAY, DAY + 6 * HOUR, 30),
        )
        if per_minute >= 60
        else Trace(name="one bad request a night", load=_every(day, NIGHT, 3 * DAY, DAY))
    )
    yield Trace(name="scattered 5xx, one in 5,000", load=day.during(0, 3 * DAY, failed=1 / 5000))
    yield Trace(
        name="bad input of one client, a third of requests",
        load=day.during(AFTERNOON, AFTERNOON + 2 * HOUR, refused=1 / 3),
    )


def _every(load: Load, start: int, end: int, minutes: int) -> Load:
    found = load.exact.copy()
    found[start:end:minutes] = 1
    return replace(load, exact=found, exact_failed=found)


def _incidents(day: Load, telling: int, *, instances: bool) -> Iterator[Trace]:
    def incident(name: str, within: int, **shares: float) -> Trace:
        end = min(AFTERNOON + max(2 * HOUR, 2 * within), day.minutes)
        return Trace(
            name=name, load=day.during(AFTERNOON, end, **shares), starts=AFTERNOON, page_within=within
        )

    yield incident("all requests fail", max(15, telling), failed=1)
    yield incident("all requests hang", max(15, telling), hung=1)
    yield incident("one request in ten fails", max(30, 4 * telling), failed=0.1)
    yield incident("all requests are five times as slow", max(30, 4 * telling), slow=1)
    if instances:
        yield incident("dead fleet", 30, hung=1, reports=0)
        yield Trace(
            name="dead fleet at night, nobody asks",
            load=day.scaled(NIGHT, NIGHT + 2 * HOUR, 0).during(NIGHT, NIGHT + 2 * HOUR, reports=0),
            starts=NIGHT,
            page_within=30,
        )
        yield incident("memory is full", 30, memory=97)
        yield incident("disk is full", 30, disk=95)


def _rollouts(day: Load, per_minute: float, share: float) -> Iterator[Trace]:
    end = AFTERNOON + 2 * HOUR

    def rollout(name: str, *, rolls_back: bool, at: int = AFTERNOON, load: Load = day) -> Trace:
        return Trace(name=name, load=load, starts=at, rolls_back=rolls_back, share=share)

    quiet = day.scaled(DAY, DAY + 6 * HOUR, 0.5)
    yield rollout("healthy rollout", rolls_back=False)
    yield rollout("healthy rollout at night", rolls_back=False, at=NIGHT, load=quiet)
    yield rollout(
        "healthy rollout with one bad request",
        rolls_back=False,
        load=day.during(AFTERNOON + 3, AFTERNOON + 4, exact=1, exact_failed=1),
    )
    yield rollout(
        "healthy rollout, a client sends bad input",
        rolls_back=False,
        load=day.during(AFTERNOON, end, refused=1 / 3),
    )
    if per_minute * share >= TELLING_REQUESTS:
        yield rollout(
            "rollout, one request in ten is slow",
            rolls_back=True,
            # Their middle is 1.2 times the objective.
            load=replace(day.during(AFTERNOON, end, slow=0.1), slow_factor=3),
        )
        yield rollout(
            "rollout, one request in five fails",
            rolls_back=True,
            load=day.during(AFTERNOON, end, failed=0.2),
        )
    if per_minute * share >= TELLING_REQUESTS / 10:
        yield rollout(
            "rollout, all requests fail", rolls_back=True, load=day.during(AFTERNOON, end, failed=1)
        )
        yield rollout("rollout, all requests hang", rolls_back=True, load=day.during(AFTERNOON, end, hung=1))
