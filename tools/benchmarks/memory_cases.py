"""Predictions of rows that say how much memory was used, or whether it was enough.

The functions are those of the product. A row that does not say how long, or how many, is asked whether it fits at all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation import memory as serving
from sizewell.instance_selection.estimation.boosting_memory import gpu_training_bytes, host_table_bytes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.memory import (
    CONTEXT_BYTES,
    EngineMemory,
    host_bytes,
    serving_memory,
    stored_bytes,
)
from sizewell.instance_selection.estimation.training_memory import (
    GRADIENT_BYTES,
    gathered_bytes,
    kept_bytes_per_example,
    training_memory,
)
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.presets import find_preset
from sizewell.instance_selection.requirements import Architecture, Engine, ModelSpec, Precision
from tools.benchmarks.boosting_cases import table_of
from tools.benchmarks.measurements import Case
from tools.benchmarks.training_cases import device_batches

ENGINES = {
    "llm-engine": Engine.LLM_ENGINE,
    "eager": Engine.EAGER,
    "compiled": Engine.COMPILED,
    "optimized": Engine.OPTIMIZED_RUNTIME,
    "neuron": Engine.LLM_ENGINE,
}
#: Words in the name of a framework that is made for decoders and keeps no pool of cache for requests that come and go,
#: and what it is to memory: kernels inside of Transformers' own loop, a compiled graph, or buffers for the batch that it
#: is started with.
STATIC = {
    "deepspeed-inference": Engine.EAGER,
    "exllama": Engine.EAGER,
    "gpt-fast": Engine.COMPILED,
    "fastertransformer": Engine.OPTIMIZED_RUNTIME,
    "tensorrt-llm-0.1.": Engine.LLM_ENGINE,
    "llama.cpp": Engine.OPTIMIZED_RUNTIME,
}
#: ExLlama by itself: a cache of fixed size.
EXLLAMA = "exllama"
#: Tokens of a prompt that are read at a time (ExLlamaConfig: max_input_len, and no larger a square of positions; llama.cpp:
#: --ubatch-size).
PIECES: Mapping[str, float] = {"exllama": 2048.0, "llama.cpp": 512.0}
#: vLLM read prompts whole before version 1, the default since 0.8; from 0.5.4 on, only those up to this length (release notes).
WHOLE_PROMPTS = re.compile(r"^vllm-v?0\.(\d+)(?:\.(\d+))?\b")
WHOLE_PROMPT_TOKENS = 32_768.0
#: Scores of diffusers before attention was fused: of each pair of positions of the largest layer in each of 8 heads, where a
#: position stands for 8 x 8 pixels; the product, its scaled copy, and the softmax (UNet2DConditionModel of Stable Diffusion).
UNFUSED_HEADS, UNFUSED_COPIES, PIXELS_PER_POSITION = 8.0, 3.0, 64.0
#: Tokens of a prompt and an answer, and of a training example, that are not stated.
DEFAULT_INPUT, DEFAULT_OUTPUT, DEFAULT_TRAINED = 64.0, 128.0, 512.0
#: A control branch is a copy of the encoder of the network (Zhang et al. 2023, ControlNet; its published weights).
CONTROL_BRANCH, CONTROL_WEIGHTS = 1.35, 0.36e9
#: Rank of adapters where none is stated (PEFT, LoraConfig), and what they add to the weights of a block for each unit of
#: rank, on all projections: (8 h + 3 (h + 2.7 h)) / 12 h^2 (Hu et al. 2021, LoRA, section 4.1, for the shape of Llama 2).
DEFAULT_RANK, WEIGHTS_PER_RANK = 8.0, 1.6
#: Bytes of an adapter's weight and its two moments, in fp32 (PEFT, autocast_adapter_dtype), and of the states of all others.
ADAPTER_STATE_BYTES, STATE_BYTES = 12.0, 12.0
#: Layers that sharding holds whole in serving: the one at work, and the next one, which DeepSpeed gathers into a buffer and
#: copies from there (partition_parameters.py, AllGatherCoalescedHandle).
STREAMED_LAYERS = 3.0
#: Buckets of gradients and weights on their way, at DeepSpeed's own size of 5e8 values and with overlap_comm (documentation of
#: Transformers, "DeepSpeed", ZeRO-2: 4.5 times both buckets).
ZERO2_BUCKET_BYTES = 9e9
#: Frameworks whose tables show what the allocator handed out, without the context of the driver.
ALLOCATED_ONLY = ("litgpt", "transformers", "exllama", "none")


class MemoryCases:
    """Rows of ``fits_memory`` (1 or 0) and ``peak_mem_mb`` (10^6 bytes on the fullest device)."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    def predict(self) -> tuple[Array, Array]:
        """Return the metric of each row, and the GiB that the fullest device needs."""
        needed = np.array([_training_bytes(c) if c.training else _serving_bytes(c) for c in self.cases])
        usable = np.array([_usable_bytes(c) if _host_holds(c) else 0.0 for c in self.cases])
        shown = np.array([CONTEXT_BYTES if _shows_allocator(c) else 0.0 for c in self.cases])
        fits = np.array([c.metric == "fits_memory" for c in self.cases])
        values = np.where(fits, (needed <= usable).astype(float), (needed - shown) / 1e6)
        return values, needed / GIB


