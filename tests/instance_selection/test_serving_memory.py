from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sizewell.config.ml_model import PresetModel
from sizewell.instance_selection import (
    Architecture,
    Catalog,
    EndpointRequirements,
    Engine,
    HardwareKind,
    ModelSpec,
    Precision,
)
from sizewell.instance_selection.endpoint_selection import endpoint_verdicts
from sizewell.instance_selection.estimation.generation import cache_bytes_per_token
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import (
    BLOCK_VALUES,
    COMMUNICATION_BYTES,
    CONTEXT_BYTES,
    DECODED_VALUES_PER_PIXEL,
    DENOISER_ALIVE_SHARE,
    ENGINES,
    FRAGMENTATION,
    NEURON_GRAPH_COPIES,
    PCIE_COMMUNICATION_BYTES,
    SAMPLING_BYTES,
    SCORE_BYTES,
    ServingMemory,
    host_bytes,
    serving_memory,
    stored_bytes,
)
from sizewell.instance_selection.estimation.work import image_work
from sizewell.planning.model_spec import model_spec
from tests.instance_selection.builders import (
    LLAMA_2_7B,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    RECOMMENDER,
    RESNET_50,
    ROUND_DECODER,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    gpu_instance,
)

CARD = 20 * GIB


def serving(
    model: ModelSpec = LLAMA_3_8B, engine: Engine = Engine.LLM_ENGINE, **changes: Any
) -> ServingMemory:
    """Return the memory of one request of a hundred tokens in and out, alone on one accelerator."""
    defaults: dict[str, Any] = {
        "kinds": "cuda",
        "links": "nvlink",
        "device_bytes": CARD,
        "tokens": 200.0,
        "input_tokens": 100.0,
        "sequences": 1.0,
        "degree": 1.0,
    }
    return serving_memory(model, ENGINES[engine], **(defaults | changes))


def layout_on(needs: EndpointRequirements, accelerators: int) -> tuple[int, int]:
    """Return the tensor-parallel degree, and the replicas of an instance."""
    found = endpoint_columns(needs, gpu_instance(accelerator_count=accelerators)).layout
    return int(found.degree[0]), int(found.replicas[0])


def test_weights_of_llama_3_8b_are_16_06_gb_in_bf16() -> None:
    assert serving().weights == pytest.approx(16.06e9)


@pytest.mark.parametrize(
    ("precision", "gigabytes"),
    # Of 8.03 x 10^9 weights 2 x 0.5253 x 10^9 are those of words, read and scored, which stay in two bytes.
    [
        (Precision.FP32, 32.12),
        (Precision.FP16, 16.06),
        (Precision.FP8, 6.9793 + 2.1013),
        (Precision.INT8, 6.9793 + 2.1013),
        (Precision.INT4, 6.9793 * 0.57 + 2.1013),
    ],
)
def test_weights_take_the_bytes_of_the_precision(precision: Precision, gigabytes: float) -> None:
    assert stored_bytes(replace(LLAMA_3_8B, precision=precision)) == pytest.approx(gigabytes * 1e9, rel=1e-4)


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
        (Precision.TF32, 262_144),
        (Precision.INT8, 131_072),
        (Precision.INT4, 131_072),
        (Precision.FP8, 131_072),
    ],
)
def test_kv_cache_stays_in_two_bytes_when_weights_have_fewer(
    precision: Precision, bytes_per_token: int
) -> None:
    assert cache_bytes_per_token(replace(LLAMA_3_8B, precision=precision), 32, 4096) == bytes_per_token


def test_kv_cache_grows_with_both_input_and_output_and_with_each_sequence() -> None:
    memory = serving(tokens=2048.0, sequences=np.array([1.0, 16.0]))

    # 2,048 tokens x 131,072 bytes are 0.25 GiB a sequence.
    assert np.asarray(memory.cache) / GIB == pytest.approx([0.25, 16 * 0.25])


def test_a_paged_cache_grows_by_blocks_of_16_tokens_and_eager_holds_the_last_one_as_well() -> None:
    paged, static, eager = (
        float(serving(engine=engine, tokens=201.0).cache)
        for engine in (Engine.LLM_ENGINE, Engine.OPTIMIZED_RUNTIME, Engine.EAGER)
    )

    assert paged == 208 * 131_072
    assert static == 201 * 131_072
    assert eager == pytest.approx(2 * static * FRAGMENTATION)


