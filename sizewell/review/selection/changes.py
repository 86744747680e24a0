"""The workloads whose choice is another one, with the reasons."""

from collections.abc import Callable, Mapping
from functools import cache

from sizewell.config.base import with_article
from sizewell.config.cluster_targets import planned_words, stated_kinds
from sizewell.planning.saved_workload import SavedChoice
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import CandidatePoint, PickSide, SelectionChange
from sizewell.review.saved.output import Assembly
from sizewell.review.selection.candidate_record import NO_RECORD, CandidateRecord, read_candidate_records
from sizewell.review.selection.comparison import Comparison, lock_state
from sizewell.review.selection.needs import changed_needs
from sizewell.review.selection.reasons import reasons_for, reasons_for_new

#: Feasible types that the chart shows.
MAX_CANDIDATES = 40

Key = tuple[str, str]
"""Name and kind."""
Records = Callable[[], Mapping[str, CandidateRecord]]


def compare_selections(pair: EnvironmentPair) -> tuple[SelectionChange, ...]:
    """Return the workloads whose type, count, price, lock or measurements differ, in the order of head, then what is gone.

    Where a side has an output but no plan, nothing can be said.
    """
    if pair.base is pair.head or any(
        side is not None and side.plan is None for side in (pair.base, pair.head)
    ):
        return ()
    base, head = _workloads(pair.base), _workloads(pair.head)
    base = {_in_head(key, head): choice for key, choice in base.items()}
    records = tuple(cache(lambda side=side: read_candidate_records(side)) for side in (pair.base, pair.head))
    return tuple(
        _change(pair, base.get(key), head.get(key), records[0], records[1])
        for key in (*head, *(key for key in base if key not in head))
        if _differ(base.get(key), head.get(key))
    )


def _workloads(assembly: Assembly | None) -> Mapping[Key, SavedChoice]:
    """Return the workloads by name and kind: of another kind it is another workload, unless it moved."""
    plan = assembly.plan if assembly else None
    return {(workload.name, workload.kind): workload for workload in (plan.choices if plan else ())}


def _in_head(key: Key, head: Mapping[Key, SavedChoice]) -> Key:
    """Return what head knows a choice of base by: a workload that moves into a cluster has another kind there."""
    name, kind = key
    if key in head:
        return key
    moved = (other for other in head if other[0] == name and stated_kinds(kind) & stated_kinds(other[1]))
    return next(moved, key)


def _differ(base: SavedChoice | None, head: SavedChoice | None) -> bool:
    if base is None or head is None:
        return True
    return _pick(base) != _pick(head)


def _pick(workload: SavedChoice) -> tuple[object, ...]:
    return (
        workload.kind,
        workload.instance_type,
        workload.instance_count,
        workload.selection.chosen.cost.usd_per_hour,
        lock_state(workload),
        workload.selection.chosen.estimate.measured,
        workload.selection.chosen.estimate.scaled_by,
    )


def _change(
    pair: EnvironmentPair,
    base: SavedChoice | None,
    head: SavedChoice | None,
    base_records: Records,
    head_records: Records,
) -> SelectionChange:
    workload = head or base
    assert workload is not None, "a workload is there on one side"
    base_record = base_records().get(workload.name, NO_RECORD) if base else NO_RECORD
    head_record = head_records().get(workload.name, NO_RECORD) if head else NO_RECORD
    return SelectionChange(
        environment=pair.name,
        workload=workload.name,
        kind=workload.kind,
        time_of=workload.time_of,
        base=_side(base, base_record) if base else None,
        head=_side(head, head_record) if head else None,
        base_kind=base.kind if base and base.kind != workload.kind else None,
        reasons=_reasons(pair, base, head, base_record, head_record),
        candidates=_candidates(head_record, base.instance_type if base else None),
    )


def _reasons(
    pair: EnvironmentPair,
    base: SavedChoice | None,
    head: SavedChoice | None,
    base_record: CandidateRecord,
    head_record: CandidateRecord,
) -> tuple[str, ...]:
    if head is None:
        return ("the workload is removed" if pair.head else "the environment is removed",)
    if base is None:
        first = "the workload is new" if pair.base else "there is no base to compare it with"
        return (first, *reasons_for_new(head, head_record))
    if base.kind != head.kind:
        kinds = [with_article(planned_words(side.kind)) for side in (base, head)]
        return (f"it was {kinds[0]}, and becomes {kinds[1]}", *reasons_for_new(head, head_record))
    catalog_changed = len({plan.catalog_version for plan in pair.plans}) > 1
    needs = changed_needs(pair, head.name) if base.needs_digest != head.needs_digest else ()
    return reasons_for(Comparison(base, head, base_record, head_record, catalog_changed, needs))


def _side(workload: SavedChoice, record: CandidateRecord) -> PickSide:
    chosen = workload.selection.chosen
    return PickSide(
        instance_type=workload.instance_type,
        instance_count=workload.instance_count,
        usd_per_hour=chosen.cost.usd_per_hour,
        usd_per_month=chosen.cost.usd_per_month,
        time=workload.time,
        runner_up=record.runner_up,
        lock=lock_state(workload),
    )


def _candidates(record: CandidateRecord, base_type: str | None) -> tuple[CandidatePoint, ...]:
    """Return the best types, and that of base whatever its place."""
    names = list(record.feasible[:MAX_CANDIDATES])
    if base_type in record.feasible[MAX_CANDIDATES:]:
        names[-1] = base_type
    found = (record.candidate(name) for name in names)
    return tuple(
        CandidatePoint(instance_type=c.instance_type, usd_per_month=c.usd_per_month, time=c.time)
        for c in found
        if c is not None and c.time is not None
    )
