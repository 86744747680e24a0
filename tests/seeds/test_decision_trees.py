"""The text on decision trees, selection guides, comparison tables, decision matrices, migration, HardwareRecommender."""

from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    Engine,
    HardwareKind,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    Usage,
)
from sizewell.instance_selection.migration import (
    Verdict,
    assess_endpoint_migration,
    assess_training_migration,
)
from sizewell.instance_selection.neuron import neuron_changes, neuron_facts
from sizewell.instance_selection.recommender import Budget, Task, recommend
from tests.instance_selection.builders import decoder_training, endpoint
from tests.seeds.needs import (
    BERT_BASE,
    BERT_LARGE,
    CPU,
    CUDA,
    LLAMA_1B,
    LLAMA_7B,
    LLAMA_13B,
    LLAMA_70B,
    NEURON,
    RESNET_50,
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
    with_precision,
)
from tests.seeds.statements import contradicts, says

SEED = "decision-trees"
LARGE = pytest.mark.parametrize("model", [LLAMA_13B, LLAMA_70B], ids=["13b", "70b"])
MEDIUM = pytest.mark.parametrize("model", [LLAMA_1B, LLAMA_7B], ids=["1b", "7b"])


def assert_refused(name: str, filter_: str, **changes: Any) -> None:
    """Check that a type is rejected by a filter."""
    with pytest.raises(NoFeasibleInstanceError) as raised:
        train(instance_type=name, **changes)
    assert refusal(raised.value, name).filter == filter_


# Training of more than 7B parameters.


@contradicts(SEED, "trainium-saves-little")
@LARGE
def test_large_models_for_little_money(model: ModelSpec) -> None:
    """Budget-conscious with PyTorch: on Spot, which such people take, Trainium is about level with the cheapest."""
    on_demand, spot = (train(model, spot=s) for s in (False, True))
    gaps = [per_run(cheapest(s, "trn1")) / per_run(s.chosen) for s in (on_demand, spot)]
    assert gaps[1] <= gaps[0]
    assert gaps[1] < 1.5


@says(SEED, "above 7B: balanced is NVIDIA, which leads on demand")
@LARGE
def test_large_models_on_demand(model: ModelSpec) -> None:
    selection = train(model)
    assert family(selection.chosen) in {"p4d", "p4de", "p5", "p5en", "g6e"}
    assert "trn1" in feasible(selection)


@says(SEED, "above 7B: maximum performance is H100 (P5)")
@LARGE
def test_large_models_as_fast_as_possible(model: ModelSpec) -> None:
    assert family(
        recommend(model.parameters, Task.TRAINING, Budget.PERFORMANCE, catalog()).chosen
    ).startswith("p5")
    assert chip(cheapest(train(model), "p5")) == "H100 80GB"


@contradicts(SEED, "h100-beats-a100")
@LARGE
def test_large_models_balanced(model: ModelSpec) -> None:
    selection = train(model)
    a100, h100 = cheapest(selection, "p4d", "p4de"), cheapest(selection, "p5")
    assert per_run(h100) < per_run(a100) * 1.25
    assert h100.estimate.duration_hours < a100.estimate.duration_hours


# Training of 1B to 7B parameters.


@says(SEED, "1B to 7B: cost optimization trains on Trainium")
@MEDIUM
def test_medium_models_for_little_money(model: ModelSpec) -> None:
    """On Spot; the types that came after the seed, L40S and H100, are about level."""
    selection = train(model, spot=True)
    assert per_run(cheapest(selection, "trn1")) < per_run(selection.chosen) * 1.5
    assert per_run(cheapest(selection, "trn1")) < per_run(cheapest(train(model), "trn1")) / 2


@says(SEED, "1B to 7B: A100 (P4d) takes any framework")
@MEDIUM
def test_medium_models_with_any_framework(model: ModelSpec) -> None:
    assert "p4d" in feasible(train(model))


@says(SEED, "1B to 7B: quick experiments on a T4 (G4dn)")
def test_adapters_of_a_billion_train_on_a_t4() -> None:
    assert "g4dn" in feasible(train(with_precision(LLAMA_1B, Precision.FP16), method="lora"))