def test_an_llm_engine_reserves_for_its_budget_of_tokens_and_not_for_a_prompt() -> None:
    """Llama 3 8B on an H100: vLLM profiles 1.26 GiB (vLLM, pull request 10511), and the same of a short prompt."""
    model = replace(LLAMA_3_8B, vocabulary_size=128_256, intermediate_size=14_336)
    short, long = (float(serving(model, input_tokens=tokens).activations) for tokens in (10.0, 80_000.0))

    assert short == long == 256 * SAMPLING_BYTES * 128_256
    assert short / GIB == pytest.approx(1.26, rel=0.01)


@pytest.mark.parametrize(("tokens", "gib"), [(20_000.0, 2.07), (29_000.0, 2.99)])
def test_an_engine_that_reads_prompts_whole_reserves_for_the_longest(tokens: float, gib: float) -> None:
    """Llama 3.1 8B on an RTX 3090: what vLLM 0.6.4 profiled (vLLM, issue 10517)."""
    model = replace(LLAMA_3_8B, vocabulary_size=128_256, intermediate_size=14_336)
    whole = replace(ENGINES[Engine.LLM_ENGINE], reads_in_pieces=False)
    defaults: dict[str, Any] = {"device_bytes": CARD, "sequences": 1.0, "degree": 1.0}

    memory = serving_memory(
        model, whole, kinds="cuda", links="pcie", tokens=tokens, input_tokens=tokens, **defaults
    )

    assert float(memory.activations) / GIB == pytest.approx(gib, rel=0.01)


def test_a_large_card_takes_longer_steps() -> None:
    # A narrow vocabulary, so that tokens decide and not their sampling.
    model = replace(LLAMA_2_7B, vocabulary_size=1_000, intermediate_size=11_008)
    per_token = (3 * 11_008 + BLOCK_VALUES * 4096) * 2
    l40s, a100 = (float(serving(model, device_bytes=gib * GIB * 0.92).activations) for gib in (44.7, 80.0))

    assert (l40s, a100) == pytest.approx((4096 * per_token, 8192 * per_token))


def test_a_neuron_graph_has_no_budget_of_tokens_and_neither_pool_nor_reserve_of_an_engine() -> None:
    memory = serving(LLAMA_2_7B, kinds="neuron", input_tokens=100.0, degree=2.0)

    assert memory.reserve == CONTEXT_BYTES
    block = (3 * 4 * 4096 / 2 + BLOCK_VALUES * 4096) * 2
    assert float(memory.activations) == pytest.approx(max(100 * block, 256 * SAMPLING_BYTES * 32_000))
    narrow = replace(LLAMA_2_7B, vocabulary_size=100)
    on_neuron, on_gpu = (
        float(serving(narrow, kinds=kind, input_tokens=100.0).activations) for kind in ("neuron", "cuda")
    )
    assert on_gpu / on_neuron > 10


def test_keys_and_values_of_fp8_weights_stay_in_half_precision() -> None:
    assert serving(replace(LLAMA_3_8B, precision=Precision.FP8)).cache == serving().cache


def test_without_a_budget_every_position_of_every_prompt_is_scored() -> None:
    model = replace(LLAMA_3_8B, vocabulary_size=128_256)

    memory = serving(model, Engine.COMPILED, input_tokens=100.0, sequences=8.0)

    # Half precision and fp32.
    assert memory.activations == 8 * 100 * 128_256 * 6

    last_only = serving(model, Engine.OPTIMIZED_RUNTIME, input_tokens=1.0, sequences=8.0)
    assert last_only.activations == 8 * 128_256 * SAMPLING_BYTES


