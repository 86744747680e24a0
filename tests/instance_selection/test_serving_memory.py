from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sizewell.instance_selection import Architecture, EndpointRequirements, Engine, ModelSpec, Precision
from sizewell.instance_selection.estimation.generation import cache_bytes_per_token
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import (
    CONTEXT_BYTES,
    FRAGMENTATION,
    LLM_ENGINE_BYTES,
    ServingMemory,
    serving_memory,
    stored_bytes,
)
from tests.instance_selection.builders import (
    LLAMA_2_7B,
    LLAMA_3_8B,
    RECOMMENDER,
    RESNET_50,
    ROUND_DECODER,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    gpu_instance,
)


def serving(
    model: ModelSpec = LLAMA_3_8B, engine: Engine = Engine.LLM_ENGINE, **changes: Any
) -> ServingMemory:
    """Return the memory of one request of a hundred tokens in and out, alone on one accelerator."""
    defaults = {
        "on_accelerator": True,
        "tokens": 200.0,
        "input_tokens": 100.0,
        "sequences": 1.0,
        "degree": 1.0,
    }
    return serving_memory(model, engine, **(defaults | changes))


def layout_on(needs: EndpointRequirements, accelerators: int) -> tuple[int, int]:
    """Return the tensor-parallel degree, and the replicas of an instance."""
    found = endpoint_columns(needs, gpu_instance(accelerator_count=accelerators)).layout
    return int(found.degree[0]), int(found.replicas[0])


def test_weights_of_llama_3_8b_are_16_06_gb_in_bf16() -> None:
    assert serving().weights == pytest.approx(16.06e9 * FRAGMENTATION)


@pytest.mark.parametrize(
    ("precision", "gigabytes"),
    # Of 8.03 x 10^9 weights 0.5253 x 10^9 are look-up tables, which stay in two bytes.
    [
        (Precision.FP32, 32.12),
        (Precision.FP16, 16.06),
        (Precision.FP8, 7.5047 + 1.0506),
        (Precision.INT8, 7.5047 + 1.0506),
        (Precision.INT4, 7.5047 * 0.57 + 1.0506),
    ],
)
def test_weights_take_the_bytes_of_the_precision(precision: Precision, gigabytes: float) -> None:
    assert stored_bytes(replace(LLAMA_3_8B, precision=precision)) == pytest.approx(gigabytes * 1e9)


def test_tables_of_a_small_quantized_model_are_at_most_half_of_it() -> None:
    tiny = replace(LLAMA_3_8B, parameters=1e8, embedding_parameters=1e8, precision=Precision.INT8)

    assert stored_bytes(tiny) == 0.5e8 * 2 + 0.5e8 * 1


def test_an_image_model_is_quantized_whole() -> None:
    assert stored_bytes(replace(RESNET_50, precision=Precision.INT8)) == 25.6e6


def test_kv_cache_of_llama_3_8b_takes_131_072_bytes_per_token() -> None:
    # Key and value, 32 layers, 8 heads of 128, two bytes.
    assert cache_bytes_per_token(LLAMA_3_8B, 32, 4096) == 2 * 32 * 8 * 128 * 2 == 131_072


def test_kv_cache_is_four_times_that_where_every_head_has_its_own_keys() -> None:
    assert cache_bytes_per_token(LLAMA_2_7B, 32, 4096) == 4 * 131_072
    assert cache_bytes_per_token(replace(LLAMA_2_7B, kv_hidden_size=0), 32, 4096) == 4 * 131_072


@pytest.mark.parametrize(
    ("precision", "bytes_per_token"),
    [
        (Precision.FP32, 262_144),
        (Precision.INT8, 131_072),
        (Precision.INT4, 131_072),
        (Precision.FP8, 65_536),
    ],
)
def test_kv_cache_stays_in_two_bytes_when_weights_have_fewer_but_for_fp8(
    precision: Precision, bytes_per_token: int
) -> None:
    assert cache_bytes_per_token(replace(LLAMA_3_8B, precision=precision), 32, 4096) == bytes_per_token


def test_kv_cache_grows_with_both_input_and_output_and_with_each_sequence() -> None:
    memory = serving(tokens=2048.0, sequences=np.array([1.0, 16.0]))

    # 2,048 tokens x 131,072 bytes are 0.25 GiB a sequence.
    assert np.asarray(memory.cache) / GIB / FRAGMENTATION == pytest.approx([0.25, 16 * 0.25])


@pytest.mark.parametrize(
    ("engine", "times"),
    [(Engine.LLM_ENGINE, 1), (Engine.OPTIMIZED_RUNTIME, 1.5), (Engine.COMPILED, 2), (Engine.EAGER, 4)],
)
def test_an_engine_that_does_not_page_its_cache_holds_more_of_it(engine: Engine, times: float) -> None:
    assert serving(engine=engine).cache == pytest.approx(times * float(serving().cache))


