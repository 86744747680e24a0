from dataclasses import replace

import pytest

from instance_selection import (
    MemoryEstimate,
    Precision,
    TrainingEstimate,
    TrainingRequirements,
    select_training_instance,
)
from instance_selection.catalog import InstanceType
from instance_selection.estimation.hardware import GIB, Processor, processor
from instance_selection.estimation.serving_memory import FRAGMENTATION
from instance_selection.estimation.training_memory import estimate_training_memory
from instance_selection.training_evaluation import TrainingEvaluation
from tests.instance_selection.builders import (
    GPU,
    LLAMA_3_8B,
    RESNET_50,
    catalog,
    cpu_instance,
    decoder_training,
    gpu_instance,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

A100 = replace(
    GPU,
    name="A100 80GB",
    memory_bandwidth_gb_s=2039,
    fp32_tflops=19.5,
    fp16_dense_tflops=312,
    bf16_dense_tflops=312,
)


def a100s(count: int) -> InstanceType:
    return gpu_instance(
        "ml.p9.xlarge", accelerator=A100, accelerator_count=count, accelerator_memory_gib=80.0
    )


def memory_of(
    needs: TrainingRequirements, instance_type: InstanceType | None = None, shards: int = 1
) -> MemoryEstimate:
    found = processor(instance_type or a100s(1), needs.model.precision)
    assert isinstance(found, Processor), found
    return estimate_training_memory(needs, found, shards)


def states_bytes(memory: MemoryEstimate) -> float:
    """Return the bytes of weights, gradients and optimizer states without fragmentation."""
    return (memory.weights_gib + memory.gradients_gib + memory.optimizer_gib) * GIB / FRAGMENTATION


def layout(needs: TrainingRequirements, instance_type: InstanceType) -> TrainingEstimate:
    return select_training_instance(needs, catalog(instance_type)).chosen.estimate


@pytest.mark.parametrize(
    ("precision", "optimizer", "bytes_per_weight"),
    [
        (Precision.BF16, "adamw", 2 + 2 + 12),
        (Precision.FP16, "adamw", 2 + 2 + 12),
        # In fp32 the weights are their own master copy.
        (Precision.FP32, "adamw", 4 + 4 + 8),
        (Precision.BF16, "sgd", 2 + 2 + 8),
        (Precision.FP32, "sgd", 4 + 4 + 4),
    ],
)
def test_bytes_per_weight_of_full_fine_tuning(
    precision: Precision, optimizer: str, bytes_per_weight: int
) -> None:
    model = replace(LLAMA_3_8B, precision=precision)
    needs = replace(decoder_training(model=model), optimizer=optimizer)  # type: ignore[arg-type]

    assert states_bytes(memory_of(needs)) == pytest.approx(bytes_per_weight * 8.03e9)


def test_full_fine_tuning_of_llama_3_8b_takes_128_5_gb_and_does_not_fit_one_a100() -> None:
    memory = memory_of(decoder_training(model=LLAMA_3_8B))

    assert states_bytes(memory) == pytest.approx(128.5e9, rel=1e-3)
    assert not memory.fits


def test_full_fine_tuning_of_llama_3_8b_fits_eight_a100s_when_it_is_sharded() -> None:
    needs = decoder_training(model=LLAMA_3_8B)

    chosen = layout(needs, a100s(8))

    assert chosen.sharded
    assert states_bytes(chosen.memory) == pytest.approx(128.5e9 / 8, rel=1e-3)
    assert chosen.memory.fits


def test_what_fits_one_accelerator_is_not_sharded() -> None:
    assert not layout(decoder_training(), a100s(8)).sharded


def test_shards_are_gathered_layer_by_layer() -> None:
    whole, sharded = (memory_of(decoder_training(model=LLAMA_3_8B), shards=n) for n in (1, 8))

    # Two layers of (8.03 - 0.5253) x 10^9 / 32 weights in two bytes.
    two_layers = 2 * (8.03e9 - 525.3e6) / 32 * 2
    assert (sharded.reserve_gib - whole.reserve_gib) * GIB == pytest.approx(two_layers)


def test_shards_of_several_instances_count_together() -> None:
    needs = decoder_training(model=replace(LLAMA_3_8B, parameters=60e9), max_instances=4)
    with_efa = replace(a100s(8), efa_supported=True, network_baseline_gbps=400)

    # 16 x 60 x 10^9 bytes x 1.05 are 117 GiB on each accelerator of one instance, 59 on each of two.
    chosen = layout(needs, with_efa)

    assert (chosen.instance_count, chosen.accelerator_count, chosen.sharded) == (2, 16, True)


def test_a_cnn_is_never_sharded() -> None:
    # 6 x 10^9 weights x 16 bytes x 1.05 are 94 GiB.
    needs = training(model=replace(RESNET_50, parameters=6e9))

    evaluation = TrainingEvaluation(needs, a100s(8), catalog(a100s(8)))

    assert evaluation.layouts == ()
    assert evaluation.largest_memory.needed_gib > 80


def test_adapters_leave_gradients_and_states_of_the_frozen_weights_out() -> None:
    needs = decoder_training(model=LLAMA_3_8B, method="lora", lora_parameters=40e6)

    memory = memory_of(needs)

    assert memory.weights_gib * GIB / FRAGMENTATION == pytest.approx(2 * (8.03e9 + 40e6))
    assert memory.gradients_gib * GIB / FRAGMENTATION == pytest.approx(2 * 40e6)
    assert memory.optimizer_gib * GIB / FRAGMENTATION == pytest.approx(12 * 40e6)
    assert memory.fits


def test_activations_keep_the_input_of_each_layer_and_one_layer_in_full() -> None:
    needs = decoder_training(model=LLAMA_3_8B, sequence_length=2048, batch_size_per_accelerator=4)

    # Two bytes for each of 32 layers, and 34 for the layer that is recomputed.
    assert memory_of(needs).activations_gib * GIB / FRAGMENTATION == pytest.approx(
        4 * 2048 * 4096 * (32 * 2 + 34)
    )


def test_activations_of_a_cnn_are_kept_twice() -> None:
    needs = training(model=RESNET_50, batch_size_per_accelerator=64)

    assert memory_of(needs).activations_gib * GIB / FRAGMENTATION == pytest.approx(64 * 11.1e6 * 2 * 2)


def test_a_cpu_trains_half_precision_models_in_fp32() -> None:
    needs = training(model=RESNET_50)

    assert states_bytes(memory_of(needs, cpu_instance())) == pytest.approx((4 + 4 + 8) * 25.6e6)