def test_scores_of_attention_grow_with_the_square_of_the_prompt_unless_they_are_fused() -> None:
    def activations(engine: Engine, tokens: float) -> float:
        return float(serving(LLAMA_2_7B, engine, input_tokens=tokens).activations)

    # 64 heads of 64.
    scores = 64 * 16_000**2 * SCORE_BYTES
    kept, fused = (activations(engine, 16_000.0) for engine in (Engine.OPTIMIZED_RUNTIME, Engine.LLM_ENGINE))
    assert kept == pytest.approx(scores + 16_000 * (3 * 4 + BLOCK_VALUES) * 4096 * 2)
    assert fused < scores / 100
    # Transformers takes fused attention where PyTorch has it; it scores all words of the prompt.
    assert activations(Engine.EAGER, 16_000.0) == pytest.approx(
        FRAGMENTATION * 16_000 * max((3 * 4 + BLOCK_VALUES) * 4096 * 2, 6 * 32_000)
    )


def test_a_mixture_keeps_the_values_of_all_experts_of_a_token() -> None:
    def activations(**changes: Any) -> float:
        return float(serving(replace(MIXTRAL_8X7B, vocabulary_size=32_000, **changes)).activations)

    sparse, dense = activations(), activations(active_parameters=None, intermediate_size=14_336)

    assert 1.3 * dense < sparse < 3 * dense


def test_a_tensor_parallel_group_shares_weights_and_kv_cache_but_not_what_each_device_reserves() -> None:
    alone, shared = serving(sequences=8.0), serving(sequences=8.0, degree=4.0)

    assert shared.weights == pytest.approx(float(alone.weights) / 4)
    assert shared.cache == pytest.approx(float(alone.cache) / 4)
    assert shared.reserve == pytest.approx(float(alone.reserve) + COMMUNICATION_BYTES)
    over_pcie = serving(sequences=8.0, degree=4.0, links="pcie")
    assert over_pcie.reserve == pytest.approx(float(alone.reserve) + PCIE_COMMUNICATION_BYTES)
    assert serving(links="pcie").reserve == alone.reserve


def test_tables_of_words_lie_on_each_device_of_a_group_unless_the_engine_splits_them() -> None:
    eager, split = (float(serving(engine=e, degree=4.0).weights) for e in (Engine.EAGER, Engine.LLM_ENGINE))

    # 0.5253 x 10^9 words in two bytes, three quarters of which the others hold.
    assert eager - split == pytest.approx(0.75 * 2 * 0.5253e9, rel=1e-3)


def test_a_cache_that_is_brought_back_to_one_device_is_whole_there() -> None:
    assert serving(degree=4.0, cache_degree=1.0).cache == serving().cache


def test_an_llm_engine_leaves_a_tenth_of_the_card_and_only_accelerators_have_a_context() -> None:
    # 20 GiB are usable of 21.7, of which CUDA reports 21.4: 0.9 of these are 19.3.
    assert serving().reserve == pytest.approx(CONTEXT_BYTES + (20 - 20 / 0.92 * 0.985 * 0.9) * GIB)
    assert serving(engine=Engine.EAGER).reserve == CONTEXT_BYTES
    assert serving(engine=Engine.EAGER, kinds="cpu").reserve == 0
    assert serving(kinds="cpu").reserve == 0


def test_activations_of_a_cnn_grow_with_the_images_of_a_request() -> None:
    memory = serving(RESNET_50, Engine.EAGER, tokens=0.0, input_tokens=0.0, sequences=32.0)

    # Half of 11.1 million values x 2 bytes x 32 images is alive at a time, and what the allocator cannot hand out.
    assert memory.activations == pytest.approx(355.2e6 * FRAGMENTATION)
    assert memory.cache == 0


def drawn(images: float = 1.0, **changes: Any) -> float:
    """Return what images take beside the weights; their steps write 10^10 values, their pixels are few."""
    model = replace(
        RESNET_50, architecture=Architecture.DIFFUSION, activations_per_image=1e10, image_pixels=100
    )
    return float(serving(replace(model, **changes), Engine.COMPILED, sequences=images).activations)


def test_guidance_computes_each_step_of_a_diffusion_twice() -> None:
    assert drawn() == 2 * drawn(guidance=False) == DENOISER_ALIVE_SHARE * 1e10 * 2 * 2


