"""What the copies of inference components do, and which of them lie together, in sentences."""

from collections.abc import Iterator
from itertools import groupby

from sizewell.instance_selection import FleetEstimate
from sizewell.instance_selection.latency_bounds import decisive_bound
from sizewell.instance_selection.results import CopyEstimate
from sizewell.instance_selection.wording import counted, milliseconds


def fleet_lines(fleet: FleetEstimate) -> list[str]:
    """Return what each component reserves and reaches, and a placement of the copies."""
    return [
        *(f"{name}: {_of_component(copy)}" for name, copy in fleet.components.items()),
        f"{fleet.tightest} leaves the least room to its bound of latency: it is what is predicted",
        f"instances: {fleet.instances_at_average} at average load, {fleet.instances_at_peak} at peak, of which copies reserve "
        f"{fleet.utilization:.0%}",
        f"at peak: {'; '.join(_placement(fleet))}",
    ]


def _of_component(copy: CopyEstimate) -> str:
    serving, devices = copy.serving, copy.accelerator_count
    reserved = counted(devices, "accelerator") if devices else counted(copy.cpu_cores, "core")
    bound = decisive_bound(serving)
    return (
        f"a copy reserves {reserved} and {copy.memory_mib / 1024:.1f} GiB of host memory, and carries "
        f"{serving.capacity_requests_per_second:.3g} requests/s; {copy.copies_at_average} at average load, "
        f"{copy.copies_at_peak} at peak, with {bound.name} {milliseconds(bound.reached_ms(serving) or 0.0)}; memory: "
        f"{serving.memory.needed_gib:.1f} of {serving.memory.usable_gib:.1f} GiB usable"
    )


def _placement(fleet: FleetEstimate) -> Iterator[str]:
    """Yield the copies of each instance, instances that hold the same together."""
    for copies, alike in groupby(fleet.placement):
        listed = ", ".join(f"{count} x {name}" for name, count in copies.items())
        yield f"{counted(len(list(alike)), 'instance')} with {listed}"
