"""How many models an instance holds, how often one is loaded, and which types load too often."""

import random
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sizewell.instance_selection import (
    EndpointRequirements,
    HardwareKind,
    ModelSet,
    NoFeasibleInstanceError,
    select_endpoint_instance,
)
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.estimation.model_cache import miss_share, popularity
from sizewell.instance_selection.multi_model_filters import loaded_estimate
from sizewell.instance_selection.results import LoadedEstimate
from tests.instance_selection.builders import (
    BERT_BASE,
    TREES,
    catalog,
    cpu_instance,
    endpoint,
    endpoint_columns,
    gpu_instance,
    limits,
    rejection,
)

SMALL, LARGE = cpu_instance("ml.c9.large", memory_gib=4), cpu_instance("ml.c9.4xlarge", memory_gib=64)


def model_set(count: int = 300, **changes: Any) -> ModelSet:
    return replace(ModelSet(count=count, max_cold_latency_ms=60_000), **changes)


def needs(models: ModelSet, **changes: Any) -> EndpointRequirements:
    """Return the needs of BERT models that answer a request a second within two seconds."""
    default = endpoint(
        model=BERT_BASE,
        images_per_request=0,
        input_tokens=128,
        max_p95_latency_ms=2000,
        peak_requests_per_second=1,
        average_requests_per_second=0.1,
        models=models,
    )
    return replace(default, **changes)


def loaded(needed: EndpointRequirements, *types: Any) -> LoadedEstimate:
    known = catalog(*types, usd_per_hour={one.name: 1 for one in types})
    return loaded_estimate(needed, known, select_endpoint_instance(needed, known).chosen.instance_type)


def missed(models: ModelSet, held: int) -> float:
    return float(miss_share(models, np.array([float(held)]))[0])


