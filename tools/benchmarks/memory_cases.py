"""Predictions of rows that say how much memory was used, or whether it was enough.

The functions are those of the product. A row that does not say how long, or how many, is asked whether it fits at all.
"""

from collections.abc import Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES, serving_memory, training_memory
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.requirements import Architecture, Engine, Precision
from tools.benchmarks.measurements import Case

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
    "llama.cpp": Engine.OPTIMIZED_RUNTIME,
}
#: Tokens of a prompt and an answer, and of a training example, that are not stated.
DEFAULT_INPUT, DEFAULT_OUTPUT, DEFAULT_TRAINED = 64.0, 128.0, 512.0
#: A control branch is a copy of the encoder of the network (Zhang et al. 2023, ControlNet; its published weights).
CONTROL_BRANCH, CONTROL_WEIGHTS = 1.35, 0.36e9
#: Trained weights of adapters of rank 8 to 16 on all projections, and bytes for each: gradient and two moments.
ADAPTER_SHARE, ADAPTER_GRADIENT_BYTES, ADAPTER_STATE_BYTES = 0.002, 2.0, 8.0
#: Layers that sharding holds whole: the one at work, and the next one. DeepSpeed gathers the next one into a buffer, and
#: copies it from there (partition_parameters.py, AllGatherCoalescedHandle).
GATHERED_LAYERS, STREAMED_LAYERS = 2.0, 3.0
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
        shown = np.array([CONTEXT_BYTES if c.framework in ALLOCATED_ONLY else 0.0 for c in self.cases])
        fits = np.array([c.metric == "fits_memory" for c in self.cases])
        values = np.where(fits, (needed <= usable).astype(float), (needed - shown) / 1e6)
        return values, needed / GIB


def _usable_bytes(case: Case) -> float:
    return case.chip.memory_bytes * USABLE_ACCELERATOR_SHARE


def _serving_bytes(case: Case) -> float:
    engine = next((e for word, e in STATIC.items() if word in case.library), ENGINES[case.engine])
    sequences = case.concurrency or case.batch or 1.0
    if case.metric == "fits_memory" and engine is Engine.LLM_ENGINE:
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
        input_tokens=input_tokens,
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
    model = case.model
    weight_bytes = model.precision.bytes if case.adapters else 2.0
    if model.precision in (Precision.FP32, Precision.TF32):
        weight_bytes = 4.0
    share = ADAPTER_SHARE if case.adapters else 1.0
    sharded = case.sharding == "shard"
    memory = training_memory(
        model,
        weight_bytes=weight_bytes,
        gradient_bytes=ADAPTER_GRADIENT_BYTES,
        state_bytes=ADAPTER_STATE_BYTES if case.adapters else 12.0,
        trainable=share * model.parameters,
        sequence_length=case.input_tokens or DEFAULT_TRAINED,
        examples=case.micro_batch or case.batch or 1.0,
        # FSDP flattens the weights of a block, and one that is trained makes all of them need a gradient: adapters
        # on frozen weights save nothing (PyTorch, FullyShardedDataParallel, use_orig_params).
        shards=float(case.chips) if sharded and not case.adapters else 1.0,
        recompute=case.recompute or not (case.input_tokens or case.micro_batch or case.batch),
    )
    extra = _layer_bytes(case) * GATHERED_LAYERS if sharded and case.adapters else 0.0
    return float(np.asarray(memory.total)) + extra
