"""How the model lies on the devices of each type: in groups that split it, each of which is a replica."""

from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.batches import DynamicBatches
from sizewell.instance_selection.endpoint_evaluation.memory import EndpointMemory
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import ROUNDING, EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.memory import ServingMemory
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL
from sizewell.instance_selection.filters import Marks

#: Most sequences that an LLM engine keeps in progress (vLLM: max_num_seqs, default 256).
MAX_SEQUENCES = 256
#: Numbers of sequences that are tried, ascending.
SEQUENCES = np.array(
    [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256], float
)
#: What is left of a measured latency that is all delay.
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
    fastest_s: Array
    """One request alone, on the fastest layout that fits."""
    service_s: Array
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
    count = (
        np.array([max(1.0, t.vcpus / 2) for t in types.instance_types]) if tabular else types.machines.count
    )
    most = count.max(initial=1) if types.generates else 1
    degrees = np.array([d for d in DEGREES if d <= most], float)[:, None, None]
    sequences = tried_sequences(types)[:, None]
    shape = (len(degrees), len(sequences), everywhere)
    used = np.broadcast_to(memory.of_device(sequences, degrees).total, shape)
    request = np.broadcast_to(times.serve(sequences, degrees).request, shape)

    possible = (degrees <= count) & ((degrees == 1) | ~types.on_cpu)
    fits = memory.fits(used) & possible
    fits_one = fits[:, 0, :]
    # The smallest degree at which one request fits; where there is none, the largest.
    largest = np.maximum(possible[:, 0, :].sum(0) - 1, 0)
    smallest = np.where(fits_one.any(0), fits_one.argmax(0), largest)
    # All smaller numbers of sequences meet the bound too.
    max_p95_s = types.max_p95_s - types.delay_s
    run = np.cumprod(fits & (request * SERVICE_TAIL <= max_p95_s), axis=1).sum(1)
    room = types.machines.memory_bytes / (1 + types.needs.margin)
    at_most, at_limit = _between(run, sequences[:, 0], (used, room), (request, max_p95_s / SERVICE_TAIL))
    groups = np.floor(count / degrees[:, 0, :])
    best = np.where(at_most.max(0) > 0, (groups * at_most / at_limit).argmax(0), smallest)

    rows = np.arange(everywhere)
    degree, service, concurrency = degrees[best, 0, 0], request[best, 0, rows], at_most[best, rows]
    alone = np.where(fits_one, request[:, 0, :], np.inf).min(0)
    fastest = np.where(np.isfinite(alone), alone, request[smallest, 0, rows])
    for i, m in types.measurements.items():
        if m.p95_latency_ms is not None and (m.concurrency or 1.0) <= 1.0:
            measured_s = max(m.p95_latency_ms / 1000 - types.delay_s, SHORTEST_S)
            fastest[i] = service[i] = measured_s / SERVICE_TAIL
            concurrency[i] = max(concurrency[i], 1.0)
    replicas, batching = groups[best, rows], types.needs.batching
    batches = None
    if batching is not None:
        batches = DynamicBatches(batching, types, times, degree=degree, replicas=replicas, alone_s=service)
        if types.by_users:
            concurrency = np.where(concurrency > 0, np.maximum(batches.users, 1.0), 0.0)
    elif types.by_users and not types.batches:
        taking_turns = np.maximum(1.0, np.floor(types.max_p95_s / (service * SERVICE_TAIL)))
        concurrency = np.where(concurrency > 0, taking_turns, 0.0)
    return Layout(
        degree=degree,
        fits=fits_one.any(0),
        smallest_memory=memory.of_device(1.0, degrees[smallest, 0, 0]),
        fastest_s=fastest,
        service_s=service,
        concurrency=concurrency,
        replicas=replicas,
        batches=batches,
    )


def _between(
    run: Array, tried: Array, memory: tuple[Array, Array], request: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return the most sequences within two limits, and the seconds of a request among so many.

    ``run`` is how many of the ``tried`` numbers are within both. ``memory`` and ``request`` are each what so many use, and
    the limit. Between two of the numbers both grow in proportion.
    """
    if len(tried) == 1:
        return np.minimum(run, 1.0), request[0][:, 0, :]
    last = np.maximum(run - 1, 0)[:, None, :]
    following = np.minimum(last + 1, len(tried) - 1)
    n, more = tried[last], tried[following]

    def share_and_ends(used: Array, limit: Array) -> tuple[Array, Array, Array]:
        here, there = (np.take_along_axis(used, i, axis=1) for i in (last, following))
        return (limit - here) / (there - here), here, there

    with np.errstate(divide="ignore", invalid="ignore"):
        by_memory, *_ = share_and_ends(*memory)
        by_time, seconds, later = share_and_ends(*request)
        share = np.fmin(by_memory, by_time)
    share = np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0)
    extra = np.floor(share * (more - n) + ROUNDING)
    step = np.divide(extra, more - n, out=np.zeros_like(extra), where=more > n)
    found = np.where(run[:, None, :] > 0, n + extra, 0.0)
    return found[:, 0, :], (seconds + step * (later - seconds))[:, 0, :]
