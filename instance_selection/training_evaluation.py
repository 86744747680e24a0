"""What one instance type would do for a training job."""

import math
from dataclasses import dataclass
from functools import cached_property

from instance_selection.catalog import Catalog, InstanceType, Usage
from instance_selection.estimation.efficiencies import Efficiency, find_efficiency
from instance_selection.estimation.hardware import Processor, processor
from instance_selection.estimation.training_memory import estimate_training_memory, training_precision
from instance_selection.estimation.training_time import (
    duration_hours,
    estimate_training_speed,
    interruptions_per_hour,
)
from instance_selection.requirements import Architecture, TrainingRequirements
from instance_selection.results import MemoryEstimate, TrainingEstimate

#: Share of instances that are interrupted in a month, by the band that the EC2 Spot Instance Advisor shows: its
#: upper end, and for the open band a guess on the safe side.
MONTHLY_INTERRUPTIONS = {"<5%": 0.05, "5-10%": 0.10, "10-15%": 0.15, "15-20%": 0.20, ">20%": 0.50}


@dataclass(frozen=True)
class TrainingEvaluation:
    """One instance type under the requirements of one job."""

    needs: TrainingRequirements
    instance_type: InstanceType
    catalog: Catalog

    @cached_property
    def processor_or_reason(self) -> Processor | str:
        """One accelerator, or why the type cannot be described."""
        return processor(self.instance_type, training_precision(self.needs.model.precision))

    @cached_property
    def processor(self) -> Processor:
        """One accelerator, or the share of a CPU that one worker has."""
        found = self.processor_or_reason
        assert isinstance(found, Processor), found
        return found

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """How much of the spec sheet is reached, or None where nothing is known."""
        chip = self.processor
        return find_efficiency(
            "training", chip.table_name, "*", self.needs.model.architecture, chip.precision
        )

    @cached_property
    def instance_counts(self) -> range:
        """Possible sizes of the cluster: more than one instance needs EFA between them."""
        most = self.needs.max_instances if self.instance_type.efa_supported else 1
        least = 1
        if self.needs.min_accelerators > 1 and self.instance_type.accelerator_count:
            least = math.ceil(self.needs.min_accelerators / self.instance_type.accelerator_count)
        return range(min(least, most), most + 1)

    @cached_property
    def layouts(self) -> tuple[TrainingEstimate, ...]:
        """Every cluster size whose memory is enough, smallest first."""
        return tuple(e for e in map(self._layout, self.instance_counts) if e.memory.fits)

    @cached_property
    def largest_memory(self) -> MemoryEstimate:
        """Memory on the largest cluster: the least that each accelerator needs."""
        return self._layout(self.instance_counts[-1]).memory

    @cached_property
    def fastest(self) -> TrainingEstimate:
        """The layout that ends first."""
        return min(self.layouts, key=lambda e: e.duration_hours)

    @cached_property
    def cheapest(self) -> TrainingEstimate:
        """The cheapest layout within the deadline; without a price, the one with the fewest instances."""
        in_time = [e for e in self.layouts if e.duration_hours <= self.needs.deadline_hours]
        return min(
            in_time,
            key=lambda e: (e.usd_per_run if e.usd_per_run is not None else 0.0, e.instance_count),
        )

    def _layout(self, instance_count: int) -> TrainingEstimate:
        needs, chip = self.needs, self.processor
        workers = chip.count * instance_count
        memory = estimate_training_memory(needs, chip, 1)
        sharded = not memory.fits and workers > 1 and needs.model.architecture is not Architecture.CNN
        if sharded:
            memory = estimate_training_memory(needs, chip, workers)
        assert self.efficiency is not None
        speed = estimate_training_speed(
            needs, self.instance_type, chip, self.efficiency, instance_count=instance_count, sharded=sharded
        )
        spot = self.catalog.spot(self.instance_type.name) if needs.spot else None
        hours = duration_hours(
            needs.units / speed.units_per_second / 3600,
            interruptions_per_hour=(
                instance_count
                * interruptions_per_hour(MONTHLY_INTERRUPTIONS[spot.interruption_band] if spot else 0.5)
                if needs.spot
                else 0.0
            ),
            checkpoint_interval_hours=needs.spot.checkpoint_interval_hours if needs.spot else 0.0,
        )
        price = self.catalog.price(self.instance_type.name, Usage.TRAINING).usd_per_hour
        # The feed knows Spot prices above on-demand; nobody has to pay them.
        savings_pct = max(0.0, spot.savings_pct) if spot else None
        per_run = None if price is None else price * instance_count * hours * (1 - (savings_pct or 0) / 100)
        return TrainingEstimate(
            memory=memory,
            instance_count=instance_count,
            accelerator_count=self.instance_type.accelerator_count * instance_count,
            sharded=sharded,
            units_per_second=speed.units_per_second,
            duration_hours=hours,
            utilization=speed.model_flops_utilization,
            spot_savings_pct=savings_pct,
            usd_per_run=per_run,
        )
