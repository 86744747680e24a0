"""When a training ends on every eligible instance type and size of cluster, and what it costs."""

import math
from functools import cached_property

import numpy as np

from sizewell.facts.instance_types import is_same_hardware
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.memory import NEAR_FULL
from sizewell.instance_selection.estimation.shared_error import Shared
from sizewell.instance_selection.estimation.uncertainty import MAX_HIGH_OVER_LOW
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import Precision, TrainingRequirements
from sizewell.instance_selection.results import MemoryEstimate, TrainingEstimate
from sizewell.instance_selection.spot import SpotRuns, interruption_rate
from sizewell.instance_selection.training_evaluation.layouts import clusters_of
from sizewell.instance_selection.training_evaluation.networks import NetworkTraining
from sizewell.instance_selection.training_evaluation.tables import TableTraining


class TrainingColumns:
    """All eligible types under the requirements of one job: ``job`` says how it lies on ``clusters`` and how fast it is."""

    def __init__(self, needs: TrainingRequirements, eligible: Eligible, catalog: Catalog) -> None:
        self.needs = needs
        self.types = eligible.instance_types
        self.prices = eligible.prices
        self.catalog = catalog
        architecture = needs.model.architecture
        self.machines = machines = eligible.machines(
            training_precision(needs.model.precision), architecture, whole_cpu=True
        )
        self.clusters = clusters = clusters_of(needs, self.types)
        self.job = (
            TableTraining(needs, self.types, machines, clusters)
            if architecture.tabular
            else NetworkTraining(needs, machines, clusters)
        )

    @cached_property
    def fits(self) -> Marks:
        """Whether any layout fits."""
        return np.asarray(np.any([lay.fits.any(0) for lay in self.job.layouts], axis=0))

    @cached_property
    def seconds(self) -> Array:
        """Seconds of the arithmetic of the whole job; sizes x types, infinite where no layout fits."""
        found = self._predicted_s * self._shared.factors
        for place, seconds in self._measured_s.items():
            found[place] = seconds
        return np.asarray(found)

    @cached_property
    def _measured_s(self) -> dict[tuple[int, int], float]:
        """The measured seconds, by the positions of the size and of the type: the last measurement of each type counts."""
        last_of_type = {
            i: m
            for m in self.needs.measurements
            if m.training_units_per_second and m.instance_count <= len(self.clusters.counts)
            for i, t in enumerate(self.types)
            if is_same_hardware(t.name, m.instance_type)
        }
        return {
            (m.instance_count - 1, i): self.needs.units / (m.training_units_per_second or 1.0)
            for i, m in last_of_type.items()
            if self.clusters.allowed[m.instance_count - 1, i]
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
        seconds = [np.where(lay.fits, lay.seconds, np.inf) for lay in self.job.layouts]
        return np.asarray(np.min(seconds, axis=0))

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
            interruptions_per_hour=self.rates * self.clusters.counts,
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
        return np.asarray(price * self.clusters.counts * (0.0 * paid_hours if needs.prepaid else paid_hours))

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
        return self._shared.narrowed(*self.job.interval)

    def smallest_memory(self, i: int) -> MemoryEstimate:
        """Return the smallest need of each processor, on the largest cluster."""
        size = int(self.clusters.max_instances[i]) - 1
        estimates = [lay.memory_estimate(size, i) for lay in self.job.layouts]
        return min(estimates, key=lambda m: m.needed_gib)

    def estimate(self, i: int) -> TrainingEstimate:
        """Return what the cheapest cluster of a type does."""
        size = int(self.cheapest[i])
        needs, seconds = self.needs, float(self.seconds[size, i])
        lay = min(
            (lay for lay in self.job.layouts if lay.fits[size, i]),
            key=lambda lay: float(lay.seconds[size, i]),
            default=self.job.layouts[0],
        )
        count = int(self.clusters.counts[size, 0])
        hours = float(self.hours[size, i])
        memory = lay.memory_estimate(size, i)
        cost = float(self.usd_per_run[size, i])
        units_per_second = needs.units / seconds
        measured = ("throughput",) if (size, i) in self._measured_s else ()
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
                "accelerator_count": int(self.clusters.accelerators[i]) * count,
                "sharded": lay.sharded,
                "units_per_second": units_per_second,
                "duration_hours": hours,
                "utilization": self.job.utilization(units_per_second, count, i),
                "spot_savings_pct": float(self.savings_percent[i])
                if needs.spot and self.catalog.spot(self.types[i].name)
                else None,
                "usd_per_run": None if math.isnan(cost) else cost,
                "batch_size_per_accelerator": needs.batch_size_per_accelerator,
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


def training_precision(precision: Precision) -> Precision:
    """Return the number format that the weights are trained in: int8, int4 and fp8 models are trained in bf16."""
    trained = (Precision.FP32, Precision.TF32, Precision.FP16, Precision.BF16)
    return precision if precision in trained else Precision.BF16
