"""The text on CPU or GPU, environments, scaling, instance families."""

from collections.abc import Callable
from typing import Any

import pytest

from sizewell.config.environment import Environment
from sizewell.config.loading import load_environment
from sizewell.instance_selection import (
    Engine,
    HardwareKind,
    ModelSpec,
    NoFeasibleInstanceError,
    Selection,
    Usage,
)
from sizewell.instance_selection.catalog import regions
from sizewell.instance_selection.neuron import neuron_facts
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from tests.seeds.needs import (
    ANY,
    BERT_BASE,
    CPU,
    CUDA,
    LINEAR,
    LLAMA_1B,
    LLAMA_7B,
    NEURON,
    RESNET_50,
    TREES,
    catalog,
    cheapest,
    family,
    feasible,
    kind,
    monthly,
    serve,
    train,
)
from tests.seeds.statements import contradicts, says
from tests.synthesis import PROJECT_ROOT

SEED = "cpu-or-gpu"
ACCELERATED = {HardwareKind.CUDA, HardwareKind.NEURON}
CONFIG = PROJECT_ROOT / "config"


@pytest.mark.parametrize(
    ("answer", "hardware"),
    [
        pytest.param(
            lambda: serve(LINEAR, max_p95_ms=100, peak=50),
            CPU,
            id=f"{SEED}: linear regression answer on a CPU",
        ),
        pytest.param(
            lambda: train(LINEAR, units=1e6, hours=24),
            CPU,
            id=f"{SEED}: linear regression train on a CPU",
        ),
        pytest.param(
            lambda: serve(TREES, max_p95_ms=100, peak=50),
            CPU,
            id=f"{SEED}: decision trees answer on a CPU",
        ),
        pytest.param(
            lambda: train(TREES, units=1e6, hours=24), CPU, id=f"{SEED}: decision trees train on a CPU"
        ),
        pytest.param(
            lambda: train(RESNET_50, units=1.3e6 * 90, hours=24),
            ACCELERATED,
            id=f"{SEED}: vision trains on a GPU",
        ),
        pytest.param(
            lambda: serve(LLAMA_7B, max_p95_ms=30_000, peak=0.5, tokens=512, output_tokens=256),
            ACCELERATED,
            id=f"{SEED}: high volume in real time (GPT) runs on an accelerator",
        ),
        pytest.param(
            lambda: train(BERT_BASE, hours=1), ACCELERATED, id=f"{SEED}: a strict deadline asks for a GPU"
        ),
    ],
)
def test_cpu_or_gpu(answer: Callable[[], Selection[Any]], hardware: set[HardwareKind]) -> None:
    assert kind(answer().chosen) in hardware


@says(SEED, "time decides: a GPU for what is urgent")
def test_time_decides_between_cpu_and_gpu() -> None:
    """Row "time constraints": what a CPU does in days, a GPU does in hours."""
    unhurried = train(BERT_BASE, images=CPU, units=1e9, hours=28 * 24)
    assert kind(unhurried.chosen) in CPU
    hours = unhurried.chosen.estimate.duration_hours
    assert train(BERT_BASE, images=CUDA, units=1e9, hours=hours).chosen.estimate.duration_hours < hours


@says(SEED, "cost decides: a CPU where performance leaves the choice")
def test_cost_decides_for_a_cpu_where_both_will_do() -> None:
    """Row "cost sensitivity": where latency leaves the choice, the CPU is the cheaper one."""
    selection = serve(RESNET_50, max_p95_ms=1000, peak=1)
    assert kind(selection.chosen) in CPU
    assert monthly(selection.chosen) < monthly(cheapest(selection, "g4dn"))


@contradicts(SEED, "inf1-has-ended")
def test_inf1_has_ended() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=10, tokens=128, images=NEURON)
    assert family(selection.chosen) == "inf2"
    assert catalog().price("ml.inf1.xlarge", Usage.HOSTING).usd_per_hour is None
    assert not any(fact.status.runs for fact in neuron_facts(BERT_BASE, "inference", "inf1"))


@says(SEED, "small CPUs for development and tests")
def test_small_cpus_for_development() -> None:
    selection = serve(TREES, max_p95_ms=1000, peak=0.01, burstable=True)
    assert selection.chosen.instance_type == "ml.t2.medium"
    names = [c.instance_type for c in (selection.chosen, *selection.runners_up)]
    assert names.index("ml.m5.large") < 10


@contradicts(SEED, "t2-micro-and-t3-do-not-host")
def test_t3_does_not_host() -> None:
    assert catalog().get("ml.t3.medium").burstable
    assert not catalog().is_offered("ml.t3.medium", Usage.HOSTING)
    assert catalog().is_offered("ml.t3.medium", Usage.TRAINING)
    assert catalog().find("ml.t2.micro") is None


