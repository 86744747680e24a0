"""Memory of a model that is trained, on one accelerator."""

from instance_selection.estimation.hardware import GIB, Processor
from instance_selection.estimation.serving_memory import CONTEXT_BYTES, FRAGMENTATION
from instance_selection.requirements import ModelSpec, Precision, TrainingRequirements
from instance_selection.results import MemoryEstimate

#: Bytes of optimizer state per trained weight in mixed precision: an fp32 master copy and, for AdamW, two fp32
#: moments, for SGD one momentum (Rajbhandari et al. 2020, ZeRO, section 3.1). In fp32 the master copy is the weight.
OPTIMIZER_BYTES = {"adamw": 12, "sgd": 8}
MASTER_COPY_BYTES = 4
#: Values kept for the backward pass per token and hidden unit of the one layer that is recomputed: 34 bytes in half
#: precision with flash attention (Korthikanti et al. 2022, equation 2 without the attention matrix).
LAYER_BYTES_PER_HIDDEN = 34
#: Outputs of convolutions are kept twice: before and after normalisation and activation.
CNN_KEPT_COPIES = 2


def trained_parameters(needs: TrainingRequirements) -> float:
    """Return how many weights get gradients and optimizer states."""
    return needs.lora_parameters if needs.method == "lora" else needs.model.parameters


def training_precision(precision: Precision) -> Precision:
    """Return the number format that the weights are trained in: int8 and fp8 models are trained in bf16."""
    return precision if precision in (Precision.FP32, Precision.FP16, Precision.BF16) else Precision.BF16


def estimate_training_memory(
    needs: TrainingRequirements, processor: Processor, shards: int
) -> MemoryEstimate:
    """Estimate one accelerator; ``shards`` above 1 spreads weights, gradients and states (ZeRO-3, FSDP)."""
    value_bytes = processor.precision.bytes
    trained = trained_parameters(needs)
    state_bytes = OPTIMIZER_BYTES[needs.optimizer] - (MASTER_COPY_BYTES if value_bytes == 4 else 0)
    weights = needs.model.parameters * value_bytes
    if needs.method == "lora":
        weights += trained * value_bytes
    scale = FRAGMENTATION / shards / GIB
    return MemoryEstimate(
        weights_gib=weights * scale,
        gradients_gib=trained * value_bytes * scale,
        optimizer_gib=trained * state_bytes * scale,
        activations_gib=_activation_bytes(needs, value_bytes) * FRAGMENTATION / GIB,
        # A sharded layer is gathered whole before it is computed, and the next one is fetched meanwhile.
        reserve_gib=(CONTEXT_BYTES + (2 * _layer_bytes(needs.model, value_bytes) if shards > 1 else 0)) / GIB,
        usable_gib=processor.usable_memory_bytes / GIB,
    )


def _layer_bytes(model: ModelSpec, value_bytes: int) -> float:
    return model.multiplied_parameters / model.layers * value_bytes


def _activation_bytes(needs: TrainingRequirements, value_bytes: int) -> float:
    model, batch = needs.model, needs.batch_size_per_accelerator
    if model.activations_per_image:
        return batch * model.activations_per_image * value_bytes * CNN_KEPT_COPIES
    token_units = batch * needs.sequence_length * model.hidden_size
    # Activation checkpointing: the input of every layer is kept, one layer is alive in full.
    return token_units * (model.layers * value_bytes + LAYER_BYTES_PER_HIDDEN * value_bytes / 2)
