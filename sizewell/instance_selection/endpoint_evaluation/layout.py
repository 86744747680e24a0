"""How the model lies on the devices of each type: in groups that split it, each of which is a replica."""

from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.batches import DynamicBatches
from sizewell.instance_selection.endpoint_evaluation.memory import EndpointMemory
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import ROUNDING, EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.generation import Served
from sizewell.instance_selection.estimation.memory import ServingMemory
from sizewell.instance_selection.estimation.queueing import service_tail
from sizewell.instance_selection.filters import Marks

#: Most sequences that an LLM engine keeps in progress (vLLM: max_num_seqs, default 256).
MAX_SEQUENCES = 256
#: Numbers of sequences that are tried, ascending.
SEQUENCES = np.array(
    [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256], float
)
#: What is left of a latency that is all delay.
SHORTEST_S = 1e-6
#: Tensor-parallel degrees that engines split a model into.
DEGREES = (1, 2, 4, 8, 16, 24, 32)


@dataclass(frozen=True, eq=False)
class Layout:
    """The best layout of each type, and what it then does; one entry per type."""

    degree: Array
    fits: Marks
    """Whether a single request fits at all."""
    smallest_memory: ServingMemory
    fastest: Served
    """One request alone, on the layout that fits and comes nearest to the bounds of latency."""
    alone: Served
    """One request alone, on this layout."""
    concurrency: Array
    """Requests in progress on one replica within memory and latency; 0 where not even one is."""
    replicas: Array
    batches: DynamicBatches | None
    """Where the server of the model collects requests."""


def tried_sequences(types: EndpointTypes) -> Array:
    """Return the numbers of requests in progress on one replica that are worth trying, ascending."""
    return SEQUENCES if types.batches else SEQUENCES[:1]


def lay_out(types: EndpointTypes, memory: EndpointMemory, times: EndpointTimes) -> Layout:
    """Return the layout that carries the most requests within memory and latency, else the smallest that fits."""
    everywhere = len(types)
    # Rows are scored by the host's cores, whatever accelerator stands beside them.
    tabular = types.needs.model.architecture.tabular
    count = np.array([max(1.0, t.vcpus / 2) for t in types.instance_types]) if tabular else memory.workers
    most = count.max(initial=1) if types.generates else 1
    degrees = np.array([d for d in DEGREES if d <= most], float)[:, None, None]
    sequences = tried_sequences(types)[:, None]
    shape = (len(degrees), len(sequences), everywhere)
    used = np.broadcast_to(memory.of_device(sequences, degrees).total, shape)
    served = times.serve_each(sequences, degrees)
    # What is bounded on the mean, beside its bound.
    bounded = [
        (
            getattr(served, bound.part),
            np.maximum(max_s - types.delay_of_s(bound), SHORTEST_S) / service_tail(bound.percentile),
        )
        for bound, max_s in types.bounds
    ]

    possible = (degrees <= count) & ((degrees == 1) | ~types.on_cpu)
    fits = memory.fits(used) & possible
    fits_one = fits[:, 0, :]
    # The smallest degree at which one request fits; where there is none, the largest.
    largest = np.maximum(possible[:, 0, :].sum(0) - 1, 0)
    smallest = np.where(fits_one.any(0), fits_one.argmax(0), largest)
    fast = fits
    for seconds, limit in bounded:
        fast = fast & (seconds <= limit)
    # All smaller numbers of sequences meet the bounds too.
    run = np.cumprod(fast, axis=1).sum(1)
    room = memory.device_bytes / (1 + types.needs.margin)
    at_most, at_limit = _between(run, sequences[:, 0], [(used, room), *bounded], served.request)
    groups = np.floor(count / degrees[:, 0, :])
    best = np.where(at_most.max(0) > 0, (groups * at_most / at_limit).argmax(0), smallest)
    excess = np.max([seconds[:, 0, :] / limit for seconds, limit in bounded], axis=0)
    nearest = np.where(fits_one.any(0), np.where(fits_one, excess, np.inf).argmin(0), smallest)

    rows = np.arange(everywhere)

    def one_on(degree: Array) -> Served:
        return served.each(lambda part: part[degree, 0, rows])

    alone, concurrency, replicas = one_on(best), at_most[best, rows], groups[best, rows]
    batching, batches = types.needs.batching, None
    if batching is not None:
        batches = DynamicBatches(batching, types, times, degree=degrees[best, 0, 0], replicas=replicas)
    if types.by_users and not types.batches:
        users = _taking_turns(types, alone) if batches is None else np.maximum(1.0, batches.users)
        concurrency = np.where(concurrency > 0, users, 0.0)
    return Layout(
        degree=degrees[best, 0, 0],
        fits=fits_one.any(0),
        smallest_memory=memory.of_device(1.0, degrees[smallest, 0, 0]),
        fastest=one_on(nearest),
        alone=alone,
        concurrency=concurrency,
        replicas=replicas,
        batches=batches,
    )


def _taking_turns(types: EndpointTypes, alone: Served) -> Array:
    """Return how many users share a replica that answers one after the other: the last of them waits for all others."""
    most = np.full(len(types), np.inf)
    for bound, max_s in types.bounds:
        if bound.part != "step":
            others = (max_s / service_tail(bound.percentile) - getattr(alone, bound.part)) / alone.request
            most = np.minimum(most, 1.0 + np.floor(others))
    return np.asarray(np.maximum(1.0, most))


def _between(
    run: Array, tried: Array, limited: list[tuple[Array, Array]], request: Array
) -> tuple[Array, Array]:
    """Return the most sequences within all limits, and the seconds of a request among so many.

    ``run`` is how many of the ``tried`` numbers are within them. ``limited`` are what so many use, and the limit of
    it. Between two of the numbers everything grows in proportion.
    """
    if len(tried) == 1:
        return np.minimum(run, 1.0), request[:, 0, :]
    last = np.maximum(run - 1, 0)[:, None, :]
    following = np.minimum(last + 1, len(tried) - 1)
    n, more = tried[last], tried[following]

    def ends(values: Array) -> tuple[Array, Array]:
        return np.take_along_axis(values, last, axis=1), np.take_along_axis(values, following, axis=1)

    share = np.full(n.shape, np.inf)
    for used, limit in limited:
        here, there = ends(used)
        # What does not grow does not limit.
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.fmin(share, np.where(there > here, (limit - here) / (there - here), np.inf))
    extra = np.floor(np.clip(share, 0.0, 1.0) * (more - n) + ROUNDING)
    seconds, later = ends(request)
    step = np.divide(extra, more - n, out=np.zeros_like(extra), where=more > n)
    found = np.where(run[:, None, :] > 0, n + extra, 0.0)
    return found[:, 0, :], (seconds + step * (later - seconds))[:, 0, :]
