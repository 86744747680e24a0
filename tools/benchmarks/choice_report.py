"""Compare picks and verdicts with the answers of a choices file, and count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sizewell.instance_selection import Catalog, Usage
from sizewell.instance_selection.catalog import InstanceType
from tools.benchmarks.choice_cells import Cell, Clause, family_of, matches, parse_cell
from tools.benchmarks.choice_picks import SERVERLESS, Pick
from tools.benchmarks.choice_requirements import Workload
from tools.benchmarks.choice_verdicts import Answer, Verdict
from tools.benchmarks.tables import DATA, read_table

_SUCCESSORS = DATA / "successors.csv"
#: Instances with an accelerator of one card only: the series ``one GPU`` is about these.
_ONE_GPU = "one GPU"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one row. ``agrees`` is None where the row recommends nothing that can be read."""

    row_id: str
    kind: str
    source_id: str
    picked: Pick
    recommended: str
    agrees: bool | None
    agrees_with_successors: bool | None
    cheapest_agrees: bool | None
    """Whether the first type of the ranking agrees, before near costs and regions are weighed."""
    violations: tuple[str, ...]
    note: str
    feasible: tuple[str, ...]
    rejected: tuple[str, ...]
    conditional: tuple[str, ...]


def judge(
    row: Mapping[str, str],
    workload: Workload,
    picked: Pick,
    verdicts: Mapping[str, Verdict],
    catalog: Catalog,
) -> Outcome:
    """Return how the pick and the verdicts of a row compare with what the row says."""
    recommended, acceptable = (
        parse_cell(row.get(column) or "", catalog) for column in ("recommended_instances", "also_acceptable")
    )
    unacceptable = parse_cell(row.get("unacceptable_instances") or "", catalog, explains=True)
    wanted = (*recommended.clauses, *acceptable.clauses)
    chosen = catalog.find(picked.instance_type) if picked.instance_type else None
    agrees = _agrees(wanted, picked, chosen) if wanted else None
    later = agrees or _follows(wanted, chosen) if wanted else None
    cheapest = replace(picked, instance_type=picked.ranking[0]) if picked.ranking else picked
    violations = [
        *_called_infeasible(workload, wanted, verdicts, catalog),
        *_picked_unacceptable(workload, unacceptable, wanted, picked, chosen),
    ]
    return Outcome(
        row_id=row.get("id") or "",
        kind=row.get("kind") or "unknown",
        source_id=row.get("source_id") or "unknown",
        picked=picked,
        recommended=row.get("recommended_instances") or "",
        agrees=agrees,
        agrees_with_successors=later,
        cheapest_agrees=_agrees(wanted, cheapest, catalog.find(cheapest.instance_type or ""))
        if wanted
        else None,
        violations=tuple(violations),
        note=""
        if agrees is not False
        else _why_not(workload, recommended.clauses or wanted, picked, catalog),
        feasible=_with(verdicts, Answer.FEASIBLE),
        rejected=_with(verdicts, Answer.REJECTED),
        conditional=_with(verdicts, Answer.CONDITIONAL),
    )


def _with(verdicts: Mapping[str, Verdict], answer: Answer) -> tuple[str, ...]:
    return tuple(sorted(name for name, found in verdicts.items() if found.answer is answer))


def _agrees(wanted: Iterable[Clause], picked: Pick, chosen: InstanceType | None) -> bool:
    if picked.instance_type == SERVERLESS:
        return any(SERVERLESS in clause.hardware for clause in wanted)
    if chosen is None:
        return False
    return any(
        matches(clause, chosen, by_family=True) or (clause.or_newer and _follows((clause,), chosen))
        for clause in wanted
    )


def _follows(wanted: Iterable[Clause], chosen: InstanceType | None) -> bool:
    """Return whether the pick is of a later family in the series of one that is wanted."""
    if chosen is None:
        return False
    for clause in wanted:
        older = clause.families | {family_of(name) for name in clause.types}
        for series, families in _series().items():
            if chosen.family not in families or (series == _ONE_GPU and chosen.accelerator_count != 1):
                continue
            if any(family in families[: families.index(chosen.family)] for family in older):
                return True
    return False