@contradicts(SEED, "t4-does-not-train-billions")
def test_all_weights_of_billions_do_not_train_on_a_t4() -> None:
    assert_refused("ml.g4dn.xlarge", "memory", model=with_precision(LLAMA_1B, Precision.FP16))
    assert_refused("ml.g4dn.xlarge", "memory", model=with_precision(LLAMA_7B, Precision.FP16))


@says(SEED, "1B to 7B: CPU-only models train on CPUs with much memory")
def test_a_cpu_image_trains_on_cpus_with_much_memory() -> None:
    selection = train(LLAMA_7B, images=CPU, hours=28 * 24, instances=1)
    assert kind(selection.chosen) in CPU
    assert catalog().get(selection.chosen.instance_type).memory_gib > 100


@contradicts(SEED, "cpu-training-is-dear")
@pytest.mark.parametrize(
    "model", [BERT_BASE, BERT_LARGE, LLAMA_1B, LLAMA_7B], ids=["110m", "335m", "1b", "7b"]
)
def test_a_run_on_cpus_is_more_expensive_than_on_gpus(model: ModelSpec) -> None:
    on_cpus = train(model, images=CPU, hours=28 * 24).chosen
    on_gpus = train(model, images=CUDA).chosen
    assert per_run(on_cpus) > per_run(on_gpus)
    assert on_cpus.estimate.duration_hours > on_gpus.estimate.duration_hours


# Inference with high throughput.


@says(SEED, "high throughput: transformers with an eye on cost run on Inferentia (Inf2)")
@pytest.mark.parametrize("peak", [300, 1000, 3000])
def test_many_requests_to_a_transformer(peak: int) -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=peak, tokens=512)
    assert family(selection.chosen) == "inf2"


@says(SEED, "high throughput: mixed models run on A10G (G5)")
@pytest.mark.parametrize(
    ("model", "tokens", "output_tokens"),
    [(BERT_BASE, 128, 0), (RESNET_50, 0, 0), (LLAMA_1B, 128, 64), (LLAMA_7B, 128, 64)],
    ids=["bert", "resnet", "1b", "7b"],
)
def test_g5_runs_everything(model: ModelSpec, tokens: int, output_tokens: int) -> None:
    selection = serve(model, max_p95_ms=60_000, peak=1, tokens=tokens, output_tokens=output_tokens)
    assert "g5" in feasible(selection)


@says(SEED, "high throughput: real time runs on T4 (G4dn)")
def test_real_time_on_a_t4() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=20, tokens=512, images=CUDA)
    assert family(selection.chosen) == "g4dn"


# Inference with low latency.


@contradicts(SEED, "a10g-is-not-needed-below-10-ms")
@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.OPTIMIZED_RUNTIME])
def test_below_ten_milliseconds(engine: Engine) -> None:
    selection = serve(BERT_BASE, max_p95_ms=10, peak=10, tokens=128, engine=engine)
    assert "inf2" in feasible(selection)
    if engine is Engine.OPTIMIZED_RUNTIME:
        assert "g5" in feasible(selection)
        assert monthly(selection.chosen) < monthly(cheapest(selection, "g5"))


@says(SEED, "low latency: cost-optimized runs on Inferentia (Inf2)")
def test_low_latency_for_little_money() -> None:
    selection = serve(BERT_BASE, max_p95_ms=10, peak=200, tokens=128)
    assert family(selection.chosen) == "inf2"


@says(SEED, "low latency: batches run on any GPU")
def test_without_a_latency_any_gpu_will_do() -> None:
    selection = serve(BERT_BASE, max_p95_ms=60_000, peak=1, tokens=128, images=CUDA)
    assert {"g4dn", "g5", "g6", "g6e", "p4d", "p5"} <= feasible(selection)


# GPUs by size of the model.


@says(SEED, "below 1B parameters: g4dn.xlarge, one T4 of 16 GB")
@pytest.mark.parametrize("model", [BERT_BASE, BERT_LARGE], ids=["110m", "335m"])
def test_small_models_train_on_one_t4(model: ModelSpec) -> None:
    selection = train(model, instance_type="ml.g4dn.xlarge")
    assert selection.chosen.estimate.accelerator_count == 1
    assert 14 < selection.chosen.estimate.memory.usable_gib < 16


