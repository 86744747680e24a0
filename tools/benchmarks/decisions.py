"""What estimates would have decided: the fastest type, the best for the money, the cheapest within a bound.

    python -m tools.benchmarks.decisions [FILE.csv] [--leave-one-publisher-out]

Every group is a workload that one source measured on several instance types. Publishers count alike, and so do the groups
of a publisher.
"""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.table import Table

from sizewell.cli.console import open_console
from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.fleets import PICKS, cost_above_oracle, demands_of
from tools.benchmarks.intervals import REGION, with_intervals
from tools.benchmarks.measured_points import errors_by_points
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.publishers import mean_over_publishers
from tools.benchmarks.tables import MEASUREMENTS, TableError, publisher_of, read_table
from tools.benchmarks.workload_groups import TIE, Group, Member, groups_of

#: Margins of a configuration that are compared.
MARGINS = (0.0, 0.1, 0.25, 0.5, 1.0)
#: Types that differ by less are not told apart by a bound.
DIFFERENT = 1.05
Outcome = Literal["same", "dearer", "missed", "none found"]
OUTCOMES: tuple[Outcome, ...] = ("same", "dearer", "missed", "none found")


@dataclass(frozen=True, slots=True)
class Choice:
    """A type that was chosen by a figure: ``regret`` is how much worse it is than the best, as a share of the best."""

    regret: float

    @property
    def right(self) -> bool:
        """Whether nothing is better."""
        return self.regret < TIE


@dataclass(frozen=True, slots=True)
class BoundedChoice:
    """The cheapest type that keeps a bound, as predicted; ``excess`` is the measured figure over the bound."""

    outcome: Outcome
    excess: float = 0.0


def fastest(group: Group) -> Choice | None:
    """Return the choice of the fastest type; None where nothing is predicted."""
    return _best(group.members, lambda member: 1.0)


def best_for_the_money(group: Group) -> Choice | None:
    """Return the choice of the type that does most for a dollar, among those with a price."""
    priced = [member for member in group.members if member.usd_per_hour]
    return _best(priced, lambda member: member.usd_per_hour or 0.0) if len(priced) > 1 else None


def _best(members: Sequence[Member], usd_per_hour: Callable[[Member], float]) -> Choice | None:
    known = [member for member in members if member.predicted]
    if not known:
        return None
    picked = min(known, key=lambda m: ((m.predicted or 0.0) * usd_per_hour(m), m.name))
    best = min(member.measured * usd_per_hour(member) for member in members)
    return Choice(picked.measured * usd_per_hour(picked) / best - 1)


def bounds_of(group: Group) -> list[float]:
    """Return bounds that tell the types apart: between each two that differ, and one that all of them keep."""
    if group.only_order:
        return []
    values = sorted({member.measured for member in group.members})
    between = [math.sqrt(a * b) for a, b in itertools.pairwise(values) if b / a > DIFFERENT]
    return [*between, values[-1] * 1.2]


def cheapest_within(group: Group, bound: float, margin: float = 0.0) -> BoundedChoice | None:
    """Return the choice of the cheapest type within a bound, as a user's ``margin`` asks; None where prices are not known."""
    if any(not member.usd_per_hour for member in group.members):
        return None

    def price(member: Member) -> tuple[float, str]:
        return member.usd_per_hour or 0.0, member.name

    kept = [m for m in group.members if m.predicted and m.predicted * (1 + margin) <= bound]
    truth = min((member for member in group.members if member.measured <= bound), key=price)
    if not kept:
        return BoundedChoice("none found")
    picked = min(kept, key=price)
    if picked.measured > bound:
        return BoundedChoice("missed", picked.measured / bound)
    return BoundedChoice("same" if math.isclose(price(picked)[0], price(truth)[0]) else "dearer")


def within_bounds(groups: Sequence[Group], margin: float = 0.0) -> dict[str, float | int | None]:
    """Return the outcomes of the cheapest type within each bound, as shares, and by how much those that miss it do so."""
    choices = [
        (group.publisher, choice)
        for group in groups
        for bound in bounds_of(group)
        if (choice := cheapest_within(group, bound, margin))
    ]
    return {
        outcome: mean_over_publishers((who, choice.outcome == outcome) for who, choice in choices)
        for outcome in OUTCOMES
    } | {
        "excess": mean_over_publishers(
            (who, choice.excess - 1) for who, choice in choices if choice.outcome == "missed"
        )
    }


