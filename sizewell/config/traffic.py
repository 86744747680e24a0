"""How much arrives: requests at a rate, or users who each wait for an answer."""

import math
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import LEAST_REQUESTS_PER_SECOND, ConfigModel, RequestsPerSecond, fault

#: Hours of a day in which requests arrive.
ActiveHours = Annotated[float, Field(ge=0.01, le=24)]


class RequestTraffic(ConfigModel):
    """Requests that arrive at a rate, however long the answers take."""

    peak_requests_per_second: RequestsPerSecond
    """Requests per second at the busiest time, which the instances must carry."""
    average_requests_per_second: RequestsPerSecond
    """Requests per second over the month, for the bill."""
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which requests arrive, for the comparison of modes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.average_requests_per_second > self.peak_requests_per_second:
            raise fault("average_requests_per_second", "is above peak_requests_per_second")
        active = self.average_requests_per_second * 24 / self.active_hours_per_day
        if active > self.peak_requests_per_second * (1 + 1e-9):
            raise fault(
                "active_hours_per_day",
                f"squeezes the requests of a day into {self.active_hours_per_day:g} hours, {active:g} a second, "
                f"above peak_requests_per_second ({self.peak_requests_per_second:g})",
            )
        return self

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