def _called_infeasible(
    workload: Workload, wanted: Iterable[Clause], verdicts: Mapping[str, Verdict], catalog: Catalog
) -> Iterable[str]:
    for clause in wanted:
        if clause.precisions and not _same_precision(workload, clause):
            continue
        named = [name for name in sorted(clause.types) if name in verdicts]
        for name in named:
            if verdicts[name].answer is Answer.REJECTED:
                yield f"{name} is recommended or supported, but called infeasible: {verdicts[name].reason}"
        meant = [
            instance_type.name
            for instance_type in catalog.instance_types
            if matches(clause, instance_type, by_family=False)
        ]
        if not named and meant and all(verdicts[name].answer is Answer.REJECTED for name in meant):
            yield f"all of {', '.join(sorted(clause.families | clause.hardware))} are called infeasible"


def _picked_unacceptable(
    workload: Workload,
    unacceptable: Cell,
    wanted: Iterable[Clause],
    picked: Pick,
    chosen: InstanceType | None,
) -> Iterable[str]:
    for clause in unacceptable.clauses:
        if chosen is None or (clause.precisions and not _same_precision(workload, clause)):
            continue
        other = "other" in clause.hardware and not any(
            matches(alternative, chosen, by_family=True) for alternative in wanted
        )
        if other or matches(clause, chosen, by_family=False):
            yield f"{picked.instance_type} is picked, which the row excludes: {unacceptable.text}"


def _same_precision(workload: Workload, clause: Clause) -> bool:
    return workload.model is not None and workload.model.precision.value in clause.precisions


def _why_not(workload: Workload, wanted: Iterable[Clause], picked: Pick, catalog: Catalog) -> str:
    """Say in a few words why the pick is of another family than what the row names."""
    usage = Usage.TRAINING if workload.task == "training" else Usage.HOSTING
    meant = [
        instance_type
        for instance_type in catalog.instance_types
        if any(matches(clause, instance_type, by_family=True) for clause in wanted)
    ]
    families = ", ".join(sorted({instance_type.family for instance_type in meant}))
    if not meant:
        return "the catalog knows nothing that the row names"
    offered = [instance_type for instance_type in meant if catalog.is_offered(instance_type.name, usage)]
    if not offered:
        return f"{families} cannot be had for {usage} in {catalog.region} today"
    priced = [
        instance_type
        for instance_type in offered
        if catalog.price(instance_type.name, usage).usd_per_hour is not None
    ]
    if not priced:
        return f"no price of {families} is known in {catalog.region}"
    ranks = [
        picked.ranking.index(instance_type.name) + 1
        for instance_type in priced
        if instance_type.name in picked.ranking
    ]
    if ranks:
        return f"{families} is {min(ranks)}. of {len(picked.ranking)}: the pick costs less, or does more for the money"
    return f"{families} does not meet the question as it was read ({picked.how})"


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the counts of all rows, by kind and by source."""
    groups: dict[str, list[Outcome]] = {"all rows": outcomes}
    for label, key in (("kind", "kind"), ("source", "source_id")):
        for value in sorted({getattr(outcome, key) for outcome in outcomes}):
            groups[f"{label} {value}"] = [outcome for outcome in outcomes if getattr(outcome, key) == value]
    return {name: _counts(members) for name, members in groups.items()}


def _counts(outcomes: list[Outcome]) -> dict[str, Any]:
    readable = [outcome for outcome in outcomes if outcome.agrees is not None]
    agreeing = sum(bool(outcome.agrees) for outcome in readable)
    later = sum(bool(outcome.agrees_with_successors) for outcome in readable)
    return {
        "rows": len(outcomes),
        "compared": len(readable),
        "agree": agreeing,
        "agree_pct": round(100 * agreeing / len(readable), 1) if readable else None,
        "cheapest_agree": sum(bool(outcome.cheapest_agrees) for outcome in readable),
        "agree_with_successors": later,
        "agree_with_successors_pct": round(100 * later / len(readable), 1) if readable else None,
        "violations": sum(len(outcome.violations) for outcome in outcomes),
    }


@cache
def _series() -> dict[str, tuple[str, ...]]:
    return {row["series"]: tuple(row["families"].split(";")) for row in read_table(_SUCCESSORS)}
