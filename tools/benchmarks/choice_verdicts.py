"""Whether an instance type can do the work of a row at all: hardware and memory, whatever its offers and prices."""

from dataclasses import dataclass
from enum import StrEnum

from sizewell.instance_selection import Catalog, ModelSpec, Precision, Rejection
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.endpoint_selection import endpoint_verdicts
from sizewell.instance_selection.neuron import SupportStatus, neuron_facts
from tools.benchmarks.algorithms import Algorithm
from tools.benchmarks.choice_names import GROUPS, family_of
from tools.benchmarks.choice_needs import EVERY_IMAGE, UNBOUNDED_MS, capacity_needs, endpoint_needs
from tools.benchmarks.choice_table import Question

GIB = 2**30
#: The share of a card, and of host memory, that an application gets after the driver and the operating system.
USABLE_CARD_SHARE, USABLE_HOST_SHARE = 0.92, 0.85
FRAGMENTATION = 1.05
#: Mixed-precision training with AdamW: weight, gradient, fp32 copy, two moments (Rajbhandari et al. 2020, section 3.1).
TRAINING_BYTES = 16.0
#: Frozen weights may be stored in four bits (Dettmers et al. 2023, QLoRA); adapters and activations are small.
ADAPTER_BYTES = 0.6
#: Instances of one training cluster that a row may mean without saying so.
MAX_CLUSTER = 16


class Answer(StrEnum):
    """What can be said of a type."""

    FEASIBLE = "feasible"
    REJECTED = "rejected"
    CONDITIONAL = "conditional"
    """With 8-bit weights, with idle GPUs, on a family that the documentation does not name; or with software that has
    ended; or not known."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its reason, which is empty for a type that is feasible."""

    answer: Answer
    reason: str = ""


FEASIBLE = Verdict(Answer.FEASIBLE)


def verdicts(question: Question, catalog: Catalog) -> dict[str, Verdict]:
    """Return the verdict on each type of the catalog."""
    if algorithm := question.hardware_of_algorithm:
        return {t.name: algorithm_verdict(question, algorithm, t) for t in catalog.instance_types}
    if question.task == "training":
        return {t.name: _training_verdict(question, t) for t in catalog.instance_types}
    return _serving_verdicts(question, catalog)


def _serving_verdicts(question: Question, catalog: Catalog) -> dict[str, Verdict]:
    """Ask the selection whether one request of any duration can be served."""
    model, names = question.model, [t.name for t in catalog.instance_types]
    unhurried = question.model_copy(update={"max_p95_latency_ms": UNBOUNDED_MS})

    def ask(precision: Precision) -> dict[str, Rejection | None]:
        needs = endpoint_needs(unhurried.model_copy(update={"precision": precision}), EVERY_IMAGE)
        return endpoint_verdicts(capacity_needs(needs, 1), catalog, names)

    stated = ask(model.precision)
    narrow = ask(Precision.INT8) if model.precision not in (Precision.INT8, Precision.INT4) else stated
    # A processor without half precision computes fp32.
    wide = ask(Precision.FP32) if model.precision.bytes == 2 else stated
    return {
        name: Verdict(Answer.CONDITIONAL, rejection.reason)
        if (rejection := stated[name]) and _had_software(model, name)
        else _serving_verdict(rejection, narrow[name], wide[name])
        for name in names
    }


def _had_software(model: ModelSpec, name: str) -> bool:
    """Whether the Neuron SDK ran such a model on a chip, and no longer does: the hardware is not what is missing."""
    statuses = {fact.status for fact in neuron_facts(model, "inference", family_of(name))}
    return SupportStatus.ENDED in statuses and SupportStatus.UNSUPPORTED not in statuses


def _serving_verdict(stated: Rejection | None, narrow: Rejection | None, wide: Rejection | None) -> Verdict:
    """Join the answers for the stated precision, 8-bit weights and fp32: what is not known is no refusal."""
    unknown = stated is not None and stated.filter == "precision"
    if stated is None or (unknown and wide is None):
        return FEASIBLE
    if narrow is None:
        return Verdict(Answer.CONDITIONAL, f"{stated.reason}; 8-bit weights would do")
    if unknown and narrow.filter == "precision":
        return Verdict(Answer.CONDITIONAL, stated.reason)
    return Verdict(Answer.REJECTED, stated.reason)


def _training_verdict(question: Question, instance_type: InstanceType) -> Verdict:
    """Return whether a training fits a cluster, sharded over all of its devices.

    Unless the row speaks of pre-training, adapters on frozen weights will do.
    """
    cards = instance_type.accelerator_count
    if cards and not (GROUPS["gpu"](instance_type) or GROUPS["neuron"](instance_type)):
        return Verdict(Answer.REJECTED, "its accelerator is neither CUDA nor Neuron")
    each_gib = instance_type.memory_gib * USABLE_HOST_SHARE
    if cards:
        each_gib = (instance_type.accelerator_memory_gib or 0.0) * USABLE_CARD_SHARE
    devices = max(cards, 1) * (MAX_CLUSTER if instance_type.efa_supported else 1)
    value_bytes = TRAINING_BYTES if "pre-training" in question.circumstances else ADAPTER_BYTES
    needed_gib = question.model.parameters * value_bytes * FRAGMENTATION / GIB
    if needed_gib <= each_gib * devices:
        return FEASIBLE
    return Verdict(
        Answer.REJECTED, f"needs {needed_gib:.1f} GiB of states, {devices} x {each_gib:.1f} are usable"
    )


def algorithm_verdict(question: Question, algorithm: Algorithm, instance_type: InstanceType) -> Verdict:
    """Return whether an algorithm can use a type, and its data fits."""
    hardware = next((word for word in ("cpu", "gpu", "neuron") if GROUPS[word](instance_type)), "other")
    if not getattr(algorithm, hardware, False):
        return Verdict(Answer.REJECTED, f"{algorithm.name} does not use {hardware} hardware")
    needed, usable = host_gib(question), instance_type.memory_gib * USABLE_HOST_SHARE
    if needed > usable:
        return Verdict(Answer.REJECTED, f"needs {needed:.1f} GiB, the host offers {usable:.1f}")
    if GROUPS["multi-gpu"](instance_type) and not algorithm.multi_gpu:
        return Verdict(Answer.CONDITIONAL, f"{algorithm.name} leaves all GPUs but one idle")
    if hardware != "cpu" and algorithm.families and instance_type.family not in algorithm.families:
        return Verdict(
            Answer.CONDITIONAL, f"the documentation of {algorithm.name} does not name {instance_type.family}"
        )
    return FEASIBLE


def host_gib(question: Question) -> float:
    """Return the host memory that data (training) or a table of fp32 weights (inference) takes."""
    if question.task == "training":
        return (question.data_gb or 0.0) * 1e9 / GIB
    return (question.parameters_millions or 0.0) * 1e6 * 4 * FRAGMENTATION / GIB
