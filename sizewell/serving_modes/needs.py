"""The needs that decide between modes, beside those of the endpoint: payload, active hours, longest wait, similar models."""

import math
from dataclasses import dataclass

from sizewell.facts.billing import HOURS_PER_MONTH, SECONDS_PER_MONTH
from sizewell.instance_selection.requirements import EndpointRequirements

#: The 95th percentile of the standard normal distribution.
Z95 = 1.645


@dataclass(frozen=True, kw_only=True)
class ModeNeeds:
    """An endpoint's requirements, and the facts that only the choice of a mode asks for.

    ``endpoint.average_requests_per_second`` is the mean over the whole month; the requests arrive evenly in
    ``active_hours_per_day``. A payload that is None is not known: no limit is checked and no data is billed.
    ``max_wait_minutes`` is how much later an answer may come; None means that the caller waits for it.
    ``similar_models`` is how many models of this shape and traffic could share a fleet, this one included.
    ``packed_artifact``: the model is one model.tar.gz, and not a prefix of plain objects; ``artifact_gib`` is its size, None that
    of the weights. ``model_package``: it is a version of the model registry.
    """

    endpoint: EndpointRequirements
    payload_mb: float | None = None
    response_mb: float | None = None
    active_hours_per_day: float = 24.0
    max_wait_minutes: float | None = None
    similar_models: int = 1
    network_isolation: bool = False
    packed_artifact: bool = True
    artifact_gib: float | None = None
    model_package: bool = False

    @property
    def active_hours_per_month(self) -> float:
        """Hours in which requests arrive."""
        return HOURS_PER_MONTH * self.active_hours_per_day / 24

    @property
    def data_gb_per_request(self) -> float | None:
        """What goes in and out with one request; None where neither is known."""
        if self.payload_mb is None and self.response_mb is None:
            return None
        return ((self.payload_mb or 0.0) + (self.response_mb or 0.0)) / 1024


@dataclass(frozen=True, kw_only=True)
class Load:
    """The traffic in the units of every mode.

    ``units`` is what a fleet's capacity is counted in: requests per second, or users who each wait for an answer.
    """

    requests_per_month: float
    average_units: float
    peak_units: float
    by_users: bool

    @property
    def average_requests_per_second(self) -> float:
        """Over the whole month."""
        return self.requests_per_month / SECONDS_PER_MONTH

    @property
    def requests_per_unit(self) -> float:
        """Requests per month for each unit of average load."""
        return self.requests_per_month / self.average_units

    @property
    def spread(self) -> float:
        """Standard deviations above the mean at which 95 of 100 requests find a free worker.

        Requests that arrive by themselves are in progress as often as a Poisson distribution says; users are as many
        as they are.
        """
        return 0.0 if self.by_users else Z95

    def peak_in_progress(self, service_s: float) -> float:
        """The mean number of requests in progress at peak, when one takes ``service_s`` (Little's law)."""
        return self.peak_units if self.by_users else self.peak_units * service_s


def workers_for(mean: float, spread: float) -> float:
    """Return the workers for a mean number of requests in progress (Poisson, by the normal approximation)."""
    return mean + spread * math.sqrt(mean)


def mean_in_progress(workers: float, spread: float) -> float:
    """Return the mean number of requests for which the workers suffice: the inverse of ``workers_for``."""
    return ((math.sqrt(spread**2 + 4 * workers) - spread) / 2) ** 2


def load_of(needs: EndpointRequirements, answer_s: float) -> Load:
    """Return the load; users ask again as soon as they have an answer, which takes ``answer_s``."""
    if needs.peak_concurrent_users is not None:
        users = needs.average_concurrent_users or needs.peak_concurrent_users
        return Load(
            requests_per_month=users / answer_s * SECONDS_PER_MONTH,
            average_units=users,
            peak_units=needs.peak_concurrent_users,
            by_users=True,
        )
    peak = needs.peak_requests_per_second or 0.0
    average = needs.average_requests_per_second or peak
    return Load(
        requests_per_month=average * SECONDS_PER_MONTH,
        average_units=average,
        peak_units=peak,
        by_users=False,
    )
