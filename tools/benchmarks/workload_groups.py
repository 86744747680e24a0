"""Workloads that one source measured on several instance types: what a choice between them is judged by."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import geometric_mean

from sizewell.instance_selection.catalog import Catalog, InstanceType, Usage
from tools.benchmarks.estimate_report import less_is_better
from tools.benchmarks.predictions import Prediction

#: What may differ between two rows of one workload: the machine, how it is used, and what a person says of the row.
OF_THE_MACHINE = frozenset((
    "id", "value", "unit", "note", "trust", "data_date", "aws_instance", "instance_basis", "accelerator", "accelerator_count",
    "parallelism", "nodes", "network_gbit_s", "copies",
))  # fmt: skip
#: Values that differ by less than this share are the same: no table states more digits.
TIE = 1e-6
#: Pairs that were measured to differ by less are a matter of luck.
CLEAR_DIFFERENCE = 1.2


@dataclass(frozen=True, kw_only=True)
class Member:
    """One machine of a group, with times or one over rates: less is better."""

    name: str
    instance_type: InstanceType | None
    """None of a machine that is no instance type."""
    usd_per_hour: float | None
    measured: float
    predicted: float | None
    """None where nothing is predicted."""
    pessimistic: float | None
    """The worse end of the range of the prediction."""
    estimate_class: str


@dataclass(frozen=True, kw_only=True)
class Group:
    """A workload and a metric."""

    publisher: str
    metric: str
    members: tuple[Member, ...]
    only_order: bool = False
    """Whether the figures themselves say nothing: the amount of work is not stated, or they are tuned records."""

    @property
    def estimate_class(self) -> str:
        """The class of most of its members."""
        counts = Counter(member.estimate_class for member in self.members)
        return max(sorted(counts), key=lambda name: counts[name])

    @property
    def tau(self) -> float:
        """Kendall's tau-b: 1 for the same order, -1 for the reverse; a pair with an unknown is as good as none.

        Pairs that were measured to be equal have no order; those that are predicted to be equal have no opinion.
        """
        agreement, ordered, decided = 0, 0, 0
        for a, b in combinations(self.members, 2):
            measured = compare(a.measured, b.measured)
            predicted = compare(a.predicted, b.predicted)
            agreement += measured * predicted
            ordered += measured != 0
            decided += predicted != 0 or a.predicted is None or b.predicted is None
        return agreement / math.sqrt(ordered * decided) if ordered and decided else 0.0

    @property
    def clear_pairs(self) -> list[bool]:
        """Whether each pair of types that clearly differ is predicted in the right order; an unknown is a wrong one."""
        return [
            compare(a.measured, b.measured) == compare(a.predicted, b.predicted)
            for a, b in combinations(self.members, 2)
            if max(a.measured / b.measured, b.measured / a.measured) > CLEAR_DIFFERENCE
        ]


def compare(a: float | None, b: float | None) -> int:
    """Return 1 where ``a`` is more, -1 where it is less, and 0 where they are alike or one is unknown."""
    if a is None or b is None or math.isclose(a, b, rel_tol=TIE):
        return 0
    return 1 if a > b else -1


def groups_of(
    rows: Sequence[Mapping[str, str]],
    predictions: Sequence[Prediction],
    catalog: Catalog,
    *,
    any_machine: bool = False,
) -> list[Group]:
    """Return the groups of two and more instance types, or of any machines, in the order of their first rows.

    Rows belong together that agree in all that does not describe a machine, or in their ``group_id`` where a file has one.
    Of several rows of one machine the geometric mean counts.
    """
    found: dict[tuple[str, ...], dict[str, list[Prediction]]] = {}
    for row, prediction in zip(rows, predictions, strict=True):
        name = _instance_type(row, catalog) or (any_machine and _machine(row)) or ""
        if name and prediction.metric_class != "memory" and prediction.measured and prediction.measured > 0:
            found.setdefault(_workload(row), {}).setdefault(name, []).append(prediction)
    return [
        Group(
            publisher=next(iter(of_machines.values()))[0].publisher,
            metric=next(iter(of_machines.values()))[0].metric,
            members=tuple(_member(catalog, name, same) for name, same in of_machines.items()),
            only_order=any(
                row.tuned_record or not row.size_is_stated for same in of_machines.values() for row in same
            ),
        )
        for of_machines in found.values()
        if len(of_machines) > 1
    ]


def _instance_type(row: Mapping[str, str], catalog: Catalog) -> str:
    """Return the name of the instance type that a row was measured on, empty where it is none of the catalog."""
    named = re.fullmatch(r"(?:ml\.)?([a-z0-9-]+\.[a-z0-9]+)", (row.get("aws_instance") or "").strip().lower())
    found = catalog.find(f"ml.{named[1]}") if named else None
    return found.name if found else ""


def _machine(row: Mapping[str, str]) -> str:
    return f"{row.get('accelerator_count') or 1} x {row.get('accelerator') or ''}"


def _workload(row: Mapping[str, str]) -> tuple[str, ...]:
    stated = (row.get("group_id") or "").strip()
    if stated:
        return (stated,)
    return tuple((row[column] or "").strip() for column in sorted(row) if column not in OF_THE_MACHINE)


def _member(catalog: Catalog, name: str, same: Sequence[Prediction]) -> Member:
    def as_time(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value]
        if len(known) < len(values):
            return None
        mean = geometric_mean(known)
        return mean if less else 1 / mean

    less = less_is_better(same[0].metric)
    usage = Usage.TRAINING if same[0].metric_class == "training" else Usage.HOSTING
    known = catalog.find(name)
    measured = as_time([row.measured for row in same])
    assert measured is not None
    return Member(
        name=name,
        instance_type=known,
        usd_per_hour=catalog.price(name, usage if usage in known.usages else Usage.EC2).usd_per_hour
        if known
        else None,
        measured=measured,
        predicted=as_time([row.predicted for row in same]),
        pessimistic=as_time([row.high if less else row.low for row in same]),
        estimate_class=same[0].estimate_class,
    )
