"""Whether a type has what the user asks for, where no model says what is needed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.filters import Filter, Miss
from sizewell.instance_selection.requirements import StatedRequirements

N = TypeVar("N", bound=StatedRequirements)


@dataclass(frozen=True)
class Columns(Generic[N]):
    """What is asked for, and the types that may have it."""

    needs: N
    types: tuple[InstanceType, ...]


def least(
    name: str, noun: str, offered: Callable[[InstanceType], float], asked: Callable[[N], float]
) -> Filter[Columns[N]]:
    """Return the question whether a type has as much as is asked for."""

    def describe(c: Columns[N], i: int) -> Miss:
        has, needed = offered(c.types[i]), asked(c.needs)
        return Miss(f"has {has:g} {noun}, {needed:g} asked", needed / has if has else None)

    return Filter(name, lambda c: np.array([offered(t) < asked(c.needs) for t in c.types], bool), describe)


def of_each_instance(*further: Filter[Columns[N]]) -> tuple[Filter[Columns[N]], ...]:
    """Return the questions of the accelerators, the vCPUs and the memory, and further ones."""
    return (
        least("accelerators", "accelerator(s)", lambda t: t.accelerator_count, lambda n: n.accelerators),
        least("vcpus", "vCPU(s)", lambda t: t.vcpus, lambda n: n.vcpus),
        least("memory", "GiB of memory", lambda t: t.memory_gib, lambda n: n.memory_gib),
        *further,
    )
