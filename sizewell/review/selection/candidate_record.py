"""The candidates of a choice as plan.json records them: all that is feasible, and why everything else was rejected.

This is most of the bytes of a plan. It is read when there is something to explain, and only as raw maps: what is not
there, or is of another shape, is unknown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pydantic_core import from_json

from sizewell.planning.saved_files import PLAN_FILE
from sizewell.review.saved.configuration import number
from sizewell.review.saved.output import Assembly


class Candidate(NamedTuple):
    """A feasible type; None is unknown."""

    instance_type: str
    usd_per_hour: float | None
    usd_per_month: float | None
    time: float | None
    """p95 latency at peak in milliseconds of an endpoint, duration in hours of a training job."""
    instance_count: int | None
    """At average load; of a training job the nodes."""
    is_measured: bool
    scaled_by: tuple[str, ...] = ()
    """Other types whose measurements scale its estimate."""


@dataclass(frozen=True)
class CandidateRecord:
    """What was considered for one workload."""

    selection: Mapping[str, Any]
    rejections: Mapping[str, Any] = field(default_factory=dict)
    """The rows of all workloads by name, since version 6."""

    @property
    def runner_up(self) -> str | None:
        """The type that came next."""
        return next((row["instance_type"] for row in self._rows(self.selection.get("runners_up"))), None)

    @property
    def feasible(self) -> tuple[str, ...]:
        """The types that meet every need, the best first."""
        return tuple(self._feasible)

    def candidate(self, instance_type: str | None) -> Candidate | None:
        """Return a feasible type; None where it is not."""
        row = self._feasible.get(instance_type or "")
        return None if row is None else _candidate(row)

    def rejection(self, instance_type: str) -> str | None:
        """Return why a type was rejected, as ``filter: reason``; None where it was not."""
        row = self._rejected.get(instance_type)
        return f"{row.get('filter')}: {row.get('reason')}" if row else None

    def rejecting_filter(self, instance_type: str) -> str | None:
        """Return the name of the filter that a type did not pass."""
        row = self._rejected.get(instance_type)
        return str(row.get("filter")) if row else None

    def knows(self, instance_type: str) -> bool:
        """Return whether the type was considered at all: whether the catalog has it."""
        return instance_type in self._rejected or instance_type in self._feasible

    @cached_property
    def _feasible(self) -> Mapping[str, Mapping[str, Any]]:
        """The chosen type and the runners-up as they are written: few of them are ever looked at."""
        rows = (
            *self._rows([self.selection.get("chosen")]),
            *self._rows(self.selection.get("runners_up")),
            *self._rows(_table(self.selection.get("further_runners_up"))),
        )
        return {row["instance_type"]: row for row in rows}

    @cached_property
    def _rejected(self) -> Mapping[str, Mapping[str, Any]]:
        rows = self.selection.get("rejected")
        rows = [self._rejection_row(row) for row in rows] if isinstance(rows, list) else rows
        return {
            instance_type: row
            for row in _maps(rows)
            # Up to version 4 each type has a row of its own.
            for instance_type in str(row.get("instance_types", row.get("instance_type", ""))).split()
        }

    def _rejection_row(self, row: Any) -> Any:
        return self.rejections.get(row) if isinstance(row, str) else row

    @staticmethod
    def _rows(rows: Any) -> Iterator[Mapping[str, Any]]:
        return (row for row in _maps(rows) if isinstance(row.get("instance_type"), str))


#: Of a workload that nothing is known of.
NO_RECORD = CandidateRecord({})


def read_candidate_records(assembly: Assembly | None) -> Mapping[str, CandidateRecord]:
    """Return the record of each workload by its name; nothing where the plan cannot be read any more."""
    try:
        content = (assembly.directory / PLAN_FILE).read_bytes() if assembly else b"{}"
        plan = from_json(content, cache_strings="all")
    except (OSError, ValueError):
        return {}
    if not isinstance(plan, dict):
        return {}
    return {
        str(choice.get("name")): CandidateRecord(selection, _map(plan.get("rejections")))
        for key in ("workloads", "endpoints", "training_jobs")
        for workload in _maps(plan.get(key))
        for choice in (workload, *_maps(workload.get("other_variants")), _map(workload.get("shadow_variant")))
        if isinstance(selection := choice.get("selection"), dict)
    }


def _candidate(row: Mapping[str, Any]) -> Candidate:
    # A further runner-up is a row of plain values.
    estimate, cost = _map(row.get("estimate", row)), _map(row.get("cost", row))
    count = number(estimate.get("instances_at_average", estimate.get("instance_count")))
    return Candidate(
        instance_type=row["instance_type"],
        usd_per_hour=number(cost.get("usd_per_hour")),
        usd_per_month=number(cost.get("usd_per_month")),
        time=number(estimate.get("p95_latency_ms", estimate.get("duration_hours"))),
        instance_count=None if count is None else int(count),
        is_measured=bool(estimate.get("measured")),
        scaled_by=tuple(estimate.get("scaled_by") or ()),
    )


def _table(value: Any) -> Any:
    """Return the rows of a table as maps; up to version 5 they are maps already."""
    if not isinstance(value, dict):
        return value
    columns, rows = value.get("columns"), value.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return []
    return [dict(zip(columns, row, strict=False)) for row in rows if isinstance(row, list)]


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