@contradicts(SEED, "7b-does-not-fit-one-v100")
def test_medium_models_do_not_fit_one_v100_or_one_trainium() -> None:
    memory = catalog().get("ml.p3.2xlarge").accelerator_memory_gib
    assert memory == 16
    assert 16 * LLAMA_7B.parameters / 2**30 > 6 * memory
    assert_refused("ml.trn1.2xlarge", "memory", model=LLAMA_7B)
    assert "trn1" in feasible(train(LLAMA_7B)), "trn1.32xlarge shards the states over 16 chips"


@says(SEED, "10B and more: p4d.24xlarge, A100 of 40 GB")
def test_large_models_train_on_p4d() -> None:
    p4d = train(LLAMA_13B, instance_type="ml.p4d.24xlarge").chosen
    assert catalog().get(p4d.instance_type).accelerator_memory_gib == 40
    assert p4d.estimate.sharded


@says(SEED, "70B and more: p5.48xlarge, H100 of 80 GB")
def test_very_large_models_train_on_p5() -> None:
    p5 = train(LLAMA_70B, instance_type="ml.p5.48xlarge").chosen
    assert catalog().get(p5.instance_type).accelerator_memory_gib == 80
    assert p5.estimate.instance_count > 1, "one instance does not hold the states of 70B"
    assert family(train(LLAMA_70B).chosen).startswith("p5")


@contradicts(SEED, "stale-prices")
@pytest.mark.parametrize(
    ("name", "usd_of_the_seed", "cheaper"),
    [
        ("ml.g4dn.xlarge", 0.526, False),
        ("ml.trn1.2xlarge", 1.34, False),
        ("ml.trn1.32xlarge", 21.50, False),
        ("ml.p4d.24xlarge", 32.77, True),
        ("ml.p5.48xlarge", 98.32, True),
        ("ml.inf2.xlarge", 0.76, False),
    ],
)
def test_prices_of_today(name: str, usd_of_the_seed: float, cheaper: bool) -> None:
    assert (price(name) < usd_of_the_seed) == cheaper
    assert price(name) != pytest.approx(usd_of_the_seed, rel=0.01)


# Trainium and Inferentia.


@says(SEED, "trn1.2xlarge has one chip, trn1.32xlarge sixteen; both of 32 GB")
def test_trainium_types() -> None:
    small, large = (catalog().get(f"ml.trn1.{size}") for size in ("2xlarge", "32xlarge"))
    assert (small.accelerator_count, large.accelerator_count) == (1, 16)
    assert (small.memory_gib, large.memory_gib) == (32, 512)
    assert "trn1" in feasible(train(BERT_BASE, instance_type="ml.trn1.2xlarge"))


@says(SEED, "trn1.32xlarge trains large models over several instances with EFA")
def test_trainium_trains_over_several_instances() -> None:
    found = train(LLAMA_70B, images=NEURON).chosen
    assert found.instance_type == "ml.trn1.32xlarge"
    assert found.estimate.instance_count > 1
    assert catalog().get(found.instance_type).efa_supported


@contradicts(SEED, "tensorflow-has-ended-on-neuron")
@pytest.mark.parametrize(("task", "family_"), [("training", "trn1"), ("inference", "inf2")])
def test_tensorflow_does_not_run_on_neuron(task: str, family_: str) -> None:
    facts = neuron_facts(replace(BERT_BASE, framework="tensorflow"), task, family_)
    assert [fact.status.runs for fact in facts if fact.subject == "framework"] == [False]


@says(SEED, "Trainium is best for transformers")
def test_trainium_does_not_train_convolutional_networks() -> None:
    assert all(f.status.runs for f in neuron_facts(LLAMA_7B, "training", "trn1"))
    assert not all(f.status.runs for f in neuron_facts(RESNET_50, "training", "trn1"))


@contradicts(SEED, "neuron-memory-is-host-memory")
@pytest.mark.parametrize(
    ("size", "chips", "host_gib"), [("xlarge", 1, 16), ("8xlarge", 1, 128), ("24xlarge", 6, 384)]
)
def test_memory_of_inferentia(size: str, chips: int, host_gib: int) -> None:
    found = catalog().get(f"ml.inf2.{size}")
    assert (found.accelerator_count, found.memory_gib) == (chips, host_gib)
    assert found.accelerator_memory_gib == 32


