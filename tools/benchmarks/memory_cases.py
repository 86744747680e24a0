"""Predictions of rows that say how much memory was used, or whether it was enough."""

from collections.abc import Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE
from sizewell.instance_selection.estimation.memory import (
    CONTEXT_BYTES,
    LLM_ENGINE_BYTES,
    serving_memory,
    training_memory,
)
from sizewell.instance_selection.requirements import Architecture, Engine, Precision
from tools.benchmarks.measurements import Case

ENGINES = {
    "llm-engine": Engine.LLM_ENGINE,
    "eager": Engine.EAGER,
    "compiled": Engine.COMPILED,
    "optimized": Engine.OPTIMIZED_RUNTIME,
    "neuron": Engine.LLM_ENGINE,
}
#: Cache memory over keys and values, by framework: DeepSpeed-Inference keeps a workspace of the longest sequence and
#: copies, FasterTransformer padded buffers; a pipeline of whole layers in a framework is the most wasteful: BLOOM-176B
#: runs out of memory there at 64 sequences, where keys and values would take 3 GiB of the 36 that are free.
CACHE_OVERHEAD = {"deepspeed": 3.0, "fastertransformer": 1.5, "accelerate": 16.0}
#: The same where weights are streamed: a whole layer and its copies come on top.
STREAMED_OVERHEAD = 6.0
#: Mixed int8 decomposition keeps outlier columns and scales beside the weights (Dettmers et al. 2022, LLM.int8()).
MIXED_INT8_SHARE = 1.1
#: Tokens of a prompt and an answer that are not stated.
DEFAULT_INPUT, DEFAULT_OUTPUT = 64.0, 128.0
#: A control branch is a copy of the encoder of the network (Zhang et al. 2023, ControlNet).
CONTROL_BRANCH, CONTROL_WEIGHTS = 1.35, 0.36e9
#: Trained weights of adapters, and bytes for each: gradient and two moments.
ADAPTER_SHARE, ADAPTER_GRADIENT_BYTES, ADAPTER_STATE_BYTES = 0.002, 2.0, 8.0
#: Frozen weights of adapters are flattened and gathered whole by FSDP; what it holds beside them.
FSDP_ADAPTER_BYTES = 2 * GIB
#: Frameworks whose tables show what the allocator handed out, without the context of the driver.
ALLOCATED_ONLY = ("litgpt", "transformers", "exllama", "none")


class MemoryCases:
    """Rows of ``fits_memory`` (1 or 0) and ``peak_mem_mb`` (10^6 bytes on the fullest device)."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    def predict(self) -> tuple[Array, Array]:
        """Return the metric of each row, and the GiB that the fullest device needs."""
        needed = np.array([_needed_bytes(c) for c in self.cases])
        usable = np.array([c.chip.memory_bytes * USABLE_ACCELERATOR_SHARE for c in self.cases])
        shown = np.array([_context_bytes(c) for c in self.cases])
        fits = np.array([c.metric == "fits_memory" for c in self.cases])
        values = np.where(fits, (needed <= usable).astype(float), (needed - shown) / 1e6)
        return values, needed / GIB


def _context_bytes(case: Case) -> float:
    if case.framework not in ALLOCATED_ONLY:
        return 0.0
    return CONTEXT_BYTES + (LLM_ENGINE_BYTES if case.engine == "llm-engine" and not case.training else 0.0)


def _needed_bytes(case: Case) -> float:
    return _training_bytes(case) if case.training else _serving_bytes(case)


def _serving_bytes(case: Case) -> float:
    sequences = case.concurrency or case.batch or 1.0
    input_tokens = case.input_tokens or DEFAULT_INPUT
    memory = serving_memory(
        case.model,
        ENGINES[case.engine],
        on_accelerator=True,
        tokens=input_tokens + (case.output_tokens or DEFAULT_OUTPUT),
        input_tokens=input_tokens,
        sequences=sequences,
        degree=float(
            max(case.tensor_parallel, case.pipeline_parallel, case.chips if case.sharding == "shard" else 1)
        ),
        cache_overhead=STREAMED_OVERHEAD if case.sharding == "shard" else CACHE_OVERHEAD.get(case.framework),
    )
    weights, activations = float(memory.weights), float(memory.activations)
    if case.quantization.startswith("int8") and case.engine == "eager":
        weights *= MIXED_INT8_SHARE
    if "controlnet" in case.model_name.lower() and case.model.architecture is Architecture.DIFFUSION:
        activations *= CONTROL_BRANCH
        weights += CONTROL_WEIGHTS * case.model.precision.bytes
    cache = float(memory.cache)
    if case.sharding == "shard":
        # Streamed weights: every device holds the requests of its own, and a whole layer of them at a time.
        cache, activations = cache * case.chips, activations * case.chips
    return weights + activations + cache + float(memory.reserve)


def _training_bytes(case: Case) -> float:
    model = case.model
    weight_bytes = model.precision.bytes if case.adapters else 2.0
    if model.precision in (Precision.FP32, Precision.TF32):
        weight_bytes = 4.0
    share = ADAPTER_SHARE if case.adapters else 1.0
    memory = training_memory(
        model,
        weight_bytes=weight_bytes,
        gradient_bytes=ADAPTER_GRADIENT_BYTES,
        state_bytes=ADAPTER_STATE_BYTES if case.adapters else 12.0,
        trainable=share * model.parameters,
        sequence_length=case.input_tokens or 2048.0,
        examples=case.micro_batch or case.batch or 1.0,
        shards=float(case.chips) if case.sharding == "shard" and not case.adapters else 1.0,
        recompute=case.recompute,
    )
    extra = FSDP_ADAPTER_BYTES if case.adapters and case.sharding == "shard" else 0.0
    return float(np.asarray(memory.total)) + extra