@says(SEED, "staging mimics production with smaller instances")
def test_staging_is_production_with_smaller_sizes() -> None:
    staging, prod = (
        load_environment(CONFIG, name, regions=regions()).environment for name in ("staging", "prod")
    )
    assert set(staging.workloads) == set(prod.workloads)
    assert (staging.policy.budget_usd_per_month or 0) <= (prod.policy.budget_usd_per_month or 0)


@says(SEED, "production scales up and out, automatically")
def test_production_scales_out_and_development_stays_small() -> None:
    dev, prod = (load_plan(CONFIG, name, within_budget=False) for name in ("dev", "prod"))
    assert dev.bill.usd_per_month is not None
    assert prod.bill.usd_per_month is not None
    assert dev.bill.usd_per_month < prod.bill.usd_per_month
    for before, after in zip(dev.endpoints, prod.endpoints, strict=True):
        assert before.initial_instance_count <= after.initial_instance_count
        assert after.scaling is not None, "real-time endpoints of production scale automatically"


@says(SEED, "GPU clusters only while the job runs")
def test_training_clusters_exist_only_while_a_job_runs() -> None:
    for job in load_plan(CONFIG, "prod").of(TrainingJobPlan):
        assert job.deadline_s > 0
        estimate = job.selection.chosen.estimate
        cost = job.selection.chosen.cost
        assert cost.usd_per_hour is not None
        assert estimate.usd_per_run is not None
        bound = cost.usd_per_hour * estimate.instance_count * estimate.duration_hours
        assert estimate.usd_per_run <= bound * (1 + 1e-9)


@says(SEED, "memory-optimized R5 for large data")
def test_memory_optimized_for_large_data() -> None:
    """R5 has the most memory for a vCPU, C5 the least: where memory decides, R is the cheapest."""
    per_vcpu = {f: catalog().get(f"ml.{f}.xlarge").memory_gib / 4 for f in ("r5", "m5", "c5")}
    assert per_vcpu["r5"] > per_vcpu["m5"] > per_vcpu["c5"]
    series = frozenset({"r5", "m5", "c5", "r7i", "m7i", "c7i"})
    selection = train(LLAMA_7B, images=CPU, hours=28 * 24, families=series, instances=1)
    small = [
        c for c in (selection.chosen, *selection.runners_up) if catalog().get(c.instance_type).vcpus <= 32
    ]
    assert small
    assert all(family(c).startswith("r") for c in small), "100 GB beside few vCPUs are found in R only"


@contradicts(SEED, "bert-on-memory-optimized")
def test_bert_is_not_memory_bound() -> None:
    selection = serve(
        BERT_BASE, max_p95_ms=1000, peak=1, tokens=128, images=frozenset({HardwareKind.CPU_X86_64})
    )
    assert monthly(cheapest(selection, "c5")) < monthly(cheapest(selection, "r5"))
    assert not family(selection.chosen).startswith("r")


@says(SEED, "compute-optimized C5 for simple models")
@pytest.mark.parametrize("peak", [50, 500])
def test_compute_optimized_for_simple_models(peak: int) -> None:
    selection = serve(TREES, max_p95_ms=100, peak=peak)
    assert family(selection.chosen)[0] == "c"
    assert family(train(TREES, units=1e6, hours=24).chosen)[0] in "cm"


@says(SEED, "C6g: Arm, cost-efficient")
def test_graviton_is_cheaper_for_the_same_work() -> None:
    selection = serve(TREES, max_p95_ms=100, peak=50, images=ANY)
    assert monthly(cheapest(selection, "c7g")) < monthly(cheapest(selection, "c7i"))
    assert catalog().get("ml.c6g.xlarge").cpu_architecture == "arm64"


@contradicts(SEED, "types-without-an-offer")
@pytest.mark.parametrize("name", ["ml.x1e.xlarge", "ml.g4ad.xlarge"])
def test_types_without_an_offer(name: str) -> None:
    assert catalog().find(name) is None or not catalog().is_offered(name, Usage.HOSTING)


@contradicts(SEED, "p3-is-gone")
def test_p3_is_gone() -> None:
    for usage in (Usage.HOSTING, Usage.TRAINING):
        assert not catalog().is_offered("ml.p3.2xlarge", usage)
    with pytest.raises(NoFeasibleInstanceError, match="region"):
        train(BERT_BASE, instance_type="ml.p3.2xlarge")
    assert feasible(train(LLAMA_1B, method="lora")) & {"g5", "g6", "g6e"}


@pytest.mark.parametrize(
    ("model", "tokens"), [(BERT_BASE, 128), (RESNET_50, 0)], ids=["chat and text", "vision"]
)
def test_inference_optimized_for_high_volume(model: ModelSpec, tokens: int) -> None:
    selection = serve(model, max_p95_ms=100, peak=1000, tokens=tokens, engine=Engine.EAGER)
    assert family(selection.chosen) in {"inf2", "g4dn", "g5", "g6", "g6e"}


@contradicts(SEED, "experiments-became-mlflow")
def test_experiments_are_not_chosen_here() -> None:
    assert "experiment" not in Environment.model_fields
