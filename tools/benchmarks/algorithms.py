"""Find what hardware an algorithm can use: SageMaker's built-in ones, common libraries, and classes of workload."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sizewell.instance_selection.catalog.tables import items, record
from tools.benchmarks.tables import DATA, read_table

TABLE = DATA / "algorithms.csv"

Task = Literal["training", "inference"]

_SEPARATORS = re.compile(r"[-_\s/().,;:+<>=~]+")
_VERSION = re.compile(r"(?<![\w.])(\d+\.\d+)")
_UNTIL = re.compile(r"<|\b(?:or earlier|or older|before|up to|until)\b", re.IGNORECASE)
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
    aliases: tuple[str, ...]
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

    def preferred_hardware(
        self, circumstances: frozenset[str] = frozenset(), data_gb: float | None = None
    ) -> str:
        """Return ``cpu``, ``gpu`` or ``neuron``: the first circumstance of the table that holds, else the rule.

        ``over-2gb`` holds when the data is larger than 2 GB; the others are words such as ``large`` or ``speed``.
        """
        for circumstance, hardware in self.preference_when:
            limit = re.fullmatch(r"over-(\d+)gb", circumstance)
            if (
                (data_gb is not None and data_gb > float(limit[1]))
                if limit
                else circumstance in circumstances
            ):
                return hardware
        return self.preference


def find_algorithm(name: str, task: Task) -> Algorithm | None:
    """Return the row of an algorithm for a task, or None when no name or alias occurs in the text.

    ``name`` may be a whole sentence: the longest name in it counts, the first of equals. A version in it
    (``XGBoost 1.2 or later``, ``XGBoost<=1.0-1``) chooses between rows; without one, the newest software is meant.
    """
    text = f" {_plain(name)} "
    found: list[tuple[int, int, Algorithm]] = []
    for algorithm in load_algorithms():
        if algorithm.task not in (task, "any"):
            continue
        for alias in (algorithm.name, *algorithm.aliases):
            plain = _plain(alias)
            at = max(text.find(f" {plain} "), text.find(f" {plain}s "))
            if at >= 0:
                found.append((-len(plain), at, algorithm))
    if not found:
        return None
    best = min(found, key=lambda match: match[:2])[2]
    rows = [algorithm for _, _, algorithm in found if algorithm.name == best.name]
    version = _version(name)
    suitable = [algorithm for algorithm in rows if _holds(algorithm, version)]
    return (suitable or rows)[-1 if version is None else 0]


@cache
def load_algorithms() -> tuple[Algorithm, ...]:
    """Return all rows in the order of the table; it is read once per process."""
    return tuple(_algorithm(row) for row in read_table(TABLE))


def _algorithm(row: dict[str, str]) -> Algorithm:
    pairs = (pair.partition(":") for pair in items(row["preference_when"]))
    return record(
        Algorithm, row, preference_when=tuple((circumstance, hardware) for circumstance, _, hardware in pairs)
    )


def _plain(text: str) -> str:
    return _SEPARATORS.sub(" ", text.lower()).strip()


def _version(text: str) -> float | None:
    found = _VERSION.search(re.sub(r"[<>=~]+", " ", text))
    if not found:
        return None
    version = float(found[1])
    # "earlier than 1.2" excludes it, "1.0 or earlier" does not: both lie below the next release.
    return version - 0.05 if _UNTIL.search(text) and "=" not in text and "or " not in text else version


def _holds(algorithm: Algorithm, version: float | None) -> bool:
    if version is None:
        return algorithm.until is None
    return (algorithm.since is None or version >= algorithm.since) and (
        algorithm.until is None or version <= algorithm.until
    )
