"""What hardware an algorithm can use: SageMaker's built-in ones, common libraries, and classes of workload."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sizewell.instance_selection.catalog.tables import items, record
from tools.benchmarks.tables import DATA, read_table

TABLE = DATA / "algorithms.csv"

Task = Literal["training", "inference"]

_BOUND_SERIES = {"memory": "m", "balanced": "m", "compute": "c", "bandwidth": "c", "capacity": "r"}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What an algorithm can use for one task.

    ``kind`` is ``built-in`` (SageMaker's container), ``library``, or ``class`` (a class of workload, no software).
    ``since`` and ``until`` bound the versions of the software, both included. ``bound`` is what limits it on a CPU:
    ``memory`` (traffic or size of the data), ``balanced``, ``compute``, ``bandwidth`` (links between devices) or
    ``capacity`` (tables that must lie in memory). ``preference`` is ``cpu``, ``gpu`` or ``neuron``, and
    ``preference_when`` what changes it: pairs of a circumstance and a preference. ``families`` are the accelerated
    families that the documentation names, oldest first; empty where it names none.
    """

    kind: str
    name: str
    task: str
    since: float | None
    until: float | None
    cpu: bool
    gpu: bool
    neuron: bool
    multi_gpu: bool
    bound: str
    preference: str
    preference_when: tuple[tuple[str, str], ...]
    families: tuple[str, ...]
    source: str

    @property
    def cpu_series(self) -> str:
        """The letter of the CPU family that suits it: ``m`` balanced, ``c`` compute, ``r`` memory."""
        return _BOUND_SERIES[self.bound]

    def preferred_hardware(self, circumstances: Collection[str] = ()) -> str:
        """Return ``cpu``, ``gpu`` or ``neuron``: that of the first circumstance of the table that holds, else the usual."""
        found = (hardware for circumstance, hardware in self.preference_when if circumstance in circumstances)
        return next(found, self.preference)


def find_algorithm(name: str, task: Task, version: float | None = None) -> Algorithm | None:
    """Return the row of an algorithm for a task and a version, without one for the newest; None where there is none."""
    rows = [row for row in load_algorithms() if row.name == name and row.task in (task, "any")]
    if version is None:
        return rows[-1] if rows else None
    held = (row for row in rows if (row.since or 0) <= version <= (row.until or version))
    return next(held, None)


@cache
def load_algorithms() -> tuple[Algorithm, ...]:
    """Return all rows in the order of the table, versions ascending; it is read once per process."""
    return tuple(_algorithm(row) for row in read_table(TABLE))


def _algorithm(row: dict[str, str]) -> Algorithm:
    pairs = (pair.partition(":") for pair in items(row["preference_when"]))
    return record(
        Algorithm, row, preference_when=tuple((circumstance, hardware) for circumstance, _, hardware in pairs)
    )
