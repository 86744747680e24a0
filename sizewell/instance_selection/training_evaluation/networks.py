"""The training of a neural network: its states may be sharded over a cluster, its activations computed again."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, coefficients
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.estimation.training import (
    DECISIVE,
    exchange_bandwidth,
    step_seconds,
    training_work,
)
from sizewell.instance_selection.estimation.training_memory import (
    GRADIENT_BYTES,
    kept_bytes_per_example,
    training_memory,
)
from sizewell.instance_selection.estimation.uncertainty import estimate_class, interval_factors
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.labels import training_labels
from sizewell.instance_selection.requirements import TrainingRequirements
from sizewell.instance_selection.training_evaluation.layouts import Clusters, TrainingLayout

#: Bytes of optimizer state per trained weight in mixed precision: an fp32 master copy and, for AdamW, two fp32
#: moments, for SGD one momentum (Rajbhandari et al. 2020, ZeRO, section 3.1). In fp32 the master copy is the weight.
OPTIMIZER_BYTES = {"adamw": 12.0, "sgd": 8.0}
MASTER_COPY_BYTES = 4.0


class NetworkTraining:
    """A neural network on all eligible types."""

    def __init__(self, needs: TrainingRequirements, machines: Machines, clusters: Clusters) -> None:
        assert needs.batch_size_per_accelerator is not None, "it is derived before a type is evaluated"
        self._needs = needs
        self._machines = machines
        self._clusters = clusters
        self._batch_size = needs.batch_size_per_accelerator
        self._adapters = needs.method == "lora"
        self._trained = needs.lora_parameters if self._adapters else needs.model.parameters
        self._labels = training_labels(needs.model.architecture, adapters=self._adapters)
        self._work = training_work(needs.model, max(float(needs.sequence_length), 1.0))
        reads_images = needs.model.forward_flops_per_image or needs.model.architecture.traits.reads_images
        self._units_per_example = 1.0 if reads_images else max(float(needs.sequence_length), 1.0)
        #: Why a type cannot train, empty where it can.
        self.reasons = machines.reasons

    @cached_property
    def layouts(self) -> tuple[TrainingLayout, ...]:
        """The variants, the simplest first."""
        choices = (False, True) if self._needs.model.architecture.traits.shards_in_training else (False,)
        return tuple(self._layout(sharded, recompute) for sharded in choices for recompute in choices)

    @property
    def memory_is_on_host(self) -> Marks:
        """Whether the memory of the host decides."""
        return np.asarray(self._clusters.accelerators == 0)

    @property
    def interval(self) -> tuple[Array, Array]:
        """The factors below and above the time on each type of the nominal 90 % range."""
        unseen = coefficients("training").unseen_log_sd(self._labels, len(self._machines), DECISIVE)
        return interval_factors(
            [(estimate_class("training", kind), "") for kind in self._machines.kinds], unseen
        )

    def utilization(self, units_per_second: float, instances: int, i: int) -> float:
        """Return the share of the peak arithmetic that is useful work, on instances of the type at position ``i``."""
        passes = 2.0 if self._adapters else 3.0
        useful = units_per_second / self._units_per_example * passes * float(self._work.forward_flops)
        return useful / float(self._machines.flops[i] * self._machines.count[i] * instances)

    def _layout(self, sharded: bool, recompute: bool) -> TrainingLayout:
        needs, model, machines, clusters = self._needs, self._needs.model, self._machines, self._clusters
        workers = clusters.counts * machines.count
        value_bytes = machines.value_bytes
        states = OPTIMIZER_BYTES[needs.optimizer] - np.where(value_bytes == 4, MASTER_COPY_BYTES, 0.0)
        memory = training_memory(
            model,
            weight_bytes=value_bytes,
            gradient_bytes=GRADIENT_BYTES,
            state_bytes=states,
            trainable=self._trained,
            kept_bytes=self._batch_size
            * kept_bytes_per_example(model, float(needs.sequence_length), recompute=recompute),
            shards=np.where(sharded, workers, 1.0),
        )
        described = np.array([not reason for reason in machines.reasons])
        fits = (memory.total * (1 + needs.margin) <= machines.memory_bytes) & clusters.allowed & described
        if sharded:
            fits = fits & (workers > 1)
        within = exchange_bandwidth(machines)
        step_s = step_seconds(
            self._work,
            machines,
            coefficients("training").values(self._labels, len(machines)),
            micro_batch=float(self._batch_size),
            accumulation=1.0,
            workers=workers,
            split=1.0,
            link_bandwidth=np.where(clusters.counts > 1, np.minimum(clusters.network, within), within),
            trainable_share=self._trained / model.parameters,
            frozen=self._adapters,
            sharded=sharded,
            recompute=recompute,
        )
        steps = needs.units / (self._batch_size * self._units_per_example * workers)
        return TrainingLayout(memory, machines.memory_bytes, fits, steps * step_s, sharded, recompute)
