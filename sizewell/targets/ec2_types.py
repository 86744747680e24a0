"""The instance types of EC2 that take each other's place for one container, which has its instance to itself.

All accelerators of an instance are in one container, as in one of SageMaker, so that what is estimated of an instance holds.
Types of one shape can take each other's place: as many accelerators, or without any as many vCPUs.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from sizewell.instance_selection import (
    Candidate,
    Catalog,
    EndpointRequirements,
    Selection,
    TrainingRequirements,
)
from sizewell.instance_selection.catalog import InstanceType, Usage
from sizewell.instance_selection.estimation.hardware import USABLE_HOST_SHARE
from sizewell.instance_selection.results import E
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates

N = TypeVar("N", EndpointRequirements, TrainingRequirements)
#: Where instances of more expensive types are launched, capacity must be missing in all cheaper ones.
_MOST_EXPENSIVE = 2.0


def on_ec2(needs: N) -> N:
    """Return needs of SageMaker for instances of EC2, whose names have no ``ml.``, without Savings Plans of SageMaker."""
    pinned = needs.limits.instance_type
    return replace(
        needs,
        usage=Usage.EC2,
        limits=replace(needs.limits, instance_type=pinned and pinned.removeprefix("ml.")),
        savings_plan_discount_pct=0.0,
        measurements=tuple(
            replace(measured, instance_type=measured.instance_type.removeprefix("ml."))
            for measured in needs.measurements
        ),
    )


def with_room(catalog: Catalog, memory_mib: Callable[[InstanceType], int | None]) -> Catalog:
    """Return the types of EC2 whose host memory is what a container gets of them; those of which that is None are not there."""

    def as_launched(instance_type: InstanceType) -> InstanceType | None:
        room_mib = memory_mib(instance_type)
        if room_mib is None:
            return None
        # What an estimate takes off for the operating system is not in the room. The disk is a volume of the size that is needed.
        return replace(
            instance_type, memory_gib=room_mib / 1024 / USABLE_HOST_SHARE, local_storage_nvme=False
        )

    return catalog.with_types(as_launched)


def check_pinned(name: str, pinned: str | None, catalog: Catalog) -> None:
    """Raise ``PlanError`` where the stated type of a workload is none of a catalog."""
    if pinned is not None and catalog.find(pinned) is None:
        raise PlanError(
            (
                PlanFault(
                    ("workloads", name, "instances", "instance_type"),
                    f'no instance type "{pinned}" of EC2 is known as a node of a cluster',
                    "without the key, the needs decide",
                ),
            )
        )


def alike(selection: Selection[E], catalog: Catalog, locked: tuple[str, ...]) -> tuple[Candidate[E], ...]:
    """Return the types that take each other's place, the chosen one first: of its shape, and not much more expensive."""
    first = selection.chosen
    shape = _shape(catalog.get(first.instance_type))
    most_usd = (first.cost.usd_per_month or math.inf) * _MOST_EXPENSIVE
    ranked = same_image_candidates(selection, catalog, locked)
    found = {first.instance_type: first}
    for candidate in ranked:
        is_alike = _shape(catalog.get(candidate.instance_type)) == shape
        if is_alike and (candidate.cost.usd_per_month or math.inf) <= most_usd:
            found.setdefault(candidate.instance_type, candidate)
    return tuple(found.values())[:MAX_POOLS]


def _shape(instance_type: InstanceType) -> tuple[str, int]:
    """Return what types have in common of which a container fits each, and no two fit one."""
    return instance_type.cpu_architecture, instance_type.accelerator_count or -instance_type.vcpus