def summary(groups: Sequence[Group]) -> dict[str, float | int | None]:
    """Return the decisions of groups as shares and percent."""
    choices = {
        name: [(group.publisher, choice) for group in groups if (choice := function(group))]
        for name, function in (("fastest", fastest), ("per_dollar", best_for_the_money))
    }
    found: dict[str, float | int | None] = {
        "groups": len(groups),
        "publishers": len({group.publisher for group in groups}),
        "kendall_tau": mean_over_publishers((group.publisher, group.tau) for group in groups),
        "clear_pairs_right": mean_over_publishers(
            (group.publisher, right) for group in groups for right in group.clear_pairs
        ),
    }
    for name, chosen in choices.items():
        found[f"{name}_right"] = mean_over_publishers((who, choice.right) for who, choice in chosen)
        found[f"{name}_regret"] = mean_over_publishers((who, choice.regret) for who, choice in chosen)
    return found | within_bounds(groups)


def to_json(groups: Sequence[Group], of_any_machines: Sequence[Group]) -> dict[str, Any]:
    """Return the decisions of all groups, by class and by publisher; measured points over groups of any machines."""

    def by(key: Callable[[Group], str]) -> dict[str, Any]:
        names = sorted({key(group) for group in groups})
        return {name: summary([group for group in groups if key(group) == name]) for name in names}

    demands = demands_of(groups)
    return {
        "all": summary(groups),
        "by_class": by(lambda group: group.estimate_class),
        "by_publisher": by(lambda group: group.publisher),
        "margins": {f"{margin:.0%}": within_bounds(groups, margin) for margin in MARGINS},
        "measured_points": errors_by_points(of_any_machines),
        "cost_above_oracle": {name: cost_above_oracle(demands, pick) for name, pick in PICKS.items()},
    }


#: The columns of the tables: heading, key, and whether it is a share.
DECISIONS = {
    "groups": ("groups", False), "publishers": ("publishers", False), "tau": ("kendall_tau", False),
    "fastest right %": ("fastest_right", True), "regret %": ("fastest_regret", True),
    "per dollar right %": ("per_dollar_right", True), "its regret %": ("per_dollar_regret", True),
    "bound: same %": ("same", True), "dearer %": ("dearer", True), "missed %": ("missed", True), "none %": ("none found", True),
}  # fmt: skip
BOUNDS = {
    "same %": ("same", True), "dearer %": ("dearer", True), "missed %": ("missed", True), "by %": ("excess", True),
    "none found %": ("none found", True),
}  # fmt: skip
DOLLARS = {
    "fleets": ("fleets", False), "median %": ("median", True), "mean %": ("mean", True), "missed %": ("missed", True),
    "none %": ("none_found", True),
}  # fmt: skip

POINTS = {
    "groups": ("groups", False), "publishers": ("publishers", False), "median % before": ("median_before", True),
    "after": ("median_after", True), "within 2x % before": ("within_2x_before", True), " after": ("within_2x_after", True),
}  # fmt: skip


def to_tables(report: dict[str, Any]) -> list[Table]:
    """Return the tables of a report made by `to_json`."""
    return [
        _table("Decisions by class", "class", {"all": report["all"]} | report["by_class"], DECISIONS),
        _table("Decisions by publisher", "publisher", report["by_publisher"], DECISIONS),
        _table("The cheapest type within a bound, by margin", "margin", report["margins"], BOUNDS),
        _table("Error on the machines that nobody measured", "machines", report["measured_points"], POINTS),
        _table("Cost of a fleet above the oracle", "who picks", report["cost_above_oracle"], DOLLARS),
    ]


def _table(
    title: str, heading: str, rows: dict[str, dict[str, float | None]], columns: dict[str, tuple[str, bool]]
) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(heading, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    for name, found in rows.items():
        table.add_row(name, *(_cell(found[key], share) for key, share in columns.values()))
    return table


def _cell(value: float | None, share: bool) -> str:
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if share else f"{value:.3g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code is 2 when the file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.benchmarks.decisions", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("file", type=Path, nargs="?", default=MEASUREMENTS, help="a table of measurements")
    parser.add_argument("--json", action="store_true", help="print plain data, not tables")
    parser.add_argument(
        "--leave-one-publisher-out",
        action="store_true",
        help="predict each publisher by coefficients and ranges fitted to all others of the shipped measurements",
    )
    options = parser.parse_args(arguments)
    catalog, together = load_catalog(REGION), publisher_of if options.leave_one_publisher_out else None
    try:
        rows = read_table(options.file)
        predictions = predict_rows(
            rows,
            catalog,
            fit_rows=read_table(MEASUREMENTS) if together else None,
            progress=lambda text: print(text, file=sys.stderr, flush=True),
        )
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    predictions = with_intervals(predictions, together=together)
    report = to_json(
        groups_of(rows, predictions, catalog), groups_of(rows, predictions, catalog, any_machine=True)
    )
    if options.json:
        print(json.dumps(report, indent=2))
        return 0
    with open_console() as console:
        for table in to_tables(report):
            console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
