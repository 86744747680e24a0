"""How much arrives: requests at a rate, or users who each wait for an answer."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import LEAST_REQUESTS_PER_SECOND, ConfigModel, RequestsPerSecond, fault, without

#: Hours of a day in which requests arrive.
ActiveHours = Annotated[float, Field(ge=0.01, le=24)]


#: Units of time in which a rate may be stated, in seconds.
UNITS_S = {"minute": 60, "hour": 3600, "day": 86_400}
#: As many as RequestsPerSecond allows.
_RequestsPerMinute = Annotated[float, Field(ge=6e-5, le=6e7)]
_RequestsPerHour = Annotated[float, Field(ge=3.6e-3, le=3.6e9)]
_RequestsPerDay = Annotated[float, Field(ge=0.0864, le=8.64e10)]


class RequestTraffic(ConfigModel):
    """Requests that arrive at a rate, however long the answers take."""

    peak_requests_per_second: RequestsPerSecond
    """Requests per second at the busiest time, which the instances must carry."""
    peak_requests_per_minute: _RequestsPerMinute | None = None
    """Requests per minute at the busiest time, in place of peak_requests_per_second."""
    peak_requests_per_hour: _RequestsPerHour | None = None
    """Requests per hour at the busiest time, in place of peak_requests_per_second."""
    peak_requests_per_day: _RequestsPerDay | None = None
    """Requests per day at the busiest time, in place of peak_requests_per_second."""
    average_requests_per_second: RequestsPerSecond
    """Requests per second over the month, for the bill."""
    average_requests_per_minute: _RequestsPerMinute | None = None
    """Requests per minute over the month, in place of average_requests_per_second."""
    average_requests_per_hour: _RequestsPerHour | None = None
    """Requests per hour over the month, in place of average_requests_per_second."""
    average_requests_per_day: _RequestsPerDay | None = None
    """Requests per day over the month, in place of average_requests_per_second."""
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which requests arrive, for the comparison of modes."""

    @model_validator(mode="before")
    @classmethod
    def _in_seconds(cls, stated: Any) -> Any:
        """Say every rate per second, too: what it is computed with."""
        if not isinstance(stated, Mapping):
            return stated
        in_seconds = dict(stated)
        for rate in ("peak_requests_per", "average_requests_per"):
            keys = [
                f"{rate}_{unit}" for unit in ("second", *UNITS_S) if stated.get(f"{rate}_{unit}") is not None
            ]
            if len(keys) > 1:
                raise fault(keys[1], f"is stated beside {keys[0]}; one of them is enough: {without(keys[0])}")
            for key in keys:
                unit_s = UNITS_S.get(key.removeprefix(f"{rate}_"))
                if unit_s is not None:
                    number = isinstance(stated[key], int | float)
                    # What is no number, or out of bounds, is told of its own key.
                    per_second = stated[key] / unit_s if number else 1.0
                    in_seconds[f"{rate}_second"] = min(max(per_second, LEAST_REQUESTS_PER_SECOND), 1e6)
        return in_seconds

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        peak, average = self._stated("peak"), self._stated("average")
        if self.average_requests_per_second > self.peak_requests_per_second:
            raise fault(average, f"is above {peak}")
        active = self.average_requests_per_second * 24 / self.active_hours_per_day
        if active > self.peak_requests_per_second * (1 + 1e-9):
            raise fault(
                "active_hours_per_day",
                f"squeezes the requests of a day into {self.active_hours_per_day:g} hours, {active:g} a second, "
                f"above the peak ({self.peak_requests_per_second:g} a second)",
            )
        return self

    def _stated(self, rate: str) -> str:
        """Return the key that the configuration states a rate with."""
        keys = (f"{rate}_requests_per_{unit}" for unit in UNITS_S)
        return next((key for key in keys if getattr(self, key) is not None), f"{rate}_requests_per_second")

    def share(self, percent: float) -> "RequestTraffic":
        """Return so much of it; of nothing the least that can be stated."""
        part = max(percent / 100, LEAST_REQUESTS_PER_SECOND / self.average_requests_per_second)
        return self.model_copy(
            update={
                "peak_requests_per_second": self.peak_requests_per_second * part,
                "average_requests_per_second": self.average_requests_per_second * part,
            }
        )

    def at_peak(self) -> "RequestTraffic":
        """Return it as if all hours were the busiest."""
        always = {"average_requests_per_second": self.peak_requests_per_second, "active_hours_per_day": 24}
        return self.model_copy(update=always)


class UserTraffic(ConfigModel):
    """Load of users who each wait for an answer before they ask again."""

    peak_concurrent_users: Annotated[int, Field(ge=1, le=10_000_000)]
    """Users at the busiest time, each of whom waits for an answer before asking again."""
    average_concurrent_users: Annotated[float, Field(ge=1e-6, le=10_000_000)] | None = None
    """Users over the month, for the bill; by default as many as at peak."""
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which users ask, for the comparison of modes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if (self.average_concurrent_users or 0) > self.peak_concurrent_users:
            raise fault("average_concurrent_users", "is above peak_concurrent_users")
        return self

    def share(self, percent: float) -> "UserTraffic":
        """Return so much of it, and one user at least."""
        average = self.average_concurrent_users
        return self.model_copy(
            update={
                "peak_concurrent_users": max(1, math.ceil(self.peak_concurrent_users * percent / 100)),
                "average_concurrent_users": average
                and max(LEAST_REQUESTS_PER_SECOND, average * percent / 100),
            }
        )

    def at_peak(self) -> "UserTraffic":
        """Return it as if all hours were the busiest."""
        return self.model_copy(update={"average_concurrent_users": None})


def _traffic_kind(traffic: Any) -> str:
    """Return the kind of traffic that the keys belong to, so that an error speaks of one kind."""
    keys = traffic if isinstance(traffic, dict) else getattr(traffic, "model_fields_set", ())
    return "UserTraffic" if any(str(key).endswith("users") for key in keys) else "RequestTraffic"


Traffic = Annotated[
    Annotated[RequestTraffic, Tag("RequestTraffic")] | Annotated[UserTraffic, Tag("UserTraffic")],
    Discriminator(_traffic_kind),
]