def test_an_image_is_decoded_after_its_steps() -> None:
    steps, pixels = drawn(), 1024 * 1024
    decoded = DECODED_VALUES_PER_PIXEL * pixels * 4

    assert drawn(image_pixels=pixels) == max(steps, decoded)
    assert drawn(image_pixels=pixels, activations_per_image=1.0) == decoded
    assert drawn(image_pixels=pixels, activations_per_image=1.0, precision=Precision.BF16) == decoded / 2
    assert drawn(4.0, image_pixels=4 * pixels, activations_per_image=1.0) == 16 * decoded
    # One of which no size is stated is as large as new models draw.
    assert drawn(image_pixels=0, activations_per_image=1.0) == decoded


@pytest.mark.parametrize(
    ("preset", "precision", "images", "gib"),
    # huggingface.co/blog/simple_sdxl_optimizations; huggingface.co/blog/quanto-diffusers; 33 GB of weights of FLUX.1-schnell and
    # what is drawn beside them (huggingface.co/black-forest-labs/FLUX.1-schnell/discussions/5).
    [
        ("sdxl", "fp16", 4, (21.7, 26)),
        ("sdxl", "fp32", 4, (28.1, 33)),
        ("sd-3-medium", "fp16", 1, (18.8, 22)),
        ("flux.1-schnell", "bf16", 1, (33, 40)),
    ],
)
def test_the_bound_of_a_published_pipeline_is_little_more_than_what_was_measured(
    preset: str, precision: str, images: int, gib: tuple[float, float]
) -> None:
    model = model_spec(PresetModel.model_validate({"preset": preset, "precision": precision}))

    needed_gb = float(serving(model, Engine.EAGER, sequences=float(images)).total) / 1e9

    assert gib[0] < needed_gb < gib[1]


def test_a_graph_of_neuron_passes_through_its_host_in_several_copies_and_a_decoder_in_one() -> None:
    diffusion = replace(RESNET_50, architecture=Architecture.DIFFUSION)

    assert host_bytes(diffusion, ["cuda", "neuron"]).tolist() == [
        stored_bytes(diffusion),
        NEURON_GRAPH_COPIES * stored_bytes(diffusion),
    ]
    assert host_bytes(LLAMA_2_7B, "neuron") == stored_bytes(LLAMA_2_7B)


def test_sdxl_is_too_large_for_the_host_of_the_smallest_inferentia2(real_catalog: Catalog) -> None:
    """aws-neuron-sdk, issue 753."""
    sdxl = model_spec(PresetModel.model_validate({"preset": "sdxl", "precision": "bf16"}))
    needs = endpoint(model=sdxl, engine=Engine.COMPILED, max_p95_latency_ms=60_000, images_per_request=1)
    needs = replace(needs, limits=replace(needs.limits, images=frozenset({HardwareKind.NEURON})))

    verdicts = endpoint_verdicts(needs, real_catalog, ["ml.inf2.xlarge", "ml.inf2.8xlarge"])
    small, large = verdicts["ml.inf2.xlarge"], verdicts["ml.inf2.8xlarge"]

    assert small is not None
    assert small.filter == "host-memory"
    assert large is None or large.filter != "host-memory"


@pytest.mark.parametrize("architecture", [Architecture.CNN, Architecture.DIFFUSION])
def test_an_image_model_of_which_nothing_is_stated_needs_what_its_work_assumes(
    architecture: Architecture,
) -> None:
    silent = replace(
        RESNET_50, architecture=architecture, activations_per_image=0.0, forward_flops_per_image=0.0
    )
    assumed = replace(silent, activations_per_image=float(image_work(silent).activations))

    assert serving(silent).activations == serving(assumed).activations > 0


def test_look_up_tables_of_a_recommender_stay_in_host_memory() -> None:
    on_gpu, on_cpu = (serving(RECOMMENDER, Engine.EAGER, kinds=kind).weights for kind in ("cuda", "cpu"))

    assert float(on_gpu) == pytest.approx(0.1e9 * 4)
    assert float(on_cpu) == pytest.approx(10.1e9 * 4)


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
    # 18.4 GiB are usable, 1.2 reserved, 0.3 for sampling: 16.9 GiB of weights in two bytes are 9.05 x 10^9. A group keeps
    # another 1.8 for its communication: 8.12 x 10^9 on each.
    [(1e9, 1), (9.0e9, 1), (9.1e9, 2), (16.1e9, 2), (16.3e9, 4), (32.4e9, 4), (32.5e9, 8), (64.6e9, 8)],
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
