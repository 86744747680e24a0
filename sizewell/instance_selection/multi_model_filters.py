"""The filters of the instances of a multi-model endpoint, and how a type that passes them holds the models."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sizewell.facts.serving_modes import multi_model_gpu_families
from sizewell.instance_selection.catalog import Catalog, Usage
from sizewell.instance_selection.eligibility import eligible_types
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.endpoint_evaluation.loaded_models import LoadedModels
from sizewell.instance_selection.filters import Filter, Marks, Miss
from sizewell.instance_selection.latency_bounds import P95
from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import LoadedEstimate
from sizewell.instance_selection.wording import milliseconds

#: The share of requests that may take longer than the 95th percentile.
_P95_LEAVES = 0.05


def loaded_estimate(needs: EndpointRequirements, catalog: Catalog, instance_type: str) -> LoadedEstimate:
    """Return what a type that was picked for ``needs``, which have models, does with them."""
    limits = replace(needs.limits, instance_type=instance_type)
    model = needs.model
    columns = EndpointColumns(
        needs,
        eligible_types(catalog, Usage.HOSTING, limits, model.architecture, model.framework, any_offer=True),
    )
    loaded, capacity = columns.loaded, columns.capacity
    assert loaded is not None
    return LoadedEstimate(
        per_instance=int(loaded.per_instance[0]),
        gib_per_model=float(loaded.copy_gib[0]),
        fewest_instances=int(capacity.instances_for_models[0]),
        miss_share=float(loaded.misses(capacity.instances_at_peak)[0]),
        load_s=loaded.load_s,
        cold_p95_ms=float(loaded.load_s + columns.idle_s[P95][0]) * 1000,
    )


def _hosting(c: EndpointColumns, loaded: LoadedModels) -> Marks:
    return ~loaded.hosted


def _describe_hosting(c: EndpointColumns, loaded: LoadedModels, i: int) -> Miss:
    if c.needs.model.architecture.tabular:
        return Miss("multi-model endpoints score rows of a table on CPUs")
    families = ", ".join(sorted(multi_model_gpu_families()))
    return Miss(f"multi-model endpoints take CPUs, and types with one GPU of {families}")


def _memory(c: EndpointColumns, loaded: LoadedModels) -> Marks:
    return np.asarray(loaded.per_instance < 1)


def _describe_memory(c: EndpointColumns, loaded: LoadedModels, i: int) -> Miss:
    needed, room = float(loaded.copy_gib[i]), float(loaded.room_gib[i])
    return Miss(
        f"one model takes {needed:.1f} GiB{_with_workers(c, loaded, i)}, {room:.1f} are left for models",
        needed / room if room else None,
    )


def _cold(c: EndpointColumns, loaded: LoadedModels) -> Marks:
    return np.asarray(1000 * (loaded.load_s + c.idle_s[P95]) > loaded.models.max_cold_latency_ms)


def _describe_cold(c: EndpointColumns, loaded: LoadedModels, i: int) -> Miss:
    reached_ms = 1000 * (loaded.load_s + float(c.idle_s[P95][i]))
    asked_ms = loaded.models.max_cold_latency_ms
    return Miss(
        f"a request whose model must be loaded takes {milliseconds(reached_ms)}, of which the load "
        f"{milliseconds(loaded.load_s * 1000)}, {milliseconds(asked_ms)} asked",
        reached_ms / asked_ms,
    )


def _thrashing(c: EndpointColumns, loaded: LoadedModels) -> Marks:
    return np.asarray(c.capacity.instances_for_models > c.needs.max_instances)


def _describe_thrashing(c: EndpointColumns, loaded: LoadedModels, i: int) -> Miss:
    waits = f"{loaded.load_s:.3g} s for a load"
    if not loaded.models.cached:
        return Miss(f"without models.cache every request waits {waits}", 1 / _P95_LEAVES)
    most = c.needs.max_instances
    misses = float(loaded.misses(np.full(len(c.types), float(most)))[i])
    each = f"{float(loaded.copy_gib[i]):.2g} GiB each{_with_workers(c, loaded, i)}"
    return Miss(
        f"{int(loaded.per_instance[i]):,} of {loaded.models.count:,} models fit in memory, {each}: on {most:,} instances, the "
        f"most that are allowed, {misses:.1%} of the requests wait {waits}",
        max(1.0, misses / _P95_LEAVES),
    )


def _with_workers(c: EndpointColumns, loaded: LoadedModels, i: int) -> str:
    workers = loaded.models.workers_per_model if c.types.on_cpu[i] else 1
    return f" in {workers} worker processes" if workers > 1 else ""


def _filter(
    name: str,
    missed: Callable[[EndpointColumns, LoadedModels], Marks],
    describe: Callable[[EndpointColumns, LoadedModels, int], Miss],
) -> Filter[EndpointColumns]:
    """Return a filter that keeps every type for an endpoint of one model."""

    def marks(c: EndpointColumns) -> Marks:
        return np.zeros(len(c.types), bool) if c.loaded is None else missed(c, c.loaded)

    def miss(c: EndpointColumns, i: int) -> Miss:
        assert c.loaded is not None
        return describe(c, c.loaded, i)

    return Filter(name, marks, miss)


HOSTING_FILTER = _filter("multi-model", _hosting, _describe_hosting)
#: Of what a request waits when its model is not in memory, and of how often that may be.
MODEL_FILTERS = (
    _filter("model-memory", _memory, _describe_memory),
    _filter("cold", _cold, _describe_cold),
    _filter("models", _thrashing, _describe_thrashing),
)
