"""What a parity check says."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sizewell.review.model import ReviewModel

Kind = Literal["missing", "type", "hardware", "image", "permission", "setting", "size", "policy"]
"""The first six are differences of shape; sizes and policies may differ, and are listed all the same."""


class Difference(ReviewModel):
    """One place where the environments differ."""

    kind: Kind
    workload: str
    """Of the plan; ``foundation``, or the name of the stack without that of the environment."""
    subject: str
    """The construct path of the resource within its stack; the name of the stack where all of it is missing."""
    setting: str = ""
    """The path of the property, with the names of list items in it; or what is counted. Empty for whole resources."""
    value: str | None
    """None where the environment does not have it."""
    reference_value: str | None
    """None where the reference does not have it."""
    why: str
    """Why it matters, or why it may differ."""


class Parity(ReviewModel):
    """An environment compared with the one that it should have the shape of, its reference: staging with prod."""

    schema_version: int = 2
    environment: str
    reference: str
    same_shape: bool
    differences: tuple[Difference, ...]
    """Of shape: by workload, kind and subject."""
    allowed: tuple[Difference, ...]
    """Sizes and policies: what makes an environment smaller and easier to remove."""
    notes: tuple[str, ...] = ()
    """What could not be read, and is left out."""


@dataclass(frozen=True)
class DifferenceGroup:
    """Differences that say the same of several places, as one line."""

    kind: Kind
    what: str
    """The last name of the setting; ``resource`` where there is no setting."""
    value: str | None
    reference_value: str | None
    why: str
    workloads: tuple[str, ...]
    places: tuple[str, ...]
    """Workload and construct path of each."""


def group_differences(differences: Iterable[Difference]) -> tuple[DifferenceGroup, ...]:
    """Return the differences by what they say, in the order in which it is first said."""
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for difference in differences:
        key = (
            difference.kind,
            _what(difference),
            difference.value,
            difference.reference_value,
            difference.why,
        )
        groups.setdefault(key, []).append(difference)
    return tuple(_group(members) for members in groups.values())


def _what(difference: Difference) -> str:
    return difference.setting.rpartition(".")[2] or "resource"


def _group(members: list[Difference]) -> DifferenceGroup:
    first = members[0]
    return DifferenceGroup(
        kind=first.kind,
        what=_what(first),
        value=first.value,
        reference_value=first.reference_value,
        why=first.why,
        workloads=tuple(dict.fromkeys(difference.workload for difference in members)),
        places=tuple(dict.fromkeys(f"{difference.workload}: {difference.subject}" for difference in members)),
    )
