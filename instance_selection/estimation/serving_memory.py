"""Memory of a model that serves requests, on one accelerator of a tensor-parallel group."""

from instance_selection.estimation.hardware import GIB, Processor
from instance_selection.requirements import EndpointRequirements, Engine, HardwareKind, ModelSpec, Precision
from instance_selection.results import MemoryEstimate

#: CUDA context, kernels and the workspace of cuBLAS or cuDNN; about 0.5 to 1 GiB on recent cards.
CONTEXT_BYTES = 0.8 * GIB
#: What an LLM engine keeps for sampling buffers and captured graphs beside the KV cache (vLLM, CUDA graphs).
LLM_ENGINE_RESERVE_BYTES = 1.0 * GIB
#: Memory that the allocator cannot hand out, over what is asked for.
FRAGMENTATION = 1.05


def kv_cache_bytes_per_token(model: ModelSpec, precision: Precision) -> float:
    """Return 2 (key and value) x layers x key/value width x bytes, for one token of one sequence.

    An fp8 or int8 model keeps its cache in two bytes, as engines do unless told otherwise.
    """
    return 2.0 * model.layers * model.kv_hidden_size * max(2, precision.bytes)


def estimate_serving_memory(
    needs: EndpointRequirements, processor: Processor, tensor_parallel_degree: int, concurrency: int
) -> MemoryEstimate:
    """Estimate one accelerator (or CPU worker) that serves ``concurrency`` requests at a time."""
    model, degree = needs.model, tensor_parallel_degree
    weight_bytes = model.parameters * processor.precision.bytes / degree
    tokens = needs.input_tokens + needs.output_tokens
    kv = (
        kv_cache_bytes_per_token(model, processor.precision) * tokens * concurrency / degree
        if model.kv_hidden_size
        else 0.0
    )
    if model.activations_per_image:
        activations = model.activations_per_image * processor.precision.bytes * needs.images_per_request
    else:
        # Layers run one after the other: the widest (feed-forward, 4 x hidden) and its input are alive together.
        activations = 6.0 * model.hidden_size * processor.precision.bytes * max(needs.input_tokens, 1)
    reserve = 0.0
    if processor.kind in (HardwareKind.CUDA, HardwareKind.NEURON):
        reserve += CONTEXT_BYTES
    if needs.engine is Engine.LLM_ENGINE:
        reserve += LLM_ENGINE_RESERVE_BYTES
    return MemoryEstimate(
        weights_gib=weight_bytes * FRAGMENTATION / GIB,
        kv_cache_gib=kv * FRAGMENTATION / GIB,
        activations_gib=activations * FRAGMENTATION / GIB,
        reserve_gib=reserve / GIB,
        usable_gib=processor.usable_memory_bytes / GIB,
    )