def _shows_allocator(case: Case) -> bool:
    return case.framework in ALLOCATED_ONLY or case.allocated_only


def _usable_bytes(case: Case) -> float:
    return case.chip.memory_bytes * USABLE_ACCELERATOR_SHARE


@cache
def _hosts() -> Mapping[str, float]:
    return {t.name.removeprefix("ml."): t.memory_gib * GIB for t in load_catalog("us-east-1").instance_types}


def _host_holds(case: Case) -> bool:
    """Return whether the host holds what passes through its memory; one of which nothing is said does."""
    host = _hosts().get(case.instance_type.removeprefix("ml."))
    if host is None or case.chip.kind == "cpu":
        return True
    model = case.model
    if model.architecture is Architecture.GRADIENT_BOOSTING:
        rows, features, _, _ = table_of(case)
        needed = host_table_bytes(rows=rows, features=features)
    else:
        needed = 0.0 if case.training else float(host_bytes(model, case.chip.kind))
    return needed <= host * USABLE_HOST_SHARE


def _rules(case: Case, engine: Engine) -> EngineMemory:
    """Return what the engine of a row makes of memory, which its version may say."""
    rules, version = serving.ENGINES[engine], WHOLE_PROMPTS.match(case.library)
    if version is not None and int(version[1]) < 8:
        always = (int(version[1]), int(version[2] or 0)) < (5, 4)
        whole = (
            always or (case.input_tokens or DEFAULT_INPUT) + (case.output_tokens or 0) <= WHOLE_PROMPT_TOKENS
        )
        rules = replace(rules, reads_in_pieces=not whole)
    if case.unfused_attention:
        rules = replace(rules, keeps_scores=True)
    return rules


def _sized(case: Case) -> ModelSpec:
    """Return the model with the pixels of an image, which the arithmetic of a preset stands for."""
    model = case.model
    if model.architecture is not Architecture.DIFFUSION or model.image_pixels or not case.preset:
        return model
    preset = find_preset(case.preset)
    activations = (preset.activations_millions or 0.0) * 1e6
    ratio = model.activations_per_image / activations if activations and model.activations_per_image else 1.0
    return replace(model, image_pixels=round(preset.pixels * ratio))


def _serving_bytes(case: Case) -> float:
    static = next((e for word, e in STATIC.items() if word in case.library), None)
    engine = static or ENGINES[case.engine]
    if case.library.startswith(EXLLAMA):
        engine = Engine.COMPILED
    piece = next((tokens for word, tokens in PIECES.items() if case.library.startswith(word)), np.inf)
    sequences = case.concurrency or case.batch or 1.0
    if case.metric == "fits_memory" and engine is Engine.LLM_ENGINE and not static:
        # Requests for which the pool has no room wait.
        sequences = 1.0
    input_tokens = case.input_tokens or DEFAULT_INPUT
    streamed = case.sharding == "shard"
    degree = float(case.chips if streamed else max(case.tensor_parallel, case.pipeline_parallel))
    model = _sized(case)
    memory = serving_memory(
        model,
        _rules(case, engine),
        kinds=case.chip.kind,
        links=case.chip.processor("half").link,
        device_bytes=_usable_bytes(case),
        tokens=input_tokens + (case.output_tokens or DEFAULT_OUTPUT),
        input_tokens=min(input_tokens, piece),
        sequences=sequences,
        degree=degree,
        # Where weights are streamed, a device has requests of its own. Hooks of Accelerate bring the keys and values
        # of all stages back to the first device (AlignDevicesHook, io_same_device).
        cache_degree=1.0 if streamed or case.pipeline_parallel > 1 else None,
    )
    total = float(np.asarray(memory.total))
    if streamed:
        total += _layer_bytes(case) * STREAMED_LAYERS
    if model.architecture is Architecture.DIFFUSION and case.unfused_attention:
        positions = (model.image_pixels or model.architecture.traits.usual_image_pixels) / PIXELS_PER_POSITION
        scores = sequences * (1.0 + model.guidance) * UNFUSED_HEADS * positions**2
        # Images are decoded when the scores are gone.
        total += max(scores * UNFUSED_COPIES * model.precision.bytes - float(memory.activations), 0.0)
    if "controlnet" in case.model_name.lower() and case.model.architecture is Architecture.DIFFUSION:
        total += (
            float(memory.activations) * (CONTROL_BRANCH - 1) + CONTROL_WEIGHTS * case.model.precision.bytes
        )
    return total


