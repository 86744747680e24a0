"""Speed of a training job: arithmetic, memory traffic and the exchange of gradients."""

from dataclasses import dataclass

from instance_selection.catalog import InstanceType
from instance_selection.estimation.efficiencies import Efficiency
from instance_selection.estimation.hardware import Processor
from instance_selection.estimation.training_memory import trained_parameters
from instance_selection.requirements import Architecture, TrainingRequirements

#: Passes over all activations per image that CNN training makes through memory. Fitted on ResNet-50 with mixed
#: precision: 1,250 images/s on V100 (900 GB/s), 2,375 on A100-40, 2,470 on A100-80 (NVIDIA DeepLearningExamples).
CNN_ACTIVATION_PASSES = 33
#: Each further copy in a data-parallel group adds waiting for the slowest: 0.84 to 0.94 were measured with 8 GPUs
#: (same source).
DATA_PARALLEL_EFFICIENCY = 0.88
#: Share of an EFA or Ethernet link that collectives reach (NCCL tests).
NETWORK_EFFICIENCY = 0.7
#: Starting instances, pulling the image and loading the first data; billed like the rest.
START_UP_HOURS = 10 / 60
_HOURS_PER_MONTH = 730


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingSpeed:
    """Images or tokens per second of the whole job, and the share of peak arithmetic that this is."""

    units_per_second: float
    model_flops_utilization: float


def flops_per_unit(needs: TrainingRequirements) -> float:
    """Return the floating-point operations of training on one image or token.

    The backward pass costs twice the forward pass (Kaplan et al. 2020, table 1); with adapters the gradients of the
    frozen weights are not computed, which leaves two thirds.
    """
    model = needs.model
    if model.forward_flops_per_image:
        return 3.0 * model.forward_flops_per_image
    # A decoder looks back only: half of the attention matrix.
    attention = 2.0 if model.architecture is Architecture.DECODER else 4.0
    forward = (
        2.0 * model.multiplied_parameters + attention * model.layers * model.hidden_size * needs.sequence_length
    )
    return forward * (2.0 if needs.method == "lora" else 3.0)


def estimate_training_speed(
    needs: TrainingRequirements,
    instance_type: InstanceType,
    processor: Processor,
    efficiency: Efficiency,
    *,
    instance_count: int,
    sharded: bool,
) -> TrainingSpeed:
    """Estimate the whole job on ``instance_count`` instances, all processors in use."""
    workers = processor.count * instance_count
    unit_flops = flops_per_unit(needs)
    batch_units = needs.batch_size_per_accelerator
    if not needs.model.forward_flops_per_image:
        batch_units *= needs.sequence_length
    step_s = batch_units * unit_flops / (processor.peak_flops * efficiency.compute)
    if needs.model.activations_per_image and processor.bandwidth_bytes_s:
        moved = (
            needs.model.activations_per_image
            * processor.precision.bytes
            * CNN_ACTIVATION_PASSES
            * batch_units
        )
        step_s = max(step_s, moved / (processor.bandwidth_bytes_s * efficiency.bandwidth))
    if workers > 1:
        exchange_s = _exchange_s(
            needs, instance_type, processor, instance_count=instance_count, sharded=sharded
        )
        step_s = max(step_s, exchange_s) / DATA_PARALLEL_EFFICIENCY
    units_per_second = workers * batch_units / step_s
    return TrainingSpeed(
        units_per_second=units_per_second,
        model_flops_utilization=units_per_second * unit_flops / (processor.peak_flops * workers),
    )


def _exchange_s(
    needs: TrainingRequirements,
    instance_type: InstanceType,
    processor: Processor,
    *,
    instance_count: int,
    sharded: bool,
) -> float:
    """Seconds of one step's exchange on the slowest link: overlapped with arithmetic, so the longer one counts.

    Data parallel: an all-reduce moves each gradient twice. Sharded: weights are gathered forward and backward and
    gradients are scattered (Rajbhandari et al. 2020, section 7).
    """
    value_bytes = processor.precision.bytes
    moved = 2.0 * trained_parameters(needs) * value_bytes
    if sharded:
        moved = 2.0 * needs.model.parameters * value_bytes + trained_parameters(needs) * value_bytes
    inside_s = (
        moved / processor.interconnect_bytes_s
        if processor.count > 1 and processor.interconnect_bytes_s
        else 0
    )
    if instance_count == 1:
        return inside_s
    network_bytes_s = (instance_type.network_baseline_gbps or 10.0) / 8 * 1e9 * NETWORK_EFFICIENCY
    return max(inside_s, moved / network_bytes_s)


def interruptions_per_hour(monthly_share: float) -> float:
    """Return the hourly rate behind a share of instances that are interrupted within a month."""
    return monthly_share / _HOURS_PER_MONTH


def duration_hours(
    work_hours: float, *, interruptions_per_hour: float, checkpoint_interval_hours: float
) -> float:
    """Return start to end: start-up, work, and for each expected interruption a start-up and half an interval.

    The rate is that of the whole job: an interruption of any of its instances stops it.
    """
    lost_hours = work_hours * interruptions_per_hour * (START_UP_HOURS + checkpoint_interval_hours / 2)
    return START_UP_HOURS + work_hours + lost_hours
