"""The text on provisioning for test and production, the BERT scenario, families."""

import pytest

from sizewell.instance_selection import Engine, Usage
from sizewell.instance_selection.catalog import load_catalog, regions
from sizewell.planning import load_plan
from tests.seeds.needs import (
    BERT_BASE,
    CPU,
    CUDA,
    LLAMA_7B,
    RESNET_50,
    TREES,
    catalog,
    cheapest,
    family,
    feasible,
    monthly,
    per_run,
    price,
    rejected,
    serve,
    train,
)
from tests.seeds.statements import contradicts, says
from tests.synthesis import PROJECT_ROOT

SEED = "provisioning"
CONFIG = PROJECT_ROOT / "config"
SMALL_CPU = ("ml.c5.large", "ml.c5.xlarge")


@says(SEED, "on demand is the baseline, Spot the lowest price for training that can be retried")
def test_spot_costs_less_than_on_demand() -> None:
    for model in (BERT_BASE, LLAMA_7B):
        on_demand, spot = train(model).chosen, train(model, spot=True).chosen
        assert on_demand.estimate.spot_savings_pct is None
        assert per_run(spot) < per_run(on_demand)


@says(SEED, "Spot saves up to 90 %")
@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "ap-southeast-2"])
def test_no_spot_discount_is_above_ninety_percent(region: str) -> None:
    known = load_catalog(region)
    savings = [s.savings_percent for t in known.instance_types if (s := known.spot(t.name))]
    assert 50 < max(savings) <= 90


@contradicts(SEED, "spot-is-managed-training-only")
def test_an_endpoint_has_no_spot_price() -> None:
    assert "Spot" not in serve(BERT_BASE, max_p95_ms=100, peak=10, tokens=128).chosen.cost.note
    assert train(BERT_BASE, spot=True).chosen.cost.note.startswith(
        "on-demand price less the published EC2 Spot"
    )


@says(SEED, "auto scaling follows fluctuating traffic in production, on invocations for each instance")
def test_production_endpoints_scale_on_invocations() -> None:
    for endpoint in load_plan(CONFIG, "prod").endpoints:
        assert endpoint.scaling is not None
        (policy,) = endpoint.scaling.policies
        # Requests of a language model differ in length: what is in progress tells its load, and is of one instance, too.
        generates = endpoint.selection.chosen.estimate.time_to_first_token_ms is not None
        assert policy.name == ("ConcurrentRequestsPerModel" if generates else "InvocationsPerInstance")
        assert endpoint.scaling.min_instance_count < endpoint.scaling.max_instance_count


@says(SEED, "infrastructure as code keeps test and production alike")
def test_every_environment_has_the_same_workloads() -> None:
    names = [[w.name for w in load_plan(CONFIG, env).workloads] for env in ("dev", "staging", "prod")]
    assert names[0] == names[1] == names[2]


@says(SEED, "Inferentia serves deep learning at production scale for less")
def test_inferentia_is_cheaper_than_gpus_at_scale() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=1000, tokens=512)
    assert family(selection.chosen) == "inf2"
    assert monthly(selection.chosen) < monthly(cheapest(selection, "g4dn", "g5", "g6"))


@says(SEED, "performance and cost rise together from T3 over C5 to G5")
def test_the_curve_of_cost_and_performance() -> None:
    selection = serve(BERT_BASE, max_p95_ms=60_000, peak=0.01, tokens=128, burstable=True)
    steps = [cheapest(selection, f) for f in ("t2", "c5", "g5")]
    costs = [monthly(c) for c in steps]
    speeds = [1 / c.estimate.service_time_ms for c in steps]
    assert costs == sorted(costs)
    assert speeds == sorted(speeds)


@says(SEED, "an ml.m5.xlarge around the clock detects fraud")
def test_m5_xlarge_detects_fraud() -> None:
    selection = serve(TREES, max_p95_ms=100, peak=50, instance_type="ml.m5.xlarge")
    assert selection.chosen.estimate.instances_at_peak == 1
    assert monthly(selection.chosen) == pytest.approx(730 * price("ml.m5.xlarge"))