def simulated(models: ModelSet, held: int) -> float:
    """Return the share of requests that a cache of so many models misses, once it is full."""
    found, asked, rng = popularity(models), 60_000, random.Random(7)
    weights = [w for count, w in zip(found.counts, found.shares, strict=True) for _ in range(int(count))]
    cache: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for turn, model in enumerate(rng.choices(range(models.count), weights, k=asked)):
        misses += turn >= asked // 3 and model not in cache
        cache[model] = None
        cache.move_to_end(model)
        if len(cache) > held:
            cache.popitem(last=False)
    return misses / (asked - asked // 3)


@pytest.mark.parametrize("held", [20, 100, 250])
@pytest.mark.parametrize(
    "spread", [{}, {"zipf_exponent": 1.0}, {"zipf_exponent": 0.6}, {"hot_count": 30, "hot_share": 0.9}]
)
def test_the_share_that_misses_is_that_of_a_simulated_cache(spread: dict[str, Any], held: int) -> None:
    models = model_set(**spread)
    assert missed(models, held) == pytest.approx(simulated(models, held), abs=0.02)


def test_models_that_are_asked_for_equally_miss_by_what_does_not_fit() -> None:
    assert missed(model_set(), 75) == pytest.approx(0.75, abs=0.01)
    assert missed(model_set(), 300) == 0
    assert missed(model_set(), 0) == 1
    assert missed(model_set(cached=False), 300) == 1


def test_popularities_add_up_however_many_models_there_are() -> None:
    for count in (2, 201, 100_000):
        found = popularity(model_set(count, zipf_exponent=0.8))
        assert (found.counts.sum(), (found.counts * found.shares).sum()) == pytest.approx((count, 1.0))


def test_300_models_are_not_served_on_4_gib() -> None:
    known = catalog(SMALL, LARGE, usd_per_hour={"ml.c9.large": 0.01, "ml.c9.4xlarge": 9})
    needed = needs(model_set(), max_instances=5)
    found = rejection(needed, known, "ml.c9.large")
    assert found.filter == "models"
    # 3.4 GiB are usable, a worker process takes 0.5 and its weights.
    assert found.reason.startswith("3 of 300 models fit in memory, 0.91 GiB each: on 5 instances")
    assert "% of the requests wait 7.05 s for a load" in found.reason
    with pytest.raises(NoFeasibleInstanceError):
        select_endpoint_instance(needs(model_set(), max_instances=4), known)
    chosen = select_endpoint_instance(needed, known).chosen
    # 59 in each of them, of which four may be second copies: 291 of 300 leave less than 5 % of the requests waiting.
    assert (chosen.instance_type, chosen.estimate.instances_at_peak) == ("ml.c9.4xlarge", 5)


def test_each_worker_process_holds_a_copy_on_a_cpu_and_none_more_on_a_gpu() -> None:
    one, two = (
        loaded(needs(model_set(workers_per_model=n), max_instances=50), LARGE).gib_per_model for n in (1, 2)
    )
    assert two == pytest.approx(2 * one)
    gpu = gpu_instance("ml.g5.xlarge")
    on_gpu = [loaded(needs(model_set(workers_per_model=n)), gpu).gib_per_model for n in (1, 2)]
    assert on_gpu[0] == on_gpu[1] < one


def test_a_popular_model_keeps_no_more_than_its_own_processes_busy() -> None:
    def capacity(models: ModelSet) -> float:
        rows = needs(models, model=TREES, images_per_request=1, input_tokens=0)
        return float(endpoint_columns(rows, LARGE).capacity.requests_per_second[0])

    hot = model_set(5, hot_count=1, hot_share=0.9)
    # Two processes of four vCPUs score rows: nine tenths of their work would be the hot model's.
    assert capacity(replace(hot, workers_per_model=2)) == pytest.approx(1.8 * capacity(hot))
    assert capacity(model_set(5)) == pytest.approx(1.8 * capacity(hot))


@pytest.mark.parametrize(
    ("instance_type", "model", "served"),
    [
        (gpu_instance("ml.g5.xlarge"), BERT_BASE, True),
        (gpu_instance("ml.g5.12xlarge", accelerator_count=4), BERT_BASE, False),
        (gpu_instance("ml.g9.xlarge"), BERT_BASE, False),
        (LARGE, TREES, True),
        (gpu_instance("ml.g5.xlarge"), TREES, False),
    ],
)
def test_where_multi_model_endpoints_run(instance_type: Any, model: Any, served: bool) -> None:
    one_pass = {} if model is BERT_BASE else {"images_per_request": 1, "input_tokens": 0}
    needed = needs(model_set(3), model=model, **one_pass)
    if served:
        assert loaded(needed, instance_type).per_instance == 3
    else:
        assert rejection(needed, catalog(instance_type)).filter == "multi-model"


def test_a_load_that_takes_too_long() -> None:
    slow = needs(model_set(3, artifact_gib=2, max_cold_latency_ms=20_000))
    found = rejection(slow, catalog(LARGE))
    assert (found.filter, found.reason.split(", ")[1]) == ("cold", "of which the load 25.0 s")
    assert found.shortfall == pytest.approx(25 / 20, rel=0.02)
    assert loaded(needs(model_set(3, artifact_gib=1.4, max_cold_latency_ms=20_000)), LARGE).load_s == 19


def test_the_95th_percentile_is_a_load_where_more_than_5_of_100_wait_for_one() -> None:
    def p95_s(count: int) -> float:
        found = endpoint_columns(needs(model_set(count)), LARGE).loaded
        assert found is not None
        p95, p99 = np.array([0.2]), np.array([0.3])
        return float(found.percentile_s(0.95, p95, p99, np.array([1.0]))[0])

    # 59 models fit. Of 61, 3.3 % of the requests wait: of the others, those that 1.8 % are slower than.
    assert p95_s(59) == pytest.approx(0.2)
    assert 0.2 < p95_s(61) < 0.3
    assert p95_s(64) == pytest.approx(7.05 + 0.2, rel=0.01)


def test_loads_take_their_part_of_the_work() -> None:
    def columns(count: int) -> EndpointColumns:
        return endpoint_columns(needs(model_set(count), max_p95_latency_ms=20_000, max_instances=1,
            peak_requests_per_second=0.01), LARGE)  # fmt: skip

    fitting, twice = columns(59).capacity, columns(118).capacity
    answer_s = columns(59).layout.alone.request[0]
    slower = fitting.requests_per_second[0] / twice.requests_per_second[0]
    assert slower == pytest.approx(1 + 0.5 * 7.05 / answer_s, rel=0.01)


def test_as_many_instances_stay_as_the_models_need() -> None:
    found = loaded(needs(model_set(), max_instances=10), LARGE)
    assert (found.per_instance, found.fewest_instances) == (59, 5)
    # Of 5 x 59 in memory, four are second copies.
    assert found.miss_share == pytest.approx(9 / 300, abs=0.002)
    spread = loaded(needs(model_set(zipf_exponent=1.5), max_instances=10), LARGE)
    assert spread.fewest_instances < found.fewest_instances


def test_more_models_more_processes_and_less_patience_never_cost_less() -> None:
    images = limits(images=frozenset({HardwareKind.CPU_X86_64}))

    def instances(**changes: Any) -> int:
        models = model_set(**{key: value for key, value in changes.items() if key != "max_p95_latency_ms"})
        asked = {key: changes[key] for key in ("max_p95_latency_ms",) if key in changes}
        needed = needs(models, limits=images, max_instances=1000, **asked)
        known = catalog(LARGE, usd_per_hour={LARGE.name: 1})
        return select_endpoint_instance(needed, known).chosen.estimate.instances_at_peak

    usual = instances()
    assert instances(count=900) > usual
    assert instances(workers_per_model=2) > usual
    assert instances(max_p95_latency_ms=20_000) < usual
