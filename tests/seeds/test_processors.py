"""The text on processors by task, plant photos, monthly churn, comparison of processors."""

import pytest

from sizewell.instance_selection import Engine, Usage
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.migration import assess_endpoint_migration
from sizewell.instance_selection.neuron import neuron_changes
from tests.instance_selection.builders import endpoint
from tests.seeds.needs import (
    BERT_BASE,
    BERT_LARGE,
    CPU,
    CUDA,
    LLAMA_7B,
    LLAMA_70B,
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
    serve,
    train,
)
from tests.seeds.statements import contradicts, says

SEED = "processors"


def peak_tflops(instance_type: InstanceType) -> float:
    if instance_type.accelerator is None:
        cpu = instance_type.cpu
        assert cpu is not None
        return (cpu.peak_fp32_gflops_per_vcpu or 0) * instance_type.vcpus / 1000
    return (instance_type.accelerator.fp16_dense_tflops or 0) * instance_type.accelerator_count


# The rules of thumb.


@says(SEED, "preprocessing runs on C5 and M5")
def test_processing_is_offered_on_cpus() -> None:
    for name in ("ml.c5.xlarge", "ml.m5.xlarge"):
        assert catalog().is_offered(name, Usage.PROCESSING)
        assert price(name, Usage.PROCESSING) < price("ml.g4dn.xlarge", Usage.PROCESSING) / 3


@says(SEED, "deep learning trains on P, G or Trn")
@pytest.mark.parametrize(
    "model", [BERT_BASE, BERT_LARGE, LLAMA_7B, LLAMA_70B], ids=["110m", "335m", "7b", "70b"]
)
def test_deep_learning_trains_on_p_g_or_trn(model) -> None:  # type: ignore[no-untyped-def]
    for spot in (False, True):
        assert family(train(model, spot=spot).chosen).startswith(("p", "g", "trn"))


@says(SEED, "images in real time at high performance run on G4dn and G5")
def test_g4dn_and_g5_hold_images_in_real_time() -> None:
    selection = serve(RESNET_50, max_p95_ms=20, peak=1000, engine=Engine.OPTIMIZED_RUNTIME)
    assert {"g4dn", "g5"} <= feasible(selection)
    assert chip(selection.chosen)


# Case 1: names of plants in photos, within 200 ms.


@says(SEED, "plant photos within 200 ms: G4dn or G5, Inf2 as an alternative")
@pytest.mark.parametrize("peak", [200, 1000, 5000])
@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.OPTIMIZED_RUNTIME])
def test_many_photos_run_on_an_accelerator(peak: int, engine: Engine) -> None:
    selection = serve(RESNET_50, max_p95_ms=200, peak=peak, engine=engine)
    assert {"g4dn", "g5", "inf2"} <= feasible(selection)
    assert family(selection.chosen) in {"g4dn", "g5", "g6", "inf2"}


@contradicts(SEED, "cpu-serves-photos-at-small-load")
def test_few_photos_run_on_a_cpu() -> None:
    selection = serve(RESNET_50, max_p95_ms=200, peak=5)
    assert kind(selection.chosen) in CPU
    assert {"g4dn", "g5", "inf2"} <= feasible(selection)


# Case 2: churn, once a month, from CSV files.


@says(SEED, "monthly churn on a table: C5 or M5, no GPU")
def test_churn_is_trained_and_scored_on_a_cpu() -> None:
    training = train(TREES, units=5e6, hours=24)
    scoring = serve(TREES, max_p95_ms=60_000, peak=100)
    for selection in (training, scoring):
        assert kind(selection.chosen) in CPU
        assert family(selection.chosen)[0] in "cm"
    assert per_run(training.chosen) < per_run(cheapest(training, "g4dn", "g5"))


# Questions and muddy points.


@contradicts(SEED, "inf1-has-ended")
def test_inferentia_hosts_for_less_than_p4d() -> None:
    """Inf1 rather than p4d for hosting: true of Inf2."""
    selection = serve(BERT_BASE, max_p95_ms=100, peak=100, tokens=128)
    assert monthly(cheapest(selection, "inf2")) < monthly(cheapest(selection, "p4d")) / 10


@says(SEED, "G is cost-effective for inference, P powerful for training")
def test_g_serves_for_less_and_p_trains_faster() -> None:
    serving = serve(BERT_BASE, max_p95_ms=100, peak=20, tokens=128, images=CUDA)
    assert family(serving.chosen).startswith("g")
    training = train(LLAMA_7B, images=CUDA)
    hours = {f: cheapest(training, f).estimate.duration_hours for f in ("p4d", "p5", "g5")}
    assert max(hours["p4d"], hours["p5"]) < hours["g5"]


@says(SEED, "a small model on a massive GPU wastes money")
def test_a_massive_gpu_is_idle() -> None:
    selection = serve(BERT_BASE, max_p95_ms=100, peak=20, tokens=128)
    massive = cheapest(selection, "p4d")
    assert massive.estimate.utilization < 0.2
    assert monthly(massive) > 10 * monthly(selection.chosen)


@says(SEED, "Trainium and Inferentia ask for the Neuron SDK")
def test_the_migration_names_the_neuron_sdk() -> None:
    found = assess_endpoint_migration(
        endpoint(model=RESNET_50, max_p95_latency_ms=200, peak_requests_per_second=20), catalog()
    )
    assert any("Neuron SDK" in change.change for change in found.changes)
    assert neuron_changes(RESNET_50, "inference", "inf2") == found.changes


# The comparison of processors.


@says(SEED, "cores: few in a CPU, thousands in a GPU")
def test_arithmetic_rises_from_cpu_to_gpu() -> None:
    small, large, gpu = (
        peak_tflops(catalog().get(n)) for n in ("ml.c5.xlarge", "ml.c5.18xlarge", "ml.g5.xlarge")
    )
    assert small < large < gpu


@says(SEED, "cost: CPU low, Inferentia moderate, GPU high")
def test_price_of_the_smallest_type() -> None:
    cpu, inferentia, gpu = (price(f"ml.{name}") for name in ("c5.xlarge", "inf2.xlarge", "g5.xlarge"))
    assert cpu < inferentia < gpu
    assert gpu < price("ml.p4d.24xlarge")


@says(SEED, "flexibility: CPU any code, GPU CUDA, Inferentia less")
def test_flexibility_falls_from_cpu_to_inferentia() -> None:
    assert any("CUDA or Triton" in c.change for c in neuron_changes(BERT_BASE, "inference", "inf2"))
    assert kind(serve(TREES, max_p95_ms=100, peak=5, images=CPU).chosen) in CPU
