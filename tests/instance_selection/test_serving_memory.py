from dataclasses import replace

import pytest

from instance_selection import EndpointRequirements, Engine, Precision
from instance_selection.catalog import InstanceType
from instance_selection.endpoint_evaluation import EndpointEvaluation
from instance_selection.estimation.hardware import GIB, Processor, processor
from instance_selection.estimation.serving_memory import (
    CONTEXT_BYTES,
    FRAGMENTATION,
    LLM_ENGINE_RESERVE_BYTES,
    estimate_serving_memory,
    kv_cache_bytes_per_token,
)
from tests.instance_selection.builders import (
    LLAMA_2_7B,
    LLAMA_3_8B,
    RESNET_50,
    ROUND_DECODER,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
)


def described(instance_type: InstanceType, precision: Precision) -> Processor:
    found = processor(instance_type, precision)
    assert isinstance(found, Processor), found
    return found


def degree_on(needs: EndpointRequirements, accelerators: int) -> int:
    return EndpointEvaluation(needs, gpu_instance(accelerator_count=accelerators)).degree


def test_weights_of_llama_3_8b_are_16_06_gb_in_bf16() -> None:
    memory = estimate_serving_memory(
        decoder_endpoint(model=LLAMA_3_8B), described(gpu_instance(), Precision.BF16), 1, 1
    )

    assert memory.weights_gib * GIB / FRAGMENTATION == pytest.approx(16.06e9)


@pytest.mark.parametrize(
    ("precision", "gigabytes"),
    [(Precision.FP32, 32.12), (Precision.FP16, 16.06), (Precision.FP8, 8.03), (Precision.INT8, 8.03)],
)
def test_weights_take_the_bytes_of_the_precision(precision: Precision, gigabytes: float) -> None:
    chip = replace(described(gpu_instance(), Precision.BF16), precision=precision)
    needs = decoder_endpoint(model=replace(LLAMA_3_8B, precision=precision))

    memory = estimate_serving_memory(needs, chip, 1, 1)

    assert memory.weights_gib * GIB / FRAGMENTATION == pytest.approx(gigabytes * 1e9)


def test_kv_cache_of_llama_3_8b_takes_131_072_bytes_per_token() -> None:
    # Key and value, 32 layers, 8 heads of 128, two bytes.
    assert kv_cache_bytes_per_token(LLAMA_3_8B, Precision.BF16) == 2 * 32 * 8 * 128 * 2 == 131_072


def test_kv_cache_is_four_times_that_where_every_head_has_its_own_keys() -> None:
    assert kv_cache_bytes_per_token(LLAMA_2_7B, Precision.FP16) == 4 * 131_072


@pytest.mark.parametrize(
    ("precision", "bytes_per_token"),
    [(Precision.FP32, 262_144), (Precision.INT8, 131_072), (Precision.FP8, 131_072)],
)
def test_kv_cache_stays_in_two_bytes_when_weights_have_one(
    precision: Precision, bytes_per_token: int
) -> None:
    assert kv_cache_bytes_per_token(LLAMA_3_8B, precision) == bytes_per_token


def test_kv_cache_grows_with_both_input_and_output_and_with_each_sequence() -> None:
    needs = decoder_endpoint(model=LLAMA_3_8B, input_tokens=1500, output_tokens=548)

    memory = estimate_serving_memory(needs, described(gpu_instance(), Precision.BF16), 1, 16)

    # 2,048 tokens x 131,072 bytes are 0.25 GiB a sequence.
    assert memory.kv_cache_gib / FRAGMENTATION == pytest.approx(16 * 0.25)


def test_a_tensor_parallel_group_shares_weights_and_kv_cache_but_not_the_context() -> None:
    chip = described(gpu_instance(accelerator_count=4), Precision.BF16)
    needs = decoder_endpoint(model=LLAMA_3_8B)

    alone, shared = (estimate_serving_memory(needs, chip, degree, 8) for degree in (1, 4))

    assert shared.weights_gib == pytest.approx(alone.weights_gib / 4)
    assert shared.kv_cache_gib == pytest.approx(alone.kv_cache_gib / 4)
    assert shared.reserve_gib == alone.reserve_gib == (CONTEXT_BYTES + LLM_ENGINE_RESERVE_BYTES) / GIB


def test_only_an_llm_engine_keeps_its_reserve_and_only_accelerators_have_a_context() -> None:
    eager = decoder_endpoint(engine=Engine.EAGER)
    on_gpu = estimate_serving_memory(eager, described(gpu_instance(), Precision.BF16), 1, 1)
    on_cpu = estimate_serving_memory(eager, described(cpu_instance(), Precision.BF16), 1, 1)

    assert on_gpu.reserve_gib == CONTEXT_BYTES / GIB
    assert on_cpu.reserve_gib == 0


def test_activations_of_a_cnn_grow_with_the_images_of_a_request() -> None:
    chip = described(gpu_instance(), Precision.FP16)
    memory = estimate_serving_memory(endpoint(model=RESNET_50, images_per_request=32), chip, 1, 1)

    # 11.1 million values x 2 bytes x 32 images.
    assert memory.activations_gib * GIB / FRAGMENTATION == pytest.approx(710.4e6)
    assert memory.kv_cache_gib == 0


def test_the_parts_add_up_to_what_is_needed() -> None:
    memory = estimate_serving_memory(decoder_endpoint(), described(gpu_instance(), Precision.BF16), 1, 4)

    assert memory.needed_gib == pytest.approx(
        memory.weights_gib + memory.kv_cache_gib + memory.activations_gib + memory.reserve_gib
    )
    assert memory.usable_gib == pytest.approx(20 * 0.92)


@pytest.mark.parametrize(
    ("parameters", "degree"),
    # 18.4 GiB are usable, 1.8 reserved: 16.6 GiB of weights in two bytes with 5 % on top are 8.5 x 10^9.
    [(1e9, 1), (8.4e9, 1), (8.6e9, 2), (16.8e9, 2), (17.2e9, 4), (33.6e9, 4), (34.4e9, 8), (67.2e9, 8)],
)
def test_the_tensor_parallel_degree_is_the_least_power_of_two_that_fits(
    parameters: float, degree: int
) -> None:
    needs = decoder_endpoint(
        model=replace(ROUND_DECODER, parameters=parameters), input_tokens=1, output_tokens=1
    )

    assert degree_on(needs, 8) == degree


def test_a_degree_is_never_more_than_there_are_accelerators_nor_anything_but_a_power_of_two() -> None:
    too_large = decoder_endpoint(model=replace(ROUND_DECODER, parameters=1e12))

    assert [degree_on(too_large, count) for count in (1, 2, 4, 6, 8, 12, 16)] == [1, 2, 4, 4, 8, 8, 16]


def test_accelerators_that_are_left_over_serve_as_replicas() -> None:
    needs = decoder_endpoint(model=replace(ROUND_DECODER, parameters=10e9))
    evaluation = EndpointEvaluation(needs, gpu_instance(accelerator_count=8))

    assert (evaluation.degree, evaluation.replicas) == (2, 4)


def test_only_decoders_are_split_over_accelerators() -> None:
    needs = endpoint(model=replace(RESNET_50, parameters=10e9))
    evaluation = EndpointEvaluation(needs, gpu_instance(accelerator_count=8))

    assert (evaluation.degree, evaluation.replicas) == (1, 8)