# The scenario: BERT moves from a p3.2xlarge in test to production, below 100 ms and for little money.


@says(SEED, "BERT scenario: a small CPU takes 300 ms and misses 100 ms")
@pytest.mark.parametrize("name", SMALL_CPU)
def test_a_small_cpu_misses_the_latency(name: str) -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=20, tokens=512)
    missed = rejected(selection, name)
    assert missed.filter == "latency"
    assert (missed.shortfall or 0) > 3


@contradicts(SEED, "large-cpus-answer-bert-in-time")
def test_a_large_cpu_meets_the_latency_of_a_short_text() -> None:
    short = serve(BERT_BASE, max_p95_ms=100, peak=1, tokens=64, images=CPU)
    assert catalog().get(short.chosen.instance_type).vcpus >= 4


@says(SEED, "BERT scenario: g4dn.xlarge or Inferentia")
@pytest.mark.parametrize("peak", [1, 20, 200, 1000])
@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.OPTIMIZED_RUNTIME])
def test_bert_in_production(peak: int, engine: Engine) -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=peak, tokens=512, engine=engine)
    assert {"g4dn", "inf2"} <= feasible(selection)
    best = min(monthly(cheapest(selection, "g4dn")), monthly(cheapest(selection, "inf2")))
    assert best <= monthly(selection.chosen) * 1.15, "g6 is the newer g4dn, and may be a little cheaper"


@contradicts(SEED, "stale-prices")
def test_three_dollars_for_p3_are_the_price_of_ec2() -> None:
    assert price("ml.p3.2xlarge") == pytest.approx(3.06 * 1.25)
    assert price("ml.p3.2xlarge") > 4 * price("ml.g4dn.xlarge"), (
        "too dear around the clock, as the scenario says"
    )


@contradicts(SEED, "elastic-inference-is-gone")
def test_an_idle_gpu_gives_way_to_something_smaller() -> None:
    """A GPU below 20 %: the pick is another one, or the cheapest GPU there is."""
    idle = serve(RESNET_50, max_p95_ms=200, peak=1, images=CUDA).chosen
    assert idle.estimate.utilization < 0.2
    everywhere = serve(RESNET_50, max_p95_ms=200, peak=1).chosen
    assert monthly(everywhere) < monthly(idle)
    assert not catalog().find("ml.eia2.medium")


# The table of families.


@says(SEED, "T: burstable CPUs for development and tests")
def test_burstable_types_are_only_taken_where_they_are_allowed() -> None:
    assert family(serve(TREES, max_p95_ms=1000, peak=0.01).chosen) != "t2"
    for region in regions()[:5]:
        burstable = [t for t in load_catalog(region).instance_types if t.burstable]
        assert {t.family for t in burstable} <= {"t2", "t3"}
        assert not any(t.accelerator for t in burstable)


@says(
    SEED, "C and M are CPUs, P and G NVIDIA GPUs, all for training and inference; Inferentia is for inference"
)
@pytest.mark.parametrize(
    ("name", "vendor", "trains"),
    [
        ("ml.c5.xlarge", None, True),
        ("ml.m5.xlarge", None, True),
        ("ml.g4dn.xlarge", "NVIDIA", True),
        ("ml.g5.xlarge", "NVIDIA", True),
        ("ml.p4d.24xlarge", "NVIDIA", True),
        ("ml.p5.48xlarge", "NVIDIA", True),
        ("ml.inf2.xlarge", "AWS", False),
        ("ml.inf2.48xlarge", "AWS", False),
    ],
)
def test_what_a_family_is_for(name: str, vendor: str | None, trains: bool) -> None:
    instance_type = catalog().get(name)
    assert (instance_type.accelerator.vendor if instance_type.accelerator else None) == vendor
    assert Usage.HOSTING in instance_type.usages
    assert (Usage.TRAINING in instance_type.usages) is trains
