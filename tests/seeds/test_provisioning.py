"""The text on provisioning for test and production, the BERT scenario, families."""

import pytest

from sizewell.config import ConfigError
from sizewell.instance_selection import Engine, HardwareKind, NoFeasibleInstanceError, Usage
from sizewell.instance_selection.catalog import load_catalog, regions
from sizewell.planning import load_plan
from tests.cli.conftest import BASE
from tests.seeds.needs import (
    BERT_BASE,
    BERT_LARGE,
    CPU,
    CUDA,
    LLAMA_7B,
    RESNET_50,
    TREES,
    catalog,
    cheapest,
    chip,
    family,
    feasible,
    kind,
    monthly,
    per_run,
    price,
    refusal,
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


@says(SEED, "Spot never serves a real-time endpoint")
def test_spot_is_refused_for_an_endpoint(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "config").mkdir()
    text = BASE.replace(
        "    latency: {max_p95_ms: 200}", "    latency: {max_p95_ms: 200}\n    spot: {enabled: true}"
    )
    (tmp_path / "config" / "base.yaml").write_text(text, "utf-8")
    (tmp_path / "config" / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as raised:
        load_plan(tmp_path / "config", "dev")
    assert "Spot never serves real-time traffic" in raised.value.render()


@says(SEED, "Spot training needs checkpoints")
def test_spot_without_a_checkpoint_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    text = BASE.replace("    method: lora", "    method: lora\n    spot: {enabled: true}")
    (tmp_path / "base.yaml").write_text(text, "utf-8")
    (tmp_path / "dev.yaml").write_text("policy: {allow_spot: true}\n", "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(tmp_path, "dev")
    assert "Spot needs a checkpoint" in raised.value.render()


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


@says(SEED, "C5 and M5 for classical models")
def test_classical_models_run_on_cpus() -> None:
    assert family(serve(TREES, max_p95_ms=100, peak=50).chosen)[0] in "cm"
    assert family(train(TREES, units=1e6, hours=24).chosen)[0] in "cm"


@says(SEED, "GPUs are essential for training deep networks")
@pytest.mark.parametrize("model", [BERT_BASE, BERT_LARGE, LLAMA_7B], ids=["bert-base", "bert-large", "7b"])
def test_deep_learning_trains_on_accelerators(model) -> None:  # type: ignore[no-untyped-def]
    everywhere = train(model)
    assert chip(everywhere.chosen)
    assert per_run(everywhere.chosen) < per_run(train(model, images=CPU, hours=28 * 24).chosen)


@says(SEED, "GPUs for vision at the high end")
def test_large_images_in_real_time_run_on_accelerators() -> None:
    selection = serve(RESNET_50, max_p95_ms=20, peak=500, engine=Engine.OPTIMIZED_RUNTIME)
    assert kind(selection.chosen) in {HardwareKind.CUDA, HardwareKind.NEURON}


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


@contradicts(SEED, "t2-micro-and-t3-do-not-host")
def test_the_smallest_burstable_type_is_t2_medium() -> None:
    assert catalog().find("ml.t2.micro") is None
    selection = serve(TREES, max_p95_ms=1000, peak=1 / 3600, burstable=True)
    assert selection.chosen.instance_type == "ml.t2.medium"


# The scenario: BERT moves from a p3.2xlarge in test to production, below 100 ms and for little money.


@says(SEED, "BERT scenario: p3.2xlarge is too dear around the clock")
def test_p3_costs_several_times_as_much_as_g4dn() -> None:
    assert price("ml.p3.2xlarge") > 4 * price("ml.g4dn.xlarge")
    assert price("ml.p3.2xlarge") > 3.0


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


@says(SEED, "BERT scenario: Inferentia has the higher throughput")
def test_inferentia_serves_more_than_g4dn() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=200, tokens=512)
    capacity = {f: cheapest(selection, f).estimate.capacity_requests_per_second for f in ("inf2", "g4dn")}
    assert capacity["inf2"] > capacity["g4dn"]


@contradicts(SEED, "inf1-has-ended")
def test_inf1_cannot_be_called_cheaper() -> None:
    assert catalog().price("ml.inf1.xlarge", Usage.HOSTING).usd_per_hour is None


@contradicts(SEED, "stale-prices")
def test_three_dollars_for_p3_are_the_price_of_ec2() -> None:
    found = catalog().price("ml.p3.2xlarge", Usage.HOSTING)
    assert found.usd_per_hour == pytest.approx(3.06 * 1.25)


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
    assert family(serve(TREES, max_p95_ms=1000, peak=0.01, burstable=True).chosen) == "t2"
    assert family(serve(TREES, max_p95_ms=1000, peak=0.01).chosen) != "t2"
    for region in regions()[:5]:
        burstable = [t for t in load_catalog(region).instance_types if t.burstable]
        assert {t.family for t in burstable} <= {"t2", "t3"}
        assert not any(t.accelerator for t in burstable)


@says(SEED, "C: compute-optimized CPUs for preprocessing and inference")
def test_c_types_are_cpus_for_processing_and_hosting() -> None:
    c5 = catalog().get("ml.c5.xlarge")
    assert c5.accelerator is None
    assert {Usage.PROCESSING, Usage.HOSTING} <= c5.usages
    assert c5.memory_gib / c5.vcpus < catalog().get("ml.m5.xlarge").memory_gib / 4


@says(SEED, "P and G: NVIDIA GPUs for training and heavy inference")
@pytest.mark.parametrize("name", ["ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.g4dn.xlarge", "ml.g5.xlarge"])
def test_p_and_g_types_are_nvidia(name: str) -> None:
    instance_type = catalog().get(name)
    assert instance_type.accelerator is not None
    assert instance_type.accelerator.vendor == "NVIDIA"
    assert {Usage.TRAINING, Usage.HOSTING} <= instance_type.usages


@says(SEED, "Inf: Inferentia for inference at scale")
def test_inf_types_do_not_train() -> None:
    instance_type = catalog().get("ml.inf2.xlarge")
    assert instance_type.accelerator is not None
    assert instance_type.accelerator.name == "Inferentia2"
    assert Usage.TRAINING not in instance_type.usages
    with pytest.raises(NoFeasibleInstanceError) as raised:
        train(BERT_BASE, instance_type="ml.inf2.xlarge")
    assert refusal(raised.value, "ml.inf2.xlarge").filter == "use"
