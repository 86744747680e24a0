"""The estimates of a training job on every eligible instance type and size of cluster, as columns."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sizewell.facts.instance_types import is_same_hardware
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.estimation import boosting, boosting_memory
from sizewell.instance_selection.estimation.coefficients import Array, coefficients
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.machines import where_is
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES, NEAR_FULL
from sizewell.instance_selection.estimation.shared_error import Shared
from sizewell.instance_selection.estimation.training import (
    DECISIVE,
    TrainingWork,
    exchange_bandwidth,
    step_seconds,
    training_work,
)
from sizewell.instance_selection.estimation.training_memory import (
    GRADIENT_BYTES,
    TrainingMemory,
    kept_bytes_per_example,
    training_memory,
)
from sizewell.instance_selection.estimation.uncertainty import (
    MAX_HIGH_OVER_LOW,
    estimate_class,
    interval_factors,
)
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.labels import training_labels
from sizewell.instance_selection.requirements import Measurement, Precision, TrainingRequirements
from sizewell.instance_selection.results import MemoryEstimate, TrainingEstimate
from sizewell.instance_selection.spot import SpotRuns, interruption_rate

#: Bytes of optimizer state per trained weight in mixed precision: an fp32 master copy and, for AdamW, two fp32
#: moments, for SGD one momentum (Rajbhandari et al. 2020, ZeRO, section 3.1). In fp32 the master copy is the weight.
OPTIMIZER_BYTES = {"adamw": 12.0, "sgd": 8.0}
MASTER_COPY_BYTES = 4.0
#: Share of an EFA or Ethernet link that collectives reach (NCCL tests).
NETWORK_EFFICIENCY = 0.7


@dataclass(frozen=True, eq=False)
class _Layouts:
    """Cluster sizes of one variant (sharded or not, recomputing or not) on each type; arrays of sizes x types."""

    sharded: bool
    recompute: bool
    memory: TrainingMemory
    fits: Marks
    step_s: Array

    @cached_property
    def parts(self) -> tuple[Array, ...]:
        """Weights, gradients, optimizer states and activations, each for all sizes and types."""
        found = (self.memory.weights, self.memory.gradients, self.memory.optimizer, self.memory.activations)
        return tuple(np.broadcast_to(np.asarray(part, float), self.fits.shape) for part in found)


class TrainingColumns:
    """All eligible types under the requirements of one job."""

    def __init__(self, needs: TrainingRequirements, eligible: Eligible, catalog: Catalog) -> None:
        self.needs = needs
        assert needs.batch_size_per_accelerator is not None, "it is derived before a type is evaluated"
        self.batch_size = needs.batch_size_per_accelerator
        self.tabular = needs.model.architecture.tabular
        self.types = eligible.instance_types
        self.prices = eligible.prices
        self.catalog = catalog
        self.precision = training_precision(needs.model.precision)
        self.machines = eligible.machines(self.precision, needs.model.architecture, whole_cpu=True)
        # More than one instance needs EFA between them.
        self.max_instances = np.array([needs.max_instances if t.efa_supported else 1 for t in self.types])
        self.counts = np.arange(1, max(1, needs.max_instances) + 1, dtype=float)[:, None]
        self.allowed = (self.counts <= self.max_instances) & (
            (self.counts * self._accelerators >= needs.min_accelerators) | (self._accelerators == 0)
        )
        self._measured: dict[int, Measurement] = {
            i: m
            for m in needs.measurements
            if m.training_units_per_second and m.instance_count <= len(self.counts)
            for i, t in enumerate(self.types)
            if is_same_hardware(t.name, m.instance_type)
        }

    @cached_property
    def _accelerators(self) -> Array:
        return np.array([float(t.accelerator_count) for t in self.types])

    @property
    def max_accelerators(self) -> Array:
        """How many accelerators the largest cluster of each type has; a table is trained on one instance."""
        return np.asarray(self._accelerators * (1 if self.tabular else self.max_instances))

    @cached_property
    def _network(self) -> Array:
        """The network between instances, bytes per second: a ring passes through each instance once."""
        gbps = np.array([t.network_baseline_gbps or 10.0 for t in self.types])
        return np.asarray(gbps / 8 * 1e9 * NETWORK_EFFICIENCY)

    @property
    def trained_parameters(self) -> float:
        """How many weights get gradients and optimizer states."""
        return self.needs.lora_parameters if self.needs.method == "lora" else self.needs.model.parameters

    @cached_property
    def work(self) -> TrainingWork:
        """What one example asks."""
        return training_work(self.needs.model, max(float(self.needs.sequence_length), 1.0))

    @cached_property
    def layouts(self) -> tuple[_Layouts, ...]:
        """The variants, the simplest first."""
        if self.tabular:
            return (self._tabular(),)
        spreads = self.needs.model.architecture.traits.shards_in_training
        variants = (
            [(False, False), (False, True), (True, False), (True, True)] if spreads else [(False, False)]
        )
        return tuple(self._layout(sharded, recompute) for sharded, recompute in variants)

    @cached_property
    def fits(self) -> Marks:
        """Whether any layout fits."""
        return np.asarray(np.any([lay.fits.any(0) for lay in self.layouts], axis=0))

    @cached_property
    def seconds(self) -> Array:
        """Seconds of the arithmetic of the whole job; sizes x types, infinite where no layout fits."""
        found = self._predicted_s * self._shared.factors
        for place, seconds in self._measured_s.items():
            found[place] = seconds
        return np.asarray(found)

    @cached_property
    def _measured_s(self) -> dict[tuple[int, int], float]:
        """The measured seconds, by the places of the size and of the type."""
        return {
            (m.instance_count - 1, i): self.needs.units / (m.training_units_per_second or 1.0)
            for i, m in self._measured.items()
            if self.allowed[m.instance_count - 1, i]
        }

    @cached_property
    def _shared(self) -> Shared:
        """What the measurements say of all types."""
        machines = self.machines
        alike = zip(
            machines.chips, machines.flops, machines.bandwidth, machines.cores, machines.count, strict=True
        )
        predicted = self._predicted_s
        return Shared(
            [*alike],
            {
                place[1]: seconds / float(predicted[place])
                for place, seconds in self._measured_s.items()
                if np.isfinite(predicted[place])
            },
        )

    @cached_property
    def _predicted_s(self) -> Array:
        """Seconds by the fastest layout that fits."""
        best = np.full(self.allowed.shape, np.inf)
        for lay in self.layouts:
            workers = self.counts * self.machines.count
            per_step = self.batch_size * self._units_per_example * workers
            # One "step" over a table is the whole training.
            steps = 1.0 if self.tabular else self.needs.units / per_step
            total = steps * lay.step_s
            best = np.where(lay.fits & (total < best), total, best)
        return best

    @cached_property
    def on_demand_hours(self) -> Array:
        """The hours of a run that is never interrupted, from start to end; sizes x types."""
        return np.asarray(self.needs.start_up_hours + self.seconds / 3600)

    @cached_property
    def _on_spot(self) -> SpotRuns | None:
        needs = self.needs
        if needs.spot is None:
            return None
        return SpotRuns(
            spot=needs.spot,
            work_hours=self.seconds / 3600,
            interruptions_per_hour=self.rates * self.counts,
            deadline_hours=needs.deadline_hours,
            margin=needs.margin,
            start_up_hours=needs.start_up_hours,
        )

    @cached_property
    def spot_hours(self) -> Array:
        """The hours on Spot of a run that gets the capacity at once; zero without Spot."""
        return np.zeros(self.seconds.shape) if self._on_spot is None else self._on_spot.spot_hours

    @cached_property
    def hours(self) -> Array:
        """From start to end, with start-up, expected interruptions, and the part that ends on demand; sizes x types."""
        return self.on_demand_hours if self._on_spot is None else self._on_spot.hours

    @cached_property
    def promised_hours(self) -> Array:
        """What the deadline is held against: with a fallback, a run that finds no capacity on Spot; sizes x types."""
        falls_back = self.needs.spot is not None and self.needs.spot.on_demand_fallback
        return self.on_demand_hours if falls_back else self.hours

    @cached_property
    def in_time(self) -> Marks:
        """Whether the deadline is met, with the margin; sizes x types."""
        return np.asarray(
            self.promised_hours * (1 + self.needs.margin) <= self.needs.deadline_hours * (1 + 1e-9)
        )

    @cached_property
    def rates(self) -> Array:
        """Interruptions of one instance per hour on Spot."""
        return np.array([interruption_rate(self.catalog.spot(t.name)) for t in self.types])

    @cached_property
    def usd_per_run(self) -> Array:
        """The cost of a run, NaN where the price is not known; sizes x types."""
        needs = self.needs
        price = np.array([math.nan if p.usd_per_hour is None else p.usd_per_hour for p in self.prices])
        discount = (
            self.savings_percent if needs.spot else np.full(len(self.types), needs.savings_plan_discount_pct)
        )
        paid_hours = (
            self.hours - self.spot_hours * discount / 100 if needs.spot else self.hours * (1 - discount / 100)
        )
        return np.asarray(price * self.counts * (0.0 * paid_hours if needs.prepaid else paid_hours))

    @cached_property
    def savings_percent(self) -> Array:
        """The published Spot saving of each type, at least zero: a Spot price above on-demand is never paid."""
        found = (self.catalog.spot(t.name) for t in self.types)
        return np.array([max(0.0, float(spot.savings_percent)) if spot else 0.0 for spot in found])

    @cached_property
    def fastest(self) -> Array:
        """The position of the cluster size that ends first."""
        return np.asarray(self.promised_hours.argmin(0))

    @cached_property
    def cheapest(self) -> Array:
        """The position of the cheapest size within the deadline; without a price, the smallest."""
        cost = np.where(np.isnan(self.usd_per_run), 0.0, self.usd_per_run)
        return np.asarray(np.where(self.in_time, cost, np.inf).argmin(0))

    @cached_property
    def interval(self) -> tuple[Array, Array]:
        """The factors below and above an estimate of time of the nominal 90 % range."""
        return self._shared.narrowed(*self._predicted_interval())

    def _predicted_interval(self) -> tuple[Array, Array]:
        count = len(self.machines)
        if self.tabular:
            return interval_factors([(estimate_class("boosting", ""), "")] * count, np.zeros(count))
        labels = training_labels(self.needs.model.architecture, adapters=self.needs.method == "lora")
        unseen = coefficients("training").unseen_log_sd(labels, count, DECISIVE)
        return interval_factors(
            [(estimate_class("training", kind), "") for kind in self.machines.kinds], unseen
        )

    def smallest_memory(self, i: int) -> MemoryEstimate:
        """Return the smallest need of each processor, on the largest cluster."""
        size = int(self.max_instances[i]) - 1
        estimates = [self._memory_estimate(lay, size, i) for lay in self.layouts]
        return min(estimates, key=lambda m: m.needed_gib)

    def estimate(self, i: int) -> TrainingEstimate:
        """Return what the cheapest cluster of a type does."""
        size = int(self.cheapest[i])
        needs, seconds = self.needs, float(self.seconds[size, i])
        lay = min(
            (lay for lay in self.layouts if lay.fits[size, i]),
            key=lambda lay: float(lay.step_s[size, i]),
            default=self.layouts[0],
        )
        count = int(self.counts[size, 0])
        hours = float(self.hours[size, i])
        memory = self._memory_estimate(lay, size, i)
        cost = float(self.usd_per_run[size, i])
        units_per_second = needs.units / seconds
        measured = ("throughput",) if self._measured_count(i) == count else ()
        low, high = (float(bound[i]) for bound in self.interval)
        work = seconds / 3600
        range_hours = (hours + work * (low - 1), hours + work * (high - 1))
        near = []
        longest_hours = float(self.promised_hours[size, i]) + work * (high - 1)
        late = ("deadline",) if not measured and longest_hours > needs.deadline_hours else ()
        too_wide = high > MAX_HIGH_OVER_LOW * low
        if memory.needed_gib > NEAR_FULL * memory.usable_gib:
            near.append("memory")
        return TrainingEstimate.trusted(
            {
                "memory": memory,
                "instance_count": count,
                "accelerator_count": int(self._accelerators[i]) * count,
                "sharded": lay.sharded,
                "units_per_second": units_per_second,
                "duration_hours": hours,
                "utilization": self._utilization(units_per_second, count, i),
                "spot_savings_pct": float(self.savings_percent[i])
                if needs.spot and self.catalog.spot(self.types[i].name)
                else None,
                "usd_per_run": None if math.isnan(cost) else cost,
                "batch_size_per_accelerator": self.batch_size,
                "recompute": lay.recompute,
                "spot_hours": float(self.spot_hours[size, i]) if needs.spot else None,
                "on_demand_hours": float(self.on_demand_hours[size, i]) if needs.spot else None,
                "interruptions": float(self.rates[i]) * count * float(self.spot_hours[size, i]),
                "duration_range_hours": None if measured else range_hours,
                "near_limits": (*(() if too_wide else late), *near),
                "not_predicted": late if too_wide else (),
                "measured": measured,
                "scaled_by": () if measured else self._scaled_by(i),
            }
        )

    def _scaled_by(self, i: int) -> tuple[str, ...]:
        own = (i,) if i in self._shared.errors else ()
        return tuple(self.types[j].name for j in own or self._shared.by[i])

    def _measured_count(self, i: int) -> int | None:
        return self._measured[i].instance_count if i in self._measured else None

    @cached_property
    def _units_per_example(self) -> float:
        model = self.needs.model
        images = model.forward_flops_per_image or model.architecture.traits.reads_images
        return 1.0 if images else max(float(self.needs.sequence_length), 1.0)

    def _utilization(self, units_per_second: float, count: int, i: int) -> float:
        if self.tabular:
            return 0.0
        passes = 2.0 if self.needs.method == "lora" else 3.0
        useful = units_per_second / self._units_per_example * passes * float(self.work.forward_flops)
        return useful / float(self.machines.flops[i] * self.machines.count[i] * count)

    def _layout(self, sharded: bool, recompute: bool) -> _Layouts:
        needs, model, machines = self.needs, self.needs.model, self.machines
        workers = self.counts * machines.count
        value_bytes = machines.value_bytes
        states = OPTIMIZER_BYTES[needs.optimizer] - np.where(value_bytes == 4, MASTER_COPY_BYTES, 0.0)
        memory = training_memory(
            model,
            weight_bytes=value_bytes,
            gradient_bytes=GRADIENT_BYTES,
            state_bytes=states,
            trainable=self.trained_parameters,
            kept_bytes=self.batch_size
            * kept_bytes_per_example(model, float(needs.sequence_length), recompute=recompute),
            shards=np.where(sharded, workers, 1.0),
        )
        described = np.array([not reason for reason in machines.reasons])
        fits = (memory.total * (1 + needs.margin) <= machines.memory_bytes) & self.allowed & described
        if sharded:
            fits = fits & (workers > 1)
        labels = training_labels(model.architecture, adapters=needs.method == "lora")
        k = coefficients("training").values(labels, len(machines))
        within = exchange_bandwidth(machines)
        step = step_seconds(
            self.work,
            machines,
            k,
            micro_batch=float(self.batch_size),
            accumulation=1.0,
            workers=workers,
            split=1.0,
            link_bandwidth=np.where(self.counts > 1, np.minimum(self._network, within), within),
            trainable_share=self.trained_parameters / model.parameters,
            frozen=needs.method == "lora",
            sharded=sharded,
            recompute=recompute,
        )
        return _Layouts(sharded, recompute, memory, fits, step)

    def _tabular(self) -> _Layouts:
        needs, model = self.needs, self.needs.model
        trees = model.architecture.traits.grows_trees
        labels = boosting.boosting_labels(self.machines.kinds, (model.framework,) * len(self.machines))
        seconds = boosting.training_seconds(
            coefficients("boosting").values(labels, len(self.machines)),
            labels,
            rows=needs.units,
            features=float(model.features or 10),
            # A linear model passes over the table once for each epoch, which the units count.
            rounds=float(model.trees) if trees else 1.0,
            depth=float(model.tree_depth) if trees else 1.0,
            cores=self.machines.cores,
            core_ghz=self.machines.core_ghz,
            socket_cores=self.machines.socket_cores,
            bandwidth=self.machines.bandwidth,
            host_cores=np.array([t.vcpus / 2 for t in self.types]),
        )
        table = np.where(self.memory_is_on_host, self._table_bytes, self._gpu_table_bytes)
        memory = TrainingMemory(0.0, 0.0, 0.0, table, CONTEXT_BYTES)
        # One instance: trees are not spread over several here.
        first = self.counts == 1
        fits = (memory.total * (1 + needs.margin) <= self._usable_bytes) & first & self.allowed
        return _Layouts(False, False, memory, fits, np.broadcast_to(seconds, self.allowed.shape))

    @cached_property
    def _host_bytes(self) -> Array:
        return np.array([t.memory_gib for t in self.types]) * GIB * USABLE_HOST_SHARE

    @cached_property
    def _table_bytes(self) -> float:
        features = float(self.needs.model.features or 10)
        return boosting_memory.host_table_bytes(rows=self.needs.units, features=features)

    @cached_property
    def _gpu_table_bytes(self) -> float:
        model = self.needs.model
        if not model.architecture.traits.grows_trees:
            return 0.0
        return boosting_memory.gpu_training_bytes(
            model.framework,
            rows=self.needs.units,
            features=float(model.features or 10),
            depth=float(model.tree_depth),
        )

    @cached_property
    def memory_is_on_host(self) -> Marks:
        """Whether the memory of the host decides: that of a CPU, and of a table that fills more of it than of one GPU."""
        if not self.tabular:
            return np.asarray(self._accelerators == 0)
        on_gpu = self._gpu_table_bytes * self._host_bytes >= self._table_bytes * self.machines.memory_bytes
        return np.asarray(~(where_is(self.machines, "kinds", "cuda") & on_gpu))

    @cached_property
    def _usable_bytes(self) -> Array:
        on_host = self.memory_is_on_host & self.tabular
        return np.where(on_host, self._host_bytes, self.machines.memory_bytes)

    def _memory_estimate(self, lay: _Layouts, size: int, i: int) -> MemoryEstimate:
        usable = float(self._usable_bytes[i]) / GIB
        weights, gradients, optimizer, activations = (float(part[size, i]) / GIB for part in lay.parts)
        return MemoryEstimate.trusted(
            {
                "weights_gib": weights,
                "kv_cache_gib": 0.0,
                "activations_gib": activations,
                "gradients_gib": gradients,
                "optimizer_gib": optimizer,
                "reserve_gib": lay.memory.reserve / GIB,
                "usable_gib": usable,
            }
        )


def training_precision(precision: Precision) -> Precision:
    """Return the number format that the weights are trained in: int8, int4 and fp8 models are trained in bf16."""
    trained = (Precision.FP32, Precision.TF32, Precision.FP16, Precision.BF16)
    return precision if precision in trained else Precision.BF16
