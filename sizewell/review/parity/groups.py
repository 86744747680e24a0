"""Differences that say the same of several places, as one."""

from collections.abc import Iterable
from dataclasses import dataclass

from sizewell.review.parity.model import Difference, Kind


@dataclass(frozen=True)
class DifferenceGroup:
    """What a reader sees as one line."""

    kind: Kind
    what: str
    """The last name of the setting; ``resource`` where there is no setting."""
    staging: str | None
    prod: str | None
    why: str
    workloads: tuple[str, ...]
    places: tuple[str, ...]
    """Workload and construct path of each."""


def group_differences(differences: Iterable[Difference]) -> tuple[DifferenceGroup, ...]:
    """Return the differences by what they say, in the order in which it is first said."""
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for one in differences:
        key = (one.kind, _what(one), one.staging, one.prod, one.why)
        groups.setdefault(key, []).append(one)
    return tuple(_group(members) for members in groups.values())


def _what(difference: Difference) -> str:
    return difference.setting.rpartition(".")[2] or "resource"


def _group(members: list[Difference]) -> DifferenceGroup:
    first = members[0]
    return DifferenceGroup(
        kind=first.kind,
        what=_what(first),
        staging=first.staging,
        prod=first.prod,
        why=first.why,
        workloads=tuple(dict.fromkeys(one.workload for one in members)),
        places=tuple(dict.fromkeys(f"{one.workload}: {one.subject}" for one in members)),
    )
