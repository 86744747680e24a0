"""Whether an instance type can do the work of a row at all: hardware and memory, whatever is offered or it costs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from benchmarks.choice_cells import has_hardware
from benchmarks.choice_requirements import DEFAULT_INPUT_TOKENS, DEFAULT_OUTPUT_TOKENS, Workload
from instance_selection import Catalog, ModelSpec, Precision
from instance_selection.catalog import InstanceType

GIB = 2**30
#: The share of a card, and of host memory, that an application gets after the driver and the operating system.
USABLE_CARD_SHARE, USABLE_HOST_SHARE = 0.92, 0.85
#: CUDA context and kernels of a process, and what an LLM engine keeps for sampling and captured graphs.
CONTEXT_GIB, LLM_ENGINE_GIB = 0.8, 1.0
FRAGMENTATION = 1.05
#: Mixed-precision training with AdamW: weight, gradient, fp32 copy, two moments (Rajbhandari et al. 2020, section 3.1).
TRAINING_BYTES = 16.0
#: Frozen weights may be stored in four bits (Dettmers et al. 2023, QLoRA); adapters and activations are small.
ADAPTER_BYTES = 0.6
#: The share of the stated length that a sequence in progress has reached, and the tokens of a usual one.
OCCUPANCY, USUAL_TOKENS = 0.75, DEFAULT_INPUT_TOKENS + DEFAULT_OUTPUT_TOKENS / 2
#: Instances of one training cluster that a row may mean without saying so.
MAX_CLUSTER = 16


class Answer(StrEnum):
    """What can be said of a type."""

    FEASIBLE = "feasible"
    REJECTED = "rejected"
    CONDITIONAL = "conditional"
    """Only with 8-bit weights, or with idle GPUs, or on a family that the documentation does not name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its reason, which is empty for a type that is feasible."""

    answer: Answer
    reason: str = ""


FEASIBLE = Verdict(Answer.FEASIBLE)


def verdicts(workload: Workload, catalog: Catalog, names: Iterable[str]) -> Mapping[str, Verdict]:
    """Return the verdict on each named type that the catalog knows; one that it does not know has none."""
    types = (catalog.find(name) for name in names)
    return {one.name: verdict(workload, one) for one in types if one}


def verdict(workload: Workload, instance_type: InstanceType) -> Verdict:
    """Return whether a type can do the work of one row."""
    if workload.model:
        return _model_verdict(workload, workload.model, instance_type)
    if workload.algorithm:
        return _algorithm_verdict(workload, instance_type)
    return FEASIBLE


def fits(workload: Workload, model: ModelSpec, instance_type: InstanceType, batch: int) -> Verdict:
    """Return whether a type holds a model with ``batch`` requests in progress, or its training states."""
    cards = instance_type.accelerator_count
    if cards and (reason := _unsupported(model, instance_type)):
        return Verdict(Answer.REJECTED, reason)
    usable = instance_type.memory_gib * USABLE_HOST_SHARE
    spread = model.architecture.generates or workload.task == "training"
    group, reserve = 1, 0.0
    if cards:
        usable = (instance_type.accelerator_memory_gib or 0.0) * USABLE_CARD_SHARE
        reserve = CONTEXT_GIB + (LLM_ENGINE_GIB if model.architecture.generates else 0.0)
        # Neuron splits the layers of a model that generates from the second generation of its cores on.
        group = cards if spread and instance_type.family != "inf1" else 1
    if workload.task == "training":
        tuned = "fine-tuning" in workload.circumstances
        nodes = MAX_CLUSTER if instance_type.efa_supported else 1
        whole = model.parameters * (ADAPTER_BYTES if tuned else TRAINING_BYTES)
        needed = whole * FRAGMENTATION / group / nodes / GIB + reserve
    else:
        whole = model.parameters * model.precision.bytes + (batch if spread else 1) * cache_bytes(
            workload, model
        )
        needed = whole * FRAGMENTATION / group / GIB + reserve
    if needed <= usable:
        return FEASIBLE
    each = f"each of {cards} accelerators" if group > 1 else "an accelerator" if cards else "the host"
    return Verdict(Answer.REJECTED, f"needs {needed:.1f} GiB, {each} offers {usable:.1f}")


def cache_bytes(workload: Workload, model: ModelSpec) -> float:
    """Return the keys and values of one sequence in progress, or the activations of one image.

    A paged cache holds what is written so far: three quarters of the stated length (half of it a prompt, then half of
    the answer), or the prompt and half of the answer of a usual conversation.
    """
    if not model.architecture.generates:
        return 4.0 * model.activations_per_image
    length = OCCUPANCY * workload.context_tokens if workload.context_tokens else USUAL_TOKENS
    return 2.0 * model.layers * (model.kv_hidden_size or model.hidden_size) * 2.0 * length


def _unsupported(model: ModelSpec, instance_type: InstanceType) -> str:
    chip = instance_type.accelerator
    if chip is None or chip.kind not in ("cuda", "neuron"):
        return f"{chip.name if chip else 'its accelerator'} is neither CUDA nor Neuron"
    if chip.kind == "neuron":
        return f"the Neuron SDK has no {model.precision}" if model.precision is Precision.INT4 else ""
    # Weights of eight-bit floats are expanded by kernels that need Ampere (vLLM, quantization support).
    if model.precision is Precision.FP8 and float(chip.generation or 0) < 8.0:
        return f"{chip.name} has no kernels for fp8"
    return ""


def _model_verdict(workload: Workload, model: ModelSpec, instance_type: InstanceType) -> Verdict:
    found = fits(workload, model, instance_type, 1)
    if found.answer is Answer.FEASIBLE or model.precision.bytes <= 1 or workload.task == "training":
        return found
    narrow = replace(model, precision=Precision.INT8)
    if fits(workload, narrow, instance_type, 1).answer is Answer.FEASIBLE:
        return Verdict(Answer.CONDITIONAL, f"{found.reason}; it would fit with 8-bit weights")
    return found


def _algorithm_verdict(workload: Workload, instance_type: InstanceType) -> Verdict:
    algorithm = workload.algorithm
    assert algorithm is not None
    kind = instance_type.accelerator.kind if instance_type.accelerator else ""
    cards = instance_type.accelerator_count
    for possible, meant, what in (
        (algorithm.cpu, not cards, "a CPU"),
        (algorithm.gpu, has_hardware(instance_type, "gpu"), "a GPU"),
        (algorithm.neuron, has_hardware(instance_type, "neuron"), "Neuron"),
        (False, bool(cards) and kind not in ("cuda", "neuron"), "this accelerator"),
    ):
        if meant and not possible:
            return Verdict(Answer.REJECTED, f"{algorithm.name} does not use {what}")
    needed, usable = host_gib(workload), instance_type.memory_gib * USABLE_HOST_SHARE
    if needed > usable:
        return Verdict(Answer.REJECTED, f"needs {needed:.1f} GiB, the host offers {usable:.1f}")
    if has_hardware(instance_type, "multi-gpu") and not algorithm.multi_gpu:
        return Verdict(Answer.CONDITIONAL, f"{algorithm.name} leaves all GPUs but one idle")
    if cards and algorithm.families and instance_type.family not in algorithm.families:
        return Verdict(
            Answer.CONDITIONAL, f"the documentation of {algorithm.name} does not name {instance_type.family}"
        )
    return FEASIBLE


def host_gib(workload: Workload) -> float:
    """Return the host memory that data (training) or a table of fp32 weights (inference) takes."""
    if workload.task == "training":
        return (workload.data_gb or 0.0) * 1e9 / GIB
    return (workload.parameters or 0.0) * 4 * FRAGMENTATION / GIB
