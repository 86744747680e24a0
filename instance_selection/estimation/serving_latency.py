"""Time of one inference: the slower of arithmetic and memory, plus the start of each layer's kernels."""

from instance_selection.estimation.efficiencies import Efficiency
from instance_selection.estimation.hardware import Processor
from instance_selection.estimation.serving_memory import kv_cache_bytes_per_token
from instance_selection.requirements import EndpointRequirements, ModelSpec

#: Latency of one all-reduce of small tensors (NCCL tests): about 20 us over NVLink or NVSwitch, 40 over PCIe.
ALL_REDUCE_LATENCY_S = {"fast": 20e-6, "slow": 40e-6}
#: Above this a link is NVLink, NVSwitch or NeuronLink rather than PCIe.
FAST_LINK_BYTES_S = 100e9


def forward_s(
    model: ModelSpec,
    processor: Processor,
    efficiency: Efficiency,
    *,
    tokens: float,
    images: float,
    degree: int,
) -> float:
    """Return the seconds of one forward pass over tokens or images, all at the same time.

    Arithmetic of a transformer: 2 FLOPs per weight and token, plus 4 x layers x hidden x tokens^2 for attention
    (Kaplan et al. 2020, table 1). Memory: the weights are read once.
    """
    flops = model.forward_flops_per_image * images if images else 2.0 * model.multiplied_parameters * tokens
    if not images:
        flops += 4.0 * model.layers * model.hidden_size * tokens * tokens
    compute_s = flops / degree / (processor.peak_flops * efficiency.compute)
    memory_s = 0.0
    if processor.bandwidth_bytes_s:
        weight_bytes = model.multiplied_parameters * processor.precision.bytes / degree
        memory_s = weight_bytes / (processor.bandwidth_bytes_s * efficiency.bandwidth)
    return (
        max(compute_s, memory_s)
        + model.layers * efficiency.launch_us_per_layer * 1e-6
        + _all_reduce_s(model, processor, tokens=tokens, degree=degree)
    )


def decode_step_s(
    needs: EndpointRequirements,
    processor: Processor,
    efficiency: Efficiency,
    *,
    concurrency: int,
    degree: int,
) -> float:
    """Return the seconds in which each of ``concurrency`` sequences gets one more token.

    Bandwidth-bound: all weights and the KV cache of every sequence are read once (at half of the output written).
    """
    model = needs.model
    if not processor.bandwidth_bytes_s:
        raise ValueError("decoding is bound by a bandwidth that is not known")
    context = needs.input_tokens + needs.output_tokens / 2
    read_bytes = model.multiplied_parameters * processor.precision.bytes
    read_bytes += kv_cache_bytes_per_token(model, processor.precision) * context * concurrency
    memory_s = read_bytes / degree / (processor.bandwidth_bytes_s * efficiency.bandwidth)
    compute_s = (
        2.0 * model.multiplied_parameters * concurrency / degree / (processor.peak_flops * efficiency.compute)
    )
    return (
        max(memory_s, compute_s)
        + model.layers * efficiency.launch_us_per_layer * 1e-6
        + _all_reduce_s(model, processor, tokens=concurrency, degree=degree)
    )


def request_s(
    needs: EndpointRequirements,
    processor: Processor,
    efficiency: Efficiency,
    *,
    concurrency: int,
    degree: int,
) -> float:
    """Return the seconds from request to complete answer, with ``concurrency`` requests in progress.

    Under continuous batching the prefill of every other request in progress interrupts once.
    """
    prefill_s = forward_s(
        needs.model,
        processor,
        efficiency,
        tokens=needs.input_tokens,
        images=needs.images_per_request,
        degree=degree,
    )
    if not needs.output_tokens:
        return prefill_s * concurrency
    step_s = decode_step_s(needs, processor, efficiency, concurrency=concurrency, degree=degree)
    return prefill_s * concurrency + needs.output_tokens * step_s


def _all_reduce_s(model: ModelSpec, processor: Processor, *, tokens: float, degree: int) -> float:
    """Two all-reduces of the hidden state in each layer (Shoeybi et al. 2019, Megatron-LM, section 3)."""
    if degree == 1:
        return 0.0
    link = processor.interconnect_bytes_s
    latency_s = ALL_REDUCE_LATENCY_S["fast" if link and link >= FAST_LINK_BYTES_S else "slow"]
    moved = 2.0 * tokens * model.hidden_size * processor.precision.bytes * (degree - 1) / degree
    transfer_s = moved / link if link else 0.0
    return 2.0 * model.layers * (latency_s + transfer_s)
