"""Compare picks and verdicts with the answers of published recommendations, and count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.catalog import InstanceType
from tools.benchmarks.choice_names import ANY_OTHER, SERVERLESS, family_of, matches, names_family
from tools.benchmarks.choice_picks import Pick
from tools.benchmarks.choice_table import Recommendation
from tools.benchmarks.choice_verdicts import Answer, Verdict
from tools.benchmarks.tables import DATA, read_table

_SUCCESSORS = DATA / "successors.csv"
#: Instances with an accelerator of one card only: the series ``one GPU`` is about these.
_ONE_GPU = "one GPU"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one row."""

    id: str
    kind: str
    source_id: str
    picked: Pick
    recommended: str
    agrees: bool
    agrees_with_successors: bool
    cheapest_agrees: bool
    """Whether the first type of the ranking agrees, before near costs and regions are weighed."""
    violations: tuple[str, ...]
    note: str
    feasible: tuple[str, ...]
    rejected: tuple[str, ...]
    conditional: tuple[str, ...]


def judge(row: Recommendation, picked: Pick, verdicts: Mapping[str, Verdict], catalog: Catalog) -> Outcome:
    """Return how the pick and the verdicts of a row compare with what the row says."""
    chosen = catalog.find(picked.instance_type) if picked.instance_type else None
    agrees = _agrees(row, picked, catalog)
    cheapest = replace(picked, instance_type=picked.ranking[0]) if picked.ranking else picked
    return Outcome(
        id=row.id,
        kind=row.kind,
        source_id=row.source_id,
        picked=picked,
        recommended=" ".join(row.recommended_instances),
        agrees=agrees,
        agrees_with_successors=agrees or _follows(row.wanted, chosen),
        cheapest_agrees=_agrees(row, cheapest, catalog),
        violations=(
            *_called_infeasible(row.wanted, verdicts, catalog),
            *_picked_unacceptable(row, chosen),
        ),
        note="" if agrees else _why_not(row, picked, catalog),
        feasible=_with(verdicts, Answer.FEASIBLE),
        rejected=_with(verdicts, Answer.REJECTED),
        conditional=_with(verdicts, Answer.CONDITIONAL),
    )


def _with(verdicts: Mapping[str, Verdict], answer: Answer) -> tuple[str, ...]:
    return tuple(sorted(name for name, found in verdicts.items() if found.answer is answer))


def _agrees(row: Recommendation, picked: Pick, catalog: Catalog) -> bool:
    chosen = catalog.find(picked.instance_type) if picked.instance_type else None
    return names_family(row.wanted, chosen) if chosen else picked.instance_type in row.wanted


def _follows(wanted: Iterable[str], chosen: InstanceType | None) -> bool:
    """Return whether the pick is of a later family in the series of one that is wanted."""
    if chosen is None:
        return False
    older = {family_of(name) for name in wanted}
    return any(
        not older.isdisjoint(families[: families.index(chosen.family)])
        for series, families in _series().items()
        if chosen.family in families and (series != _ONE_GPU or chosen.accelerator_count == 1)
    )


def _called_infeasible(
    wanted: Iterable[str], verdicts: Mapping[str, Verdict], catalog: Catalog
) -> Iterable[str]:
    for name in wanted:
        meant = [verdicts[t.name] for t in catalog.instance_types if matches(name, t)]
        if meant and all(verdict.answer is Answer.REJECTED for verdict in meant):
            yield f"{name} is recommended or accepted, but called infeasible: {meant[0].reason}"


def _picked_unacceptable(row: Recommendation, chosen: InstanceType | None) -> Iterable[str]:
    for name in row.unacceptable_instances:
        if chosen and (matches(name, chosen) or (name == ANY_OTHER and not names_family(row.wanted, chosen))):
            yield f"{chosen.name} is picked, which the row excludes: {name}"


def _why_not(row: Recommendation, picked: Pick, catalog: Catalog) -> str:
    """Say in a few words why the pick is of another family than what the row names."""
    meant = [t for t in catalog.instance_types if names_family(row.recommended_instances, t)]
    families = ", ".join(sorted({t.family for t in meant})) or SERVERLESS
    offered = [t for t in meant if catalog.is_offered(t.name, row.usage)]
    if not offered:
        return f"{families} cannot be had for {row.usage} in {catalog.region} today"
    priced = [t.name for t in offered if catalog.price(t.name, row.usage).usd_per_hour is not None]
    if not priced:
        return f"no price of {families} is known in {catalog.region}"
    ranks = [picked.ranking.index(name) + 1 for name in priced if name in picked.ranking]
    if ranks:
        return f"{families} is {min(ranks)}. of {len(picked.ranking)}: the pick costs less, or does more for the money"
    return f"{families} does not meet the question ({picked.how})"


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the counts of all rows, by kind and by source."""
    groups: dict[str, list[Outcome]] = {"all rows": outcomes}
    for label, key in (("kind", "kind"), ("source", "source_id")):
        for value in sorted({getattr(outcome, key) for outcome in outcomes}):
            groups[f"{label} {value}"] = [outcome for outcome in outcomes if getattr(outcome, key) == value]
    return {name: _counts(members) for name, members in groups.items()}


def _counts(outcomes: list[Outcome]) -> dict[str, Any]:
    agreeing = sum(outcome.agrees for outcome in outcomes)
    later = sum(outcome.agrees_with_successors for outcome in outcomes)
    return {
        "rows": len(outcomes),
        "agree": agreeing,
        "agree_pct": _percent(agreeing, outcomes),
        "cheapest_agree": sum(outcome.cheapest_agrees for outcome in outcomes),
        "agree_with_successors": later,
        "agree_with_successors_pct": _percent(later, outcomes),
        "violations": sum(len(outcome.violations) for outcome in outcomes),
    }


def _percent(count: int, outcomes: list[Outcome]) -> float | None:
    return round(100 * count / len(outcomes), 1) if outcomes else None


@cache
def _series() -> dict[str, tuple[str, ...]]:
    return {row["series"]: tuple(row["families"].split(";")) for row in read_table(_SUCCESSORS)}