def test_a_measured_overhead_of_the_cache_replaces_that_of_the_engine() -> None:
    assert serving(engine=Engine.EAGER, cache_overhead=1.0).cache == serving().cache


def test_a_tensor_parallel_group_shares_weights_and_kv_cache_but_not_the_context() -> None:
    alone, shared = serving(sequences=8.0), serving(sequences=8.0, degree=4.0)

    assert shared.weights == pytest.approx(float(alone.weights) / 4)
    assert shared.cache == pytest.approx(float(alone.cache) / 4)
    assert shared.reserve == alone.reserve == CONTEXT_BYTES + LLM_ENGINE_BYTES


def test_only_an_llm_engine_keeps_its_reserve_and_only_accelerators_have_a_context() -> None:
    assert serving(engine=Engine.EAGER).reserve == CONTEXT_BYTES
    assert serving(engine=Engine.EAGER, on_accelerator=False).reserve == 0


def test_activations_of_a_cnn_grow_with_the_images_of_a_request() -> None:
    memory = serving(RESNET_50, Engine.EAGER, tokens=0.0, input_tokens=0.0, sequences=32.0)

    # Half of 11.1 million values x 2 bytes x 32 images is alive at a time.
    assert memory.activations == pytest.approx(355.2e6 * FRAGMENTATION)
    assert memory.cache == 0


def test_guidance_computes_each_step_of_a_diffusion_twice() -> None:
    model = replace(RESNET_50, architecture=Architecture.DIFFUSION)
    with_guidance, without = (
        serving(replace(model, guidance=guidance)).activations for guidance in (True, False)
    )

    assert with_guidance == 2 * float(without) > 0


def test_look_up_tables_of_a_recommender_stay_in_host_memory() -> None:
    on_gpu, on_cpu = (
        serving(RECOMMENDER, Engine.EAGER, on_accelerator=where).weights for where in (True, False)
    )

    assert float(on_gpu) == pytest.approx(0.1e9 * 4 * FRAGMENTATION)
    assert float(on_cpu) == pytest.approx(10.1e9 * 4 * FRAGMENTATION)


def test_a_processor_without_half_precision_holds_values_of_twice_the_size() -> None:
    # The catalog sorts: the CPU comes first.
    columns = endpoint_columns(decoder_endpoint(), cpu_instance(), gpu_instance())
    on_cpu, on_gpu = np.asarray(columns.memory.of_device().weights)

    assert on_cpu == 2 * on_gpu


def test_the_parts_add_up_to_what_is_needed() -> None:
    memory = serving(sequences=4.0)

    assert memory.total == float(memory.weights) + float(memory.cache) + float(memory.activations) + float(
        memory.reserve
    )


@pytest.mark.parametrize(
    ("parameters", "degree"),
    # 18.4 GiB are usable, 2.1 reserved: 16.3 GiB of weights in two bytes with 5 % on top are 8.33 x 10^9.
    [(1e9, 1), (8.3e9, 1), (8.4e9, 2), (16.6e9, 2), (16.8e9, 4), (33.2e9, 4), (33.6e9, 8), (66.4e9, 8)],
)
@pytest.mark.usefixtures("half_of_peak")
def test_the_tensor_parallel_degree_is_the_least_power_of_two_that_fits(
    parameters: float, degree: int
) -> None:
    # A bound that no request meets leaves the least degree.
    needs = decoder_endpoint(
        model=replace(ROUND_DECODER, parameters=parameters),
        input_tokens=1,
        output_tokens=1,
        max_p95_latency_ms=0.001,
    )

    assert layout_on(needs, 8)[0] == degree


@pytest.mark.usefixtures("half_of_peak")
def test_a_degree_is_never_more_than_there_are_accelerators_nor_anything_but_one_that_engines_know() -> None:
    too_large = decoder_endpoint(model=replace(ROUND_DECODER, parameters=1e12))

    assert [layout_on(too_large, count)[0] for count in (1, 2, 4, 6, 8, 12, 16)] == [1, 2, 4, 4, 8, 8, 16]


@pytest.mark.usefixtures("half_of_peak")
def test_accelerators_that_are_left_over_serve_as_replicas() -> None:
    needs = decoder_endpoint(model=replace(ROUND_DECODER, parameters=10e9), max_p95_latency_ms=20_000)
    degree, replicas = layout_on(needs, 8)

    assert degree >= 2
    assert degree * replicas == 8


def test_only_decoders_are_split_over_accelerators() -> None:
    needs = endpoint(model=replace(RESNET_50, parameters=10e9))

    assert layout_on(needs, 8) == (1, 8)
