"""What would be picked if a need changed."""

from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    Batching,
    Catalog,
    EndpointRequirements,
    Engine,
    HardwareKind,
    Measurement,
    Precision,
    SpotRequirements,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import SpotHistory
from sizewell.instance_selection.counterfactuals import (
    Counterfactual,
    endpoint_counterfactuals,
    training_counterfactuals,
)
from tests.instance_selection.builders import (
    ROUND_DECODER,
    TREES,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
    limits,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

CPU, GPU = "ml.c9.xlarge", "ml.g9.xlarge"
BOTH = catalog(cpu_instance(CPU), gpu_instance(GPU), usd_per_hour={CPU: 0.1, GPU: 1.0})
HOURS = 730


def changed(needs: EndpointRequirements, known: Catalog = BOTH) -> dict[str, Counterfactual[Any]]:
    """Return the counterfactuals of the pick, by their names."""
    chosen = select_endpoint_instance(needs, known).chosen
    return {one.change.name: one for one in endpoint_counterfactuals(needs, known, chosen)}


def test_twice_the_latency_is_enough_for_the_cheaper_type() -> None:
    # One image alone takes 60 ms on the CPU, at the 95th percentile.
    needs = endpoint(max_p95_latency_ms=40, peak_requests_per_second=0.1, average_requests_per_second=0.1)
    found = changed(needs)["twice the latency"]
    assert found.pick is not None
    assert (found.pick.instance_type, found.change.value) == (CPU, 80)
    assert found.saving_usd_per_month == pytest.approx((1.0 - 0.1) * HOURS)
    # SageMaker ends a call after a minute.
    assert "twice the latency" not in changed(replace(needs, max_p95_latency_ms=40_000))


def test_twice_the_latency_is_twice_every_stated_bound() -> None:
    needs = endpoint(
        max_p95_latency_ms=40,
        max_p99_latency_ms=45,
        peak_requests_per_second=0.1,
        average_requests_per_second=0.1,
    )
    found = changed(needs)["twice the latency"]
    assert found.pick is not None
    assert (found.pick.instance_type, found.change.assumption) == (CPU, "of every stated bound")


def test_one_more_instance_carries_the_peak_on_the_cheaper_type() -> None:
    # The CPU answers a request in 50 ms: three instances carry 25 a second.
    needs = endpoint(peak_requests_per_second=25, average_requests_per_second=1, max_instances=2)
    found = changed(needs)["one more instance"]
    assert found.pick is not None
    assert (found.pick.instance_type, found.change.value, found.changes_pick) == (CPU, 3, True)
    assert not changed(endpoint())["one more instance"].changes_pick


def test_other_engines_are_those_that_serve_the_model() -> None:
    def engines(needs: EndpointRequirements) -> set[str]:
        return {name for name in changed(needs) if name.startswith("engine ")}

    assert engines(endpoint()) == {"engine compiled", "engine optimized-runtime"}
    assert engines(decoder_endpoint(engine=Engine.EAGER)) == {
        "engine compiled",
        "engine optimized-runtime",
        "engine llm-engine",
    }
    assert engines(endpoint(model=TREES)) == set()


def test_an_llm_engine_is_tried_without_the_batches_of_the_server() -> None:
    needs = decoder_endpoint(engine=Engine.EAGER, max_instances=100)
    batched = replace(needs, batching=Batching(max_batch_size=4, max_delay_ms=100))
    plain, other = changed(needs)["engine llm-engine"], changed(batched)["engine llm-engine"]
    assert plain.pick == other.pick


def test_an_engine_that_takes_turns_needs_more() -> None:
    busy = decoder_endpoint(peak_requests_per_second=5.0, average_requests_per_second=5.0, max_instances=100)
    found = changed(busy)["engine eager"]
    assert found.saving_usd_per_month is not None
    assert found.saving_usd_per_month < 0


def test_quantized_weights_are_tried_where_the_engine_computes_with_them() -> None:
    def precisions(needs: EndpointRequirements) -> set[str]:
        return {name.removesuffix(" weights") for name in changed(needs) if name.endswith(" weights")}

    assert precisions(decoder_endpoint()) == {"fp8", "int8", "int4"}
    assert precisions(endpoint(engine=Engine.OPTIMIZED_RUNTIME)) == {"fp8", "int8"}
    for unknown in (Engine.EAGER, Engine.COMPILED):
        assert precisions(decoder_endpoint(engine=unknown)) == set()
    int4 = replace(ROUND_DECODER, precision=Precision.INT4)
    assert precisions(decoder_endpoint(model=int4)) == set()
    on_cpu = limits(images=frozenset({HardwareKind.CPU_X86_64}))
    assert precisions(decoder_endpoint(limits=on_cpu, max_p95_latency_ms=60_000)) == set()
    assert precisions(endpoint(engine=Engine.OPTIMIZED_RUNTIME, limits=on_cpu)) == {"int8"}


def test_a_savings_plan_is_assumed_where_none_is_stated() -> None:
    found = changed(endpoint())["a Savings Plan of 20 %"]
    assert found.pick is not None
    assert found.saving_usd_per_month == pytest.approx(0.2 * 0.1 * HOURS)
    assert "64 %" in found.change.assumption
    assert not any("Savings" in name for name in changed(endpoint(savings_plan_discount_pct=10)))


def test_a_measurement_holds_for_what_was_measured_only() -> None:
    slow = Measurement(instance_type=CPU, p95_latency_ms=2000)
    found = changed(endpoint(measurements=(slow,)))
    # Within 1 s the CPU will do by its prediction, and not by what was measured.
    assert found["engine compiled"].pick is not None
    assert found["engine compiled"].pick.instance_type == CPU
    assert found["one more instance"].pick is not None
    assert found["one more instance"].pick.instance_type == GPU


def test_what_nothing_meets_names_the_nearest_type() -> None:
    needs = decoder_endpoint(peak_requests_per_second=5.0, average_requests_per_second=5.0, max_instances=1)
    found = changed(needs, catalog(gpu_instance(GPU), usd_per_hour={GPU: 1.0}))["engine eager"]
    assert (found.pick, found.saving_usd_per_month, found.changes_pick) == (None, None, True)
    assert found.nearest is not None
    assert (found.nearest.instance_type, found.nearest.filter) == (GPU, "throughput")


def test_an_unknown_price_makes_an_unknown_saving() -> None:
    known = catalog(cpu_instance(CPU), gpu_instance(GPU), usd_per_hour={GPU: 1.0})
    needs = endpoint(max_p95_latency_ms=40, limits=limits(images=frozenset({HardwareKind.CUDA})))
    assert changed(needs, known)["a Savings Plan of 20 %"].saving_usd_per_month == pytest.approx(0.2 * HOURS)
    unpriced = changed(endpoint(), catalog(cpu_instance(CPU)))
    assert unpriced["a Savings Plan of 20 %"].saving_usd_per_month is None
    assert not unpriced["a Savings Plan of 20 %"].changes_pick


SPOT = SpotRequirements(checkpoint_interval_hours=0.25, on_demand_fallback=False)


def test_a_job_is_told_what_spot_saves_and_what_it_would_cost_without() -> None:
    history = SpotHistory(savings_percent=60, interruption_band="<5%", as_of="2026-01-31")
    known = catalog(gpu_instance(GPU), usd_per_hour={GPU: 1.0}, spot={GPU: history})
    savings = []
    for spot, name in ((None, "Spot"), (SPOT, "without Spot")):
        needs = training(spot=spot)
        chosen = select_training_instance(needs, known).chosen
        told = training_counterfactuals(needs, known, chosen, checkpoint_interval_hours=0.25)
        assert [one.change.name for one in told] == ["one more instance", "twice the deadline", name]
        saving = told[-1].saving_usd_per_month
        assert saving is not None
        savings.append(saving)
    assert savings[0] == pytest.approx(-savings[1])
    assert savings[0] > 0
    needs = training(spot=SPOT)
    chosen = select_training_instance(needs, known).chosen
    full, half = (
        training_counterfactuals(needs, known, chosen, savings_plan_discount_pct=discount)[-1].pick
        for discount in (0.0, 50.0)
    )
    assert full is not None
    assert half is not None
    assert half.cost.usd_per_month == pytest.approx(0.5 * (full.cost.usd_per_month or 0.0))
