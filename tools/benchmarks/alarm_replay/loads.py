"""What happens to a workload, minute by minute: requests, and what becomes of them and of its instances."""

from dataclasses import dataclass, field, replace

import numpy as np

from tools.benchmarks.alarm_replay.series import Floats

HOUR, DAY = 60, 24 * 60
#: In the afternoon of the second day.
AFTERNOON = DAY + 14 * HOUR
NIGHT = DAY + 3 * HOUR


@dataclass(frozen=True, kw_only=True, eq=False)
class Load:
    """Shares of the requests of each minute, and percents of what instances have.

    ``requests`` are what comes in a minute on average. ``slow`` take ``slow_factor`` times as long. ``failed`` are answered with
    5XX, ``hung`` with nothing, ``refused`` with 4XX by the container. ``exact`` adds a number of requests, the first
    ``exact_failed`` of which fail. ``reports`` is whether instances publish.
    """

    requests: Floats
    failed: Floats
    hung: Floats
    refused: Floats
    slow: Floats
    cold: Floats
    cpu: Floats
    memory: Floats
    disk: Floats
    reports: Floats
    exact: Floats
    exact_failed: Floats
    slow_factor: float = 5.0
    seed: int = field(default=1)

    @property
    def minutes(self) -> int:
        """How long it is."""
        return len(self.requests)

    def during(self, start: int, end: int, **shares: float) -> "Load":
        """Return it with other values from ``start`` to ``end``."""
        changed = {}
        for name, value in shares.items():
            series = getattr(self, name).copy()
            series[start:end] = value
            changed[name] = series
        return replace(self, **changed)

    def scaled(self, start: int, end: int, factor: float) -> "Load":
        """Return it with ``factor`` times the requests from ``start`` to ``end``."""
        requests = self.requests.copy()
        requests[start:end] *= factor
        return replace(self, requests=requests)


def steady(requests_per_minute: float, days: int = 3) -> Load:
    """Return a load that never changes."""
    minutes = days * DAY
    nothing = np.zeros(minutes)
    return Load(
        requests=np.full(minutes, requests_per_minute),
        failed=nothing,
        hung=nothing,
        refused=nothing,
        slow=nothing,
        cold=nothing,
        cpu=np.full(minutes, 45.0),
        memory=np.full(minutes, 60.0),
        disk=np.full(minutes, 30.0),
        reports=np.ones(minutes),
        exact=nothing,
        exact_failed=nothing,
    )


def day_and_night(requests_per_minute: float, days: int = 3) -> Load:
    """Return a load with that average: a tenth of it in the night, nearly twice as much in the afternoon."""
    load = steady(requests_per_minute, days)
    hours = (np.arange(load.minutes) % DAY) / HOUR
    return replace(load, requests=load.requests * (1 - 0.9 * np.cos((hours - 2) / 24 * 2 * np.pi)))


def week(requests_per_minute: float) -> Load:
    """Return nights and a weekend with a third of the requests."""
    load = day_and_night(requests_per_minute, days=7)
    return load.scaled(5 * DAY, 7 * DAY, 1 / 3)