@contradicts(SEED, "inf2-8xlarge-buys-host-memory")
def test_the_larger_host_holds_no_larger_model() -> None:
    needs: dict[str, Any] = {"max_p95_ms": 60_000, "peak": 0.1, "tokens": 128, "output_tokens": 32}
    selection = serve(LLAMA_70B, **needs)
    assert rejected(selection, "ml.inf2.8xlarge").filter == "memory"
    small = serve(LLAMA_1B, **needs, images=NEURON)
    assert small.chosen.instance_type == "ml.inf2.xlarge"


@says(SEED, "inf2.24xlarge has six chips for several models at once")
def test_six_chips_serve_six_copies() -> None:
    found = serve(BERT_BASE, max_p95_ms=100, peak=100, tokens=128, instance_type="ml.inf2.24xlarge").chosen
    assert found.estimate.replicas_per_instance >= 6


# The cost comparisons.


@contradicts(SEED, "trainium-saves-little")
def test_an_hour_of_trainium_is_hardly_cheaper_than_an_hour_of_p4d() -> None:
    saving = 1 - price("ml.trn1.32xlarge", Usage.TRAINING) / price("ml.p4d.24xlarge", Usage.TRAINING)
    assert 0 < saving < 0.05


@contradicts(SEED, "70b-needs-more-trainium")
def test_two_instances_do_not_hold_70b() -> None:
    with pytest.raises(NoFeasibleInstanceError):
        train(LLAMA_70B, images=NEURON, instances=2)
    assert train(LLAMA_70B, images=NEURON, instances=8).chosen.estimate.instance_count > 2


@says(SEED, "BERT: inf2.xlarge costs more by the hour than g4dn.xlarge, and answers sooner")
def test_bert_on_inferentia_is_more_expensive_and_faster() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=1, tokens=128)
    gpu, inferentia = cheapest(selection, "g4dn"), cheapest(selection, "inf2")
    assert price("ml.inf2.xlarge") / price("ml.g4dn.xlarge") == pytest.approx(1.34, abs=0.05)
    assert monthly(inferentia) > monthly(gpu)
    assert inferentia.estimate.service_time_ms < gpu.estimate.service_time_ms


@contradicts(SEED, "inferentia-latency-and-price")
def test_a_large_language_model_on_g5_and_inf2() -> None:
    assert price("ml.inf2.8xlarge") > price("ml.g5.2xlarge")
    gpt = serve(LLAMA_7B, max_p95_ms=60_000, peak=0.1, tokens=128, output_tokens=128)
    assert {"g5", "inf2"} <= feasible(gpt)


@contradicts(SEED, "batch-scoring-may-use-gpu-less")
def test_large_batches() -> None:
    assert 1.05 < price("ml.inf2.24xlarge") / price("ml.g5.12xlarge") < 1.15
    memory = {n: catalog().get(n) for n in ("ml.inf2.24xlarge", "ml.g5.12xlarge")}
    totals = {n: t.accelerator_count * (t.accelerator_memory_gib or 0) for n, t in memory.items()}
    assert totals["ml.inf2.24xlarge"] > 2 * totals["ml.g5.12xlarge"]


# The decision matrices.


@says(SEED, "training: CPUs perform poorly and scale poorly, GPUs and Trainium well")
def test_training_matrix() -> None:
    gpu, trainium, cpu = (
        train(LLAMA_7B, images=images, hours=28 * 24).chosen.estimate.duration_hours
        for images in (CUDA, NEURON, CPU)
    )
    assert max(gpu, trainium) * 5 < cpu
    assert train(LLAMA_70B, images=NEURON).chosen.estimate.instance_count > 1


@says(SEED, "inference: latency is excellent on Inferentia, good on GPUs, poor on CPUs")
def test_latency_matrix() -> None:
    selection = serve(BERT_BASE, max_p95_ms=60_000, peak=1, tokens=128)
    inferentia, gpu, cpu = (cheapest(selection, f).estimate.service_time_ms for f in ("inf2", "g4dn", "c5"))
    assert inferentia < gpu < cpu


@says(SEED, "inference: throughput is excellent on Inferentia, good on GPUs, poor on CPUs")
def test_throughput_matrix() -> None:
    selection = serve(BERT_BASE, max_p95_ms=1000, peak=1, tokens=128)
    inferentia, gpu, cpu = (
        cheapest(selection, f).estimate.capacity_requests_per_second for f in ("inf2", "g4dn", "c5")
    )
    assert inferentia > gpu > cpu


