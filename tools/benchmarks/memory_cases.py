"""Predictions of rows that say how much memory was used, or whether it was enough.

The functions are those of the product. A row that does not say how long, or how many, is asked whether it fits at all.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES, serving_memory, stored_bytes
from sizewell.instance_selection.estimation.training_memory import (
    GRADIENT_BYTES,
    gathered_bytes,
    kept_bytes_per_example,
    training_memory,
)
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.requirements import Architecture, Engine, Precision
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
#: ExLlama by itself: a cache of fixed size, and prompts in pieces (ExLlamaConfig: max_input_len 2048, and no larger a square
#: of positions at a time).
EXLLAMA, EXLLAMA_PIECE = "exllama", 2048.0
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
#: Frameworks whose tables show what the allocator handed out, without the context of the driver.
ALLOCATED_ONLY = ("litgpt", "transformers", "exllama", "none")


class MemoryCases:
    """Rows of ``fits_memory`` (1 or 0) and ``peak_mem_mb`` (10^6 bytes on the fullest device)."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    def predict(self) -> tuple[Array, Array]:
        """Return the metric of each row, and the GiB that the fullest device needs."""
        needed = np.array([_training_bytes(c) if c.training else _serving_bytes(c) for c in self.cases])
        usable = np.array([_usable_bytes(c) for c in self.cases])
        shown = np.array([CONTEXT_BYTES if _shows_allocator(c) else 0.0 for c in self.cases])
        fits = np.array([c.metric == "fits_memory" for c in self.cases])
        values = np.where(fits, (needed <= usable).astype(float), (needed - shown) / 1e6)
        return values, needed / GIB


def _shows_allocator(case: Case) -> bool:
    return case.framework in ALLOCATED_ONLY or case.allocated_only


def _usable_bytes(case: Case) -> float:
    return case.chip.memory_bytes * USABLE_ACCELERATOR_SHARE


def _serving_bytes(case: Case) -> float:
    static = next((e for word, e in STATIC.items() if word in case.library), None)
    engine = static or ENGINES[case.engine]
    alone = case.library.startswith(EXLLAMA)
    if alone:
        engine = Engine.COMPILED
    sequences = case.concurrency or case.batch or 1.0
    if case.metric == "fits_memory" and engine is Engine.LLM_ENGINE and not static:
        # Requests for which the pool has no room wait.
        sequences = 1.0
    input_tokens = case.input_tokens or DEFAULT_INPUT
    streamed = case.sharding == "shard"
    degree = float(case.chips if streamed else max(case.tensor_parallel, case.pipeline_parallel))
    memory = serving_memory(
        case.model,
        engine,
        kinds=case.chip.kind,
        device_bytes=_usable_bytes(case),
        tokens=input_tokens + (case.output_tokens or DEFAULT_OUTPUT),
        input_tokens=min(input_tokens, EXLLAMA_PIECE) if alone else input_tokens,
        sequences=sequences,
        degree=degree,
        # Where weights are streamed, a device has requests of its own. Hooks of Accelerate bring the keys and values
        # of all stages back to the first device (AlignDevicesHook, io_same_device).
        cache_degree=1.0 if streamed or case.pipeline_parallel > 1 else None,
    )
    total = float(np.asarray(memory.total))
    if streamed:
        total += _layer_bytes(case) * STREAMED_LAYERS
    if "controlnet" in case.model_name.lower() and case.model.architecture is Architecture.DIFFUSION:
        total += (
            float(memory.activations) * (CONTROL_BRANCH - 1) + CONTROL_WEIGHTS * case.model.precision.bytes
        )
    return total


def _layer_bytes(case: Case) -> float:
    layers, _ = transformer_shape(case.model)
    return case.model.parameters * case.model.precision.bytes / layers


def _training_bytes(case: Case) -> float:
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
    states = copies if case.sharding in ("zero1", "grad") else 1.0
    gradients = copies if case.sharding == "grad" else 1.0
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
    return total
