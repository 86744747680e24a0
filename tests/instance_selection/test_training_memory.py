from dataclasses import replace

import pytest

from sizewell.instance_selection import (
    Architecture,
    MemoryEstimate,
    ModelSpec,
    Precision,
    TrainingEstimate,
    TrainingRequirements,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import word_parameters
from sizewell.instance_selection.estimation.training_memory import (
    TrainingMemory,
    kept_bytes_per_example,
    training_memory,
)
from sizewell.instance_selection.estimation.work import forward_work
from tests.instance_selection.builders import (
    BERT_BASE,
    GPU,
    LLAMA_3_8B,
    RECOMMENDER,
    RESNET_50,
    catalog,
    cpu_instance,
    decoder_training,
    gpu_instance,
    training,
    training_columns,
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


def memory_of(needs: TrainingRequirements, instance_type: InstanceType | None = None) -> MemoryEstimate:
    """Return the least that one accelerator (or the host) needs."""
    return training_columns(needs, instance_type or a100s(1)).smallest_memory(0)


def states_bytes(memory: MemoryEstimate) -> float:
    """Return the bytes of weights, gradients and optimizer states."""
    return (memory.weights_gib + memory.gradients_gib + memory.optimizer_gib) * GIB


def sharded(shards: float, *, kept_bytes: float = 100e9, state_shards: float = 1.0) -> TrainingMemory:
    """Return the memory of Llama 3 8B in mixed precision with AdamW, on each of several devices."""
    return training_memory(
        LLAMA_3_8B,
        weight_bytes=2.0,
        gradient_bytes=4.0,
        state_bytes=12.0,
        trainable=LLAMA_3_8B.parameters,
        kept_bytes=kept_bytes,
        shards=shards,
        state_shards=state_shards,
    )


def layout(needs: TrainingRequirements, instance_type: InstanceType) -> TrainingEstimate:
    return select_training_instance(needs, catalog(instance_type)).chosen.estimate


@pytest.mark.parametrize(
    ("precision", "optimizer", "bytes_per_weight"),
    [
        (Precision.BF16, "adamw", 2 + 4 + 12),
        (Precision.FP16, "adamw", 2 + 4 + 12),
        # In fp32 the weights are their own master copy.
        (Precision.FP32, "adamw", 4 + 4 + 8),
        (Precision.BF16, "sgd", 2 + 4 + 8),
        (Precision.FP32, "sgd", 4 + 4 + 4),
    ],
)
def test_bytes_per_weight_of_full_fine_tuning(
    precision: Precision, optimizer: str, bytes_per_weight: int
) -> None:
    model = replace(LLAMA_3_8B, precision=precision)
    needs = replace(decoder_training(model=model), optimizer=optimizer)  # type: ignore[arg-type]

    assert states_bytes(memory_of(needs)) == pytest.approx(bytes_per_weight * 8.03e9)


def test_full_fine_tuning_of_llama_3_8b_takes_145_gb_and_does_not_fit_one_a100() -> None:
    memory = memory_of(decoder_training(model=LLAMA_3_8B))

    assert states_bytes(memory) == pytest.approx(144.5e9, rel=1e-3)
    assert not memory.fits


def test_full_fine_tuning_of_llama_3_8b_fits_eight_a100s_when_it_is_sharded() -> None:
    chosen = layout(decoder_training(model=LLAMA_3_8B), a100s(8))

    assert chosen.sharded
    assert 144.5e9 / 8 < states_bytes(chosen.memory) < 144.5e9 / 8 + 5e9
    assert chosen.memory.fits


def test_what_fits_one_accelerator_is_not_sharded() -> None:
    assert not layout(decoder_training(), a100s(8)).sharded


def test_shards_are_gathered_layer_by_layer() -> None:
    # Two layers of 8.03 x 10^9 / 32 weights in two bytes are whole at a time, and the words twice.
    words = 2 * 2 * word_parameters(LLAMA_3_8B)
    assert sharded(8).weights == pytest.approx(2 * 8.03e9 / 8 + 2 * 8.03e9 / 32 * 2 + words)
    assert sharded(1).weights == pytest.approx(2 * 8.03e9)


def test_shards_share_gradients_and_states_but_not_activations() -> None:
    one, eight = sharded(1), sharded(8)

    assert eight.gradients == pytest.approx(float(one.gradients) / 8)
    assert eight.optimizer == pytest.approx(float(one.optimizer) / 8)
    assert eight.activations == one.activations
    assert eight.reserve == one.reserve


def test_shards_of_several_instances_count_together() -> None:
    needs = decoder_training(model=replace(LLAMA_3_8B, parameters=55e9), max_instances=4)
    with_efa = replace(a100s(8), efa_supported=True, network_baseline_gbps=400)

    # 18 x 55 x 10^9 bytes are 115 GiB on each accelerator of one instance, 58 on each of two.
    chosen = layout(needs, with_efa)

    assert (chosen.instance_count, chosen.accelerator_count, chosen.sharded) == (2, 16, True)


def test_a_cnn_is_never_sharded() -> None:
    # 6 x 10^9 weights x 18 bytes are 101 GiB.
    needs = training(model=replace(RESNET_50, parameters=6e9))

    columns = training_columns(needs, a100s(8))

    assert not columns.fits[0]
    assert columns.smallest_memory(0).needed_gib > 80


def test_adapters_leave_gradients_and_states_of_the_frozen_weights_out() -> None:
    needs = decoder_training(model=LLAMA_3_8B, method="lora", lora_parameters=40e6)

    memory = memory_of(needs)

    assert memory.weights_gib * GIB == pytest.approx(2 * 8.03e9, rel=0.01)
    assert memory.gradients_gib * GIB == pytest.approx(4 * 40e6)
    assert memory.optimizer_gib * GIB == pytest.approx(12 * 40e6)
    assert memory.fits


def test_recomputation_keeps_the_input_of_each_layer_and_the_logits() -> None:
    model = replace(LLAMA_3_8B, vocabulary_size=100_000, intermediate_size=14_336)

    kept, all_of_it = (
        kept_bytes_per_example(model, 2048.0, recompute=recompute) for recompute in (True, False)
    )

    # Two bytes for each of 32 layers; 43 with a gated feed-forward part; fourteen for each of the words.
    assert kept == 2048 * (32 * 4096 * 2 + 14 * 100_000)
    assert all_of_it == 2048 * (32 * 4096 * 43 + 14 * 100_000)


def test_recomputation_needs_the_layer_at_work_or_the_logits_whichever_is_more() -> None:
    few_words = replace(LLAMA_3_8B, vocabulary_size=1_000, intermediate_size=14_336)

    assert kept_bytes_per_example(few_words, 2048.0, recompute=True) == 2048 * (32 * 4096 * 2 + 4096 * 43)


def test_an_encoder_that_predicts_words_keeps_their_scores() -> None:
    encoder = replace(LLAMA_3_8B, architecture=Architecture.ENCODER, vocabulary_size=30_000)
    without, with_words = (
        kept_bytes_per_example(encoder, 128.0, predicts_words=predicts) for predicts in (False, True)
    )

    assert with_words - without == pytest.approx(128 * 14 * 30_000)


def test_attention_that_is_not_fused_keeps_its_scores() -> None:
    fused, unfused = (
        kept_bytes_per_example(LLAMA_3_8B, 1024.0, fused_attention=fused) for fused in (True, False)
    )

    # 8 bytes for each of 32 layers, 64 heads of width 64 and 1,024 x 1,024 pairs.
    assert unfused - fused == pytest.approx(8 * 32 * 64 * 1024**2)


def test_a_tensor_parallel_group_shares_a_part_of_what_a_layer_keeps() -> None:
    alone, of_eight = (kept_bytes_per_example(LLAMA_3_8B, 1024.0, tensor_parallel=n) for n in (1.0, 8.0))

    # 10 of 34 bytes stay whole.
    assert 10 / 34 < of_eight / alone < 14 / 34


def test_states_may_be_spread_while_weights_and_gradients_are_not() -> None:
    spread, whole = sharded(1, kept_bytes=0.0, state_shards=4), sharded(1, kept_bytes=0.0)

    assert spread.optimizer == pytest.approx(float(whole.optimizer) / 4)
    assert (spread.weights, spread.gradients) == (whole.weights, whole.gradients)


def test_a_plain_feed_forward_part_keeps_less_than_a_gated_one() -> None:
    gated, plain = (
        kept_bytes_per_example(replace(LLAMA_3_8B, intermediate_size=size), 512.0)
        for size in (14_336, 4 * 4096)
    )

    assert plain < gated


def test_an_encoder_keeps_scores_that_grow_with_the_square_of_the_length() -> None:
    short, long = (kept_bytes_per_example(BERT_BASE, length) for length in (128.0, 512.0))

    # 34 bytes per layer and unit of width, 5 per head and pair of positions; no logits.
    assert short == 128 * 12 * (34 * 768 + 5 * 12 * 128)
    assert long > 4 * short


def test_values_of_single_precision_are_twice_as_large() -> None:
    half, single = (
        kept_bytes_per_example(replace(BERT_BASE, precision=precision), 128.0)
        for precision in (Precision.FP16, Precision.FP32)
    )

    assert single == 2 * half


def test_activations_of_a_cnn_grow_with_the_batch() -> None:
    needs = training(model=RESNET_50, batch_size_per_accelerator=64)

    # 11.1 million outputs of convolutions, their normalisations and half of that in masks, in two bytes.
    assert memory_of(needs).activations_gib * GIB == pytest.approx(64 * 11.1e6 * 2.5 * 2)


def test_activations_of_an_image_model_that_states_none_follow_from_its_operations() -> None:
    silent = replace(RESNET_50, activations_per_image=0.0)

    assert kept_bytes_per_example(silent, 0.0) == pytest.approx(
        2.5 * 2 * 8.2e9 / Architecture.CNN.traits.flops_per_activation
    )
    assert kept_bytes_per_example(replace(silent, architecture=Architecture.DIFFUSION), 0.0) > 0


SPEECH = ModelSpec(architecture=Architecture.RNN, parameters=45e6, layers=7, precision=Precision.BF16)


@pytest.mark.parametrize("model", [RECOMMENDER, SPEECH])
def test_what_is_no_transformer_keeps_what_its_own_work_writes(model: ModelSpec) -> None:
    written = forward_work(model).activations

    assert kept_bytes_per_example(replace(model, precision=Precision.BF16), 512.0) == 2.5 * 2 * written


def test_recomputation_is_taken_only_where_the_activations_do_not_fit() -> None:
    # A sequence of 1,000 tokens keeps 28 bytes for each of 10 x 1,000 values and 14 for each of 32,000 words: 0.7 GB.
    small, large = (
        layout(decoder_training(batch_size_per_accelerator=batch), a100s(1)) for batch in (8, 120)
    )

    assert not small.recompute
    assert large.recompute
    assert large.memory.fits


def test_a_cpu_trains_half_precision_models_in_fp32() -> None:
    needs = training(model=RESNET_50)

    assert states_bytes(memory_of(needs, cpu_instance())) == pytest.approx((4 + 4 + 8) * 25.6e6)