@says(SEED, "inference: cost is low on Inferentia, medium on CPUs, high on GPUs")
def test_cost_matrix_at_high_volume() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=1000, tokens=128)
    costs = [monthly(cheapest(selection, f)) for f in ("inf2", "c5", "g5")]
    assert costs[0] == min(costs)


@says(SEED, "frameworks: GPUs and CPUs run all, Neuron some")
def test_framework_matrix() -> None:
    selection = serve(replace(BERT_BASE, framework="tensorflow"), max_p95_ms=100, peak=1000, tokens=128)
    assert rejected(selection, "ml.inf2.xlarge").filter == "neuron-sdk"
    assert {"g4dn", "c7i"} <= feasible(selection)


# Migration.


@says(SEED, "GPU to Trainium: assessment, pilot on trn1, compatibility")
def test_migration_of_a_training_job() -> None:
    found = assess_training_migration(
        decoder_training(model=LLAMA_13B, units=100e6, sequence_length=2048, deadline_hours=168), catalog()
    )
    assert found.now_hardware is HardwareKind.CUDA
    assert found.then is not None
    assert family(found.then) == "trn1"
    assert {"compilation", "static shapes", "code"} <= {c.topic for c in found.changes}


@says(SEED, "GPU to Inferentia: compile the model ahead")
def test_migration_of_an_endpoint() -> None:
    needs = endpoint(
        model=BERT_BASE,
        images_per_request=0,
        input_tokens=512,
        max_p95_latency_ms=100,
        peak_requests_per_second=1000,
        average_requests_per_second=500,
        max_instances=100,
    )
    found = assess_endpoint_migration(needs, catalog())
    assert found.verdict is Verdict.PILOT
    assert found.then is not None
    assert family(found.then) == "inf2"
    assert any("torch_neuronx.trace" in c.change for c in found.changes)


@says(SEED, "PyTorch training steps change to XLA")
def test_training_code_changes() -> None:
    assert any("xm.optimizer_step" in c.change for c in neuron_changes(LLAMA_7B, "training", "trn1"))


# HardwareRecommender: model size, type and budget.


@contradicts(SEED, "trainium-saves-little")
@pytest.mark.parametrize("parameters", [13e9, 70e9])
def test_recommender_above_ten_billion_for_little_money(parameters: float) -> None:
    found = recommend(parameters, Task.TRAINING, Budget.COST_OPTIMIZED, catalog())
    assert family(found.chosen) in {"p4d", "p5", "p5en", "trn1"}
    assert "trn1" in {family(c) for c in (found.chosen, *found.runners_up)}


@contradicts(SEED, "h100-beats-a100")
@pytest.mark.parametrize("budget", [Budget.BALANCED, Budget.PERFORMANCE])
def test_recommender_above_ten_billion(budget: Budget) -> None:
    found = recommend(13e9, Task.TRAINING, budget, catalog())
    assert chip(found.chosen) in {"A100 40GB", "A100 80GB", "H100 80GB", "H200 141GB"}


@contradicts(SEED, "t4-does-not-train-billions")
def test_recommender_below_ten_billion() -> None:
    small = recommend(110e6, Task.TRAINING, Budget.COST_OPTIMIZED, catalog())
    # A Trainium chip reads more than three times the tokens of a T4 at twice its price: either may be the cheaper one.
    assert small.hardware in (HardwareKind.CUDA, HardwareKind.NEURON)
    assert "T4" in {chip(c) for c in (small.chosen, *small.runners_up)}
    large = recommend(7e9, Task.TRAINING, Budget.COST_OPTIMIZED, catalog())
    assert large.chosen.estimate.memory.fits
    assert "ml.g4dn.xlarge" not in {c.instance_type for c in (large.chosen, *large.runners_up)}


@says(SEED, "the recommender answers for inference as well")
@pytest.mark.parametrize("parameters", [110e6, 7e9, 70e9])
@pytest.mark.parametrize("budget", Budget)
def test_recommender_for_inference(parameters: float, budget: Budget) -> None:
    found = recommend(parameters, Task.INFERENCE, budget, catalog())
    assert found.chosen.estimate.memory.fits
    if parameters > 1e9:
        assert chip(found.chosen), "a model of billions is served by an accelerator"
