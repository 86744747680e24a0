"""From what was seen of an endpoint to a verdict, and to the traffic that its configuration should state."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import Any

from sizewell.config.base import LEAST_REQUESTS_PER_SECOND
from sizewell.config.traffic import UNITS_S, RequestTraffic, UserTraffic
from sizewell.facts.durations import DAY_S, HOUR_S
from sizewell.planning.observed_model import Seen

#: What a proposed peak is above the highest that was seen. The values are means of a minute, and the highest minute of the next
#: weeks is rarely that of the last ones. The plan itself keeps ``scaling.headroom`` free on top, for the time that instances take
#: to start.
HEADROOM = 1.25
#: What is carried on of a growth at most: a launch is no trend.
MAX_GROWTH = 2.0
#: Nothing is lowered by less: an estimate is no better.
LEAST_REDUCTION = 0.2
#: Days without a request after which an endpoint is idle: some are called once a week.
IDLE_DAYS = 7
#: Percent of an instance, on average over an hour, from which on nothing is lowered: the model needs more than is estimated.
BUSY_PERCENT = 70.0
#: The names of processors whose utilisation is published, as people call them, the most telling first.
_PROCESSORS = {"GPUUtilization": "GPU", "CPUUtilization": "CPU"}


class Verdict(StrEnum):
    """What was found of an endpoint."""

    FITS = "fits"
    IDLE = "idle"
    UNDER_USED = "under-used"
    BUSY = "busy"
    GROWING = "growing"
    EXCEEDED = "exceeded"
    NO_DATA = "no data"


@dataclass(frozen=True)
class KeyChange:
    """Another value of a key of ``traffic``, a whole number without a point; None is not stated."""

    key: str
    before: float | None
    after: float


@dataclass(frozen=True, kw_only=True)
class Rightsizing:
    """A verdict and what to change; loads are requests per second, or users who wait for an answer."""

    verdict: Verdict
    words: str
    noun: str
    stated_peak: float
    stated_average: float
    peak: float
    average: float
    changes: tuple[KeyChange, ...] = ()


def rightsize(
    traffic: RequestTraffic | UserTraffic, written: Mapping[str, Any], seen: Seen, max_p95_ms: float | None
) -> Rightsizing:
    """Return the verdict on a model; ``written`` are the keys of its ``traffic`` as the configuration has them.

    ``max_p95_ms`` is the latency that is asked for; None where nobody waits for an answer.
    """
    load = _load(traffic, seen)
    verdict, words = _judge(seen, load, max_p95_ms)
    changes: tuple[KeyChange, ...] = ()
    if verdict in (Verdict.UNDER_USED, Verdict.GROWING, Verdict.EXCEEDED):
        changes = tuple(_changes(traffic, written, load))
    return Rightsizing(
        verdict=verdict,
        words=words,
        noun=load.noun,
        stated_peak=load.stated_peak,
        stated_average=load.stated_average,
        peak=load.peak,
        average=load.average,
        changes=changes,
    )


def figure(value: float) -> str:
    """Return a load with two digits or more, without an exponent."""
    if value >= 100 or value == 0:
        return f"{value:,.0f}"
    digits = max(0, 1 - math.floor(math.log10(value)))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


@dataclass(frozen=True, kw_only=True)
class _Load:
    """What is stated of a load, and what was seen of it, in the same unit."""

    noun: str
    stated_peak: float
    stated_average: float
    peak: float
    average: float
    growth: float
    """The peak of the second half of the time by that of the first; 1 where the first has no request."""

    @property
    def needed_peak(self) -> float:
        """What should be stated: a peak that grows keeps growing."""
        return self.peak * max(HEADROOM, min(MAX_GROWTH, self.growth))

    @property
    def words(self) -> str:
        """The peak beside the stated one."""
        return f"{figure(self.peak)} of the stated {figure(self.stated_peak)} {self.noun}"


def _load(traffic: RequestTraffic | UserTraffic, seen: Seen) -> _Load:
    if isinstance(traffic, UserTraffic):
        noun, values = "users", seen.concurrency
        stated_peak = float(traffic.peak_concurrent_users)
        stated_average = traffic.average_concurrent_users or stated_peak
    else:
        noun, values = "requests per second", seen.requests_per_second
        stated_peak, stated_average = traffic.peak_requests_per_second, traffic.average_requests_per_second
    middle = (seen.asked_days - seen.days / 2) * DAY_S
    before = max((value for at, value in values.items() if at < middle), default=0.0)
    peak = max(values.values(), default=0.0)
    after = max((value for at, value in values.items() if at >= middle), default=0.0)
    return _Load(
        noun=noun,
        stated_peak=stated_peak,
        stated_average=stated_average,
        peak=peak,
        average=sum(values.values()) * seen.period_s / (seen.days * DAY_S),
        growth=after / before if before else 1.0,
    )


def _judge(seen: Seen, load: _Load, max_p95_ms: float | None) -> tuple[Verdict, str]:
    """Return the verdict in a word and in a sentence."""
    quiet_days = _quiet_days(seen)
    if not seen.requests and not seen.utilization:
        return (
            Verdict.NO_DATA,
            f"no data: CloudWatch has neither requests nor instances of {_days(seen.days)}",
        )
    if not seen.requests or quiet_days >= IDLE_DAYS:
        return Verdict.IDLE, f"idle: no request for {_days(quiet_days)}"
    if load.peak > load.stated_peak:
        return Verdict.EXCEEDED, f"exceeded: the peak was {load.words}"
    if load.growth > HEADROOM and load.needed_peak > load.stated_peak:
        times = f"{figure(load.growth)} times that of the {_days(seen.days / 2)} before"
        return Verdict.GROWING, f"growing: the peak was {load.words}, {times}"
    if load.needed_peak > load.stated_peak * (1 - LEAST_REDUCTION):
        return Verdict.FITS, f"fits: the peak was {load.words}"
    p95_ms = seen.latency_ms(seen.p95_us)
    if max_p95_ms is not None and p95_ms is not None and p95_ms > max_p95_ms:
        late = f"p95 of {figure(p95_ms)} ms is above the stated {figure(max_p95_ms)} ms"
        return Verdict.BUSY, f"busy: {late} at a peak of {load.words}"
    busiest = _busiest(seen)
    if busiest is not None and busiest[1] >= BUSY_PERCENT:
        return Verdict.BUSY, f"busy: {busiest[0]} at {busiest[1]:.0f} % at a peak of {load.words}"
    used = "" if busiest is None else f"{busiest[0]} at most {busiest[1]:.0f} %: "
    stated = f"the stated peak of {figure(load.stated_peak)} {load.noun}"
    return Verdict.UNDER_USED, f"{used}{stated} was {figure(load.peak)}"


def _busiest(seen: Seen) -> tuple[str, float] | None:
    """Return the processor that is busiest and its percent; None where nothing is known of any."""
    known = [
        (name, seen.utilization[metric]) for metric, name in _PROCESSORS.items() if metric in seen.utilization
    ]
    return max(known, key=itemgetter(1), default=None)


def _quiet_days(seen: Seen) -> float:
    """Return how long ago the last request was; without any, how long the endpoint was there."""
    if not seen.requests:
        return seen.days
    return seen.asked_days - (max(seen.requests) + seen.period_s) / DAY_S


def _changes(
    traffic: RequestTraffic | UserTraffic, written: Mapping[str, Any], load: _Load
) -> list[KeyChange]:
    average = max(load.average, LEAST_REQUESTS_PER_SECOND)
    if isinstance(traffic, UserTraffic):
        users = max(1, math.ceil(load.needed_peak))
        proposed = {"peak_concurrent_users": users, "average_concurrent_users": min(users, _round(average))}
    else:
        proposed = _rates(traffic, written, load.needed_peak, average)
    return [
        KeyChange(key, written.get(key), value)
        for key, value in proposed.items()
        if written.get(key) != value
    ]


def _rates(
    traffic: RequestTraffic, written: Mapping[str, Any], peak: float, average: float
) -> dict[str, float]:
    """Return rates per second by the keys that are written, in their units."""
    peak_key, average_key = (
        next(key for key in written if key.startswith(f"{rate}_requests_per_"))
        for rate in ("peak", "average")
    )
    unit_s = {key: UNITS_S.get(key.rpartition("_")[2], 1) for key in (peak_key, average_key)}
    of_average = _round(average * unit_s[average_key])
    # All that comes in a day must fit into the hours in which requests arrive.
    in_active_hours = of_average / unit_s[average_key] * 24 / traffic.active_hours_per_day
    return {
        peak_key: _round_up(max(peak, in_active_hours) * unit_s[peak_key]),
        average_key: of_average,
    }


def _days(days: float) -> str:
    if days < 1:
        hours = max(1, round(days * DAY_S / HOUR_S))
        return f"{hours} hour{'s' if hours > 1 else ''}"
    return f"{int(days)} day{'s' if days >= 2 else ''}"


def _round_up(value: float) -> float:
    """Return the least number with two digits that is not below."""
    return _round_with(math.ceil, value)


def _round(value: float) -> float:
    """Return the nearest number with two digits."""
    return _round_with(round, value)


def _round_with(rounded: Callable[[float], int], value: float) -> float:
    exponent = math.floor(math.log10(value)) - 1
    # A quotient such as 14.000000000000002 is 14.
    found = round(rounded(round(value / 10.0**exponent, 6)) * 10.0**exponent, max(0, -exponent))
    return int(found) if found.is_integer() else found
