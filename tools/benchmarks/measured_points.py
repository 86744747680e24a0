"""How much the error of other types falls after some types of a workload were measured."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from sizewell.instance_selection.estimation.shared_error import shared_factor
from tools.benchmarks.publishers import mean_over_publishers, median_over_publishers
from tools.benchmarks.workload_groups import Group

#: How many types are measured.
POINTS = (1, 3)


def errors_after(group: Group, points: int) -> Iterator[float]:
    """Yield the logarithm of the error of each type, after every choice of so many other types was measured."""
    errors = [member.measured / member.predicted for member in group.members if member.predicted]
    for i, error in enumerate(errors):
        for measured in combinations([*errors[:i], *errors[i + 1 :]], points):
            yield math.log(error / shared_factor(measured))


def errors_by_points(groups: Sequence[Group]) -> dict[str, dict[str, float | int | None]]:
    """Return the error of the other types before and after measurements, over the groups that have enough types."""
    found: dict[str, dict[str, float | int | None]] = {}
    for points in POINTS:
        enough = [
            group
            for group in groups
            if not group.only_order and sum(bool(member.predicted) for member in group.members) > points
        ]
        row: dict[str, float | int | None] = {
            "groups": len(enough),
            "publishers": len({group.publisher for group in enough}),
        }
        for when, measured in (("before", 0), ("after", points)):
            errors = [(group.publisher, abs(e)) for group in enough for e in errors_after(group, measured)]
            middle = median_over_publishers(errors)
            row[f"median_{when}"] = None if middle is None else math.exp(middle) - 1
            row[f"within_2x_{when}"] = mean_over_publishers((who, e <= math.log(2.0)) for who, e in errors)
        found[f"{points} measured"] = row
    return found