def _layer_bytes(case: Case) -> float:
    layers, _ = transformer_shape(case.model)
    return case.model.parameters * case.model.precision.bytes / layers


def _training_bytes(case: Case) -> float:
    if case.model.architecture is Architecture.GRADIENT_BOOSTING:
        rows, features, depth, library = table_of(case)
        table = gpu_training_bytes(library, rows=rows, features=features, depth=depth)
        return (
            table if case.chip.kind == "cuda" else host_table_bytes(rows=rows, features=features)
        ) + CONTEXT_BYTES
    needed = _step_bytes(case, recompute=case.recompute)
    # What was measured did fit: as it is, or with recomputation, or with one example at a time.
    if case.metric == "peak_mem_mb" and needed > case.chip.memory_bytes:
        needed = _step_bytes(case, recompute=True)
    if case.metric == "peak_mem_mb" and needed > case.chip.memory_bytes:
        needed = _step_bytes(replace(case, micro_batch=1.0), recompute=True)
    return needed


def _step_bytes(case: Case, *, recompute: bool) -> float:
    model = case.model
    split = float(case.tensor_parallel * case.pipeline_parallel)
    copies = max(case.chips * case.chip.cores_per_device / split, 1.0)
    layers, width = transformer_shape(model)
    weight_bytes = 4.0 if model.precision in (Precision.FP32, Precision.TF32) else 2.0
    trainable, state_bytes = model.parameters, STATE_BYTES - (4.0 if weight_bytes == 4.0 else 0.0)
    if case.adapters:
        # Quantization leaves words in half precision.
        weight_bytes = stored_bytes(model) / model.parameters
        trainable *= min((case.adapter_rank or DEFAULT_RANK) * WEIGHTS_PER_RANK / width, 1.0)
        state_bytes = ADAPTER_STATE_BYTES
    # FSDP flattens the weights of a block, and one that is trained makes all of them need a gradient: adapters that are not
    # wrapped apart save nothing (PyTorch, FullyShardedDataParallel, use_orig_params).
    sharded = case.sharding == "shard" and (case.wrapped_adapters or not case.adapters)
    # ZeRO: stage 1 spreads states, stage 2 gradients too (Rajbhandari et al. 2020, section 5).
    gradients = copies if case.sharding in ("zero2", "grad") else 1.0
    states = copies if case.sharding == "zero1" else gradients
    examples, _, _ = device_batches([case], np.array([copies]))
    stated = case.input_tokens or case.micro_batch or case.batch
    memory = training_memory(
        replace(model, parameters=model.parameters / split, layers=int(layers), hidden_size=int(width)),
        weight_bytes=weight_bytes,
        gradient_bytes=GRADIENT_BYTES / gradients,
        state_bytes=state_bytes,
        trainable=trainable / split,
        kept_bytes=(float(examples[0]) if stated else 1.0)
        * kept_bytes_per_example(
            model,
            case.input_tokens or DEFAULT_TRAINED,
            recompute=recompute or not stated,
            fused_attention=not case.unfused_attention,
            tensor_parallel=float(case.tensor_parallel),
            predicts_words=case.predicts_words,
        ),
        shards=copies if sharded else 1.0,
        state_shards=states,
    )
    total = float(np.asarray(memory.total))
    if case.offloaded:
        # Shards, gradients and states wait in host memory; what is gathered does not.
        whole = sum(float(np.asarray(part)) for part in (memory.weights, memory.gradients, memory.optimizer))
        total -= whole
    if sharded != (case.sharding == "shard") or case.offloaded:
        total += float(gathered_bytes(model, weight_bytes)) / split
    return total + ZERO2_BUCKET_BYTES * (case.sharding == "zero2")
