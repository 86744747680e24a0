"""What each kind publishes of a load: the metrics stand in ``sizewell.facts.endpoint_metrics`` and ``lambda_functions``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from sizewell.facts.endpoint_metrics import endpoint_metrics
from sizewell.facts.lambda_functions import NAMESPACE as LAMBDA_NAMESPACE
from sizewell.facts.metrics import Dimensions
from tools.benchmarks.alarm_replay.loads import Load
from tools.benchmarks.alarm_replay.series import Floats, Series
from tools.benchmarks.alarm_replay.template_alarms import Metric

MICROSECONDS_PER_MS = 1000.0
#: The 95th percentile of a healthy workload is the objective through this number.
HEALTHY = 1.3
#: Latencies are lognormal: the 99th percentile is 1.31 times the 95th.
_SIGMA = 0.4
_Z95 = 1.645
#: Latencies from a hundredth to forty times the objective, an eighth apart.
_GRID: Floats = 0.01 * 1.125 ** np.arange(71, dtype=np.float64)
OVERHEAD_MS = 20.0
#: After so many minutes without a request, the next one waits for a cold start.
COLD_AFTER_MINUTES = 10


@dataclass(frozen=True, kw_only=True)
class Requests:
    """How many requests of each minute ended how, and how long those that were answered took."""

    ended: dict[str, Floats]
    latencies: Floats
    """By the grid of latencies."""
    cold: Floats

    @property
    def number(self) -> Floats:
        """How many came."""
        return sum(self.ended.values(), np.zeros(len(self.cold)))

    def __add__(self, other: "Requests") -> "Requests":
        """Return both together."""
        return Requests(
            ended={name: number + other.ended[name] for name, number in self.ended.items()},
            latencies=self.latencies + other.latencies,
            cold=self.cold + other.cold,
        )


def requests_of(load: Load) -> Requests:
    """Draw the requests of a load, the same on every run."""
    rng = np.random.default_rng(load.seed)
    number = rng.poisson(load.requests)
    shares = np.stack([load.failed, load.hung, load.refused], axis=1)
    shares = np.column_stack([shares, np.maximum(1 - shares.sum(axis=1), 0)])
    failed, hung, refused, good = rng.multinomial(number, shares).T.astype(float)
    failed = failed + load.exact_failed
    good = good + load.exact - load.exact_failed
    answered = (failed + refused + good).astype(int)
    healthy, slow = _grid_shares(1), _grid_shares(load.slow_factor)
    latencies = rng.multinomial(answered, load.slow[:, None] * slow + (1 - load.slow[:, None]) * healthy)
    came = number + load.exact
    before = np.concatenate([[0.0], came.cumsum()])
    idle = np.array(
        [before[at] == before[max(at - COLD_AFTER_MINUTES, 0)] for at in range(load.minutes)], dtype=bool
    )
    return Requests(
        ended={"failed": failed, "hung": hung, "refused": refused, "good": good},
        latencies=latencies.astype(float),
        cold=(idle & (came > 0)).astype(float),
    )


def _grid_shares(factor: float) -> Floats:
    """Return the share of requests at each latency of the grid; the objective is 1."""
    middle = factor / HEALTHY / np.exp(_SIGMA * _Z95)
    density = np.exp(-(np.log(_GRID / middle) ** 2) / (2 * _SIGMA**2))
    shares: Floats = density / density.sum()
    return shares


def invocations(
    requests: Requests, dimensions: Dimensions, objective_ms: float, *, kind: str
) -> Iterator[tuple[Metric, Series]]:
    """Yield what SageMaker publishes of requests: ``kind`` is a key of its dimensions."""
    ended = requests.ended
    not_good = ended["failed"] + ended["hung"] + ended["refused"]
    series = {
        "Invocations": _flags(requests.number, requests.number),
        # InvocationModelErrors: "did not result in 2XX HTTP response. This includes 4XX/5XX status codes, low-level socket
        # errors, malformed HTTP responses, and request timeouts" (monitoring-cloudwatch).
        "InvocationModelErrors": _flags(requests.number, not_good),
        "Invocation5XXErrors": _flags(requests.number, ended["failed"]),
        "Invocation4XXErrors": _flags(requests.number, ended["refused"]),
        "ModelLatency": Series(_GRID * objective_ms * MICROSECONDS_PER_MS, requests.latencies),
        "OverheadLatency": _constant(OVERHEAD_MS * MICROSECONDS_PER_MS, requests.number),
    }
    for name, published in series.items():
        if kind in endpoint_metrics()[name].kinds:
            yield _metric(name, dimensions), published


def instances(
    load: Load, dimensions: Dimensions, *, count: int, vcpus: int, gpus: int
) -> Iterator[tuple[Metric, Series]]:
    """Yield what the instances of a variant publish."""
    reporting = load.reports * count
    percents = {
        "CPUUtilization": load.cpu * vcpus,
        "MemoryUtilization": load.memory,
        "DiskUtilization": load.disk,
    }
    if gpus:
        percents |= {"GPUUtilization": load.cpu * gpus, "GPUMemoryUtilization": load.memory * gpus}
    for name, percent in percents.items():
        yield _metric(name, dimensions), _gauge(percent, reporting)


def models(
    requests: Requests, dimensions: Dimensions, *, miss_share: float, load_s: float
) -> Iterator[tuple[Metric, Series]]:
    """Yield what a multi-model endpoint publishes of its models, as its plan predicts it."""
    missed = np.random.default_rng(2).binomial(requests.number.astype(int), miss_share).astype(float)
    yield _metric("ModelCacheHit", dimensions), _flags(requests.number, requests.number - missed)
    waited = Series(np.array([0.0, load_s * 1e6]), np.stack([requests.number - missed, missed], axis=1))
    yield _metric("ModelLoadingWaitTime", dimensions), waited


def cold_starts(
    requests: Requests, dimensions: Dimensions, *, cold_start_s: float, has_provisioned: bool
) -> Iterator[tuple[Metric, Series]]:
    """Yield what a serverless endpoint publishes beside its invocations, whose overhead is longer where it starts."""
    cold = np.zeros_like(requests.cold) if has_provisioned else requests.cold
    setup_us = cold_start_s * 1e6
    levels = np.array([OVERHEAD_MS * MICROSECONDS_PER_MS, setup_us])
    counts = np.stack([requests.number - cold, cold], axis=1)
    yield _metric("OverheadLatency", dimensions), Series(levels, counts)
    yield _metric("ModelSetupTime", dimensions), _constant(setup_us, cold)
    some = (requests.number > 0).astype(float)
    yield _metric("ServerlessConcurrentExecutionsUtilization", dimensions), _constant(0.3, some)
    yield _metric("MemoryUtilization", dimensions), _constant(60.0, some)
    if has_provisioned:
        yield (
            _metric("ServerlessProvisionedConcurrencySpilloverInvocations", dimensions),
            _constant(0.0, some),
        )


def function(
    requests: Requests, dimensions: Dimensions, objective_ms: float, *, has_provisioned: bool
) -> Iterator[tuple[Metric, Series]]:
    """Yield what Lambda publishes: a handler answers bad input by itself."""
    errors = requests.ended["failed"] + requests.ended["hung"]
    some = (requests.number > 0).astype(float)
    series = {
        "Invocations": _flags(requests.number, requests.number),
        "Errors": _flags(requests.number, errors),
        "Throttles": _flags(requests.number, np.zeros_like(errors)),
        "Duration": Series(_GRID * objective_ms, requests.latencies),
        "ConcurrentExecutions": _constant(1.0, some),
    }
    if has_provisioned:
        series["ProvisionedConcurrencySpilloverInvocations"] = _constant(0.0, some)
    for name, published in series.items():
        yield (LAMBDA_NAMESPACE, name, frozenset(dimensions)), published


def target_group(load: Load, dimensions: Dimensions, objective_ms: float) -> Iterator[tuple[Metric, Series]]:
    """Yield what a load balancer publishes of the targets of a group, counts only where they are not zero."""
    requests = requests_of(load)
    errors = requests.ended["failed"] + requests.ended["hung"]
    series = {
        "HealthyHostCount": _gauge(np.ones_like(errors), load.reports),
        "RequestCount": _flags(requests.number, requests.number),
        "HTTPCode_Target_5XX_Count": _flags(errors, errors),
        "TargetResponseTime": Series(_GRID * objective_ms / 1000, requests.latencies),
    }
    for name, published in series.items():
        yield ("AWS/ApplicationELB", name, frozenset(dimensions)), published


def gauges(values: Mapping[Metric, Floats]) -> dict[Metric, Series]:
    """Return series of one datum a minute, none where the value is NaN."""
    return {
        metric: _gauge(np.nan_to_num(value), (~np.isnan(value)).astype(float))
        for metric, value in values.items()
    }


def endpoint_metric(name: str, dimensions: Dimensions) -> Metric:
    """Return a metric of an endpoint, in the namespace of its table."""
    return _metric(name, dimensions)


def shared(load: Load, share: Floats, *, seed: int) -> Load:
    """Return the part of the requests that one of several fleets gets."""
    return replace(load, requests=load.requests * share, seed=seed)


def _metric(name: str, dimensions: Dimensions) -> Metric:
    return endpoint_metrics()[name].namespace, name, frozenset(dimensions)


def _flags(number: Floats, set_: Floats) -> Series:
    return Series(np.array([0.0, 1.0]), np.stack([number - set_, set_], axis=1))


def _constant(level: float, number: Floats) -> Series:
    return Series(np.array([level]), number[:, None])


def _gauge(values: Floats, number: Floats) -> Series:
    levels, index = np.unique(values, return_inverse=True)
    counts = np.zeros((len(values), len(levels)))
    counts[np.arange(len(values)), index] = number
    return Series(levels, counts)
