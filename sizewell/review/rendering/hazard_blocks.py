"""Hazards as they are read: what goes away as a whole first, and what holds for several things once."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sizewell.review.model import Hazard, Review
from sizewell.review.rendering.words import SEVERITIES
from sizewell.review.words import counted

#: What a hazard says, whatever it is about.
_SAYS = ("rule", "severity", "cause", "consequence", "what_to_do")
#: A lost environment is read before everything else.
_FIRST = "environment-removed"
#: Others follow from these, so that they are read before them.
_ROOTS = frozenset({_FIRST, "stack-removed", "workload-removed", "stack-relocated", "endpoint-renamed"})
#: What holds data, by the words of a subject; what is lost for good comes first, logs come last.
_KINDS = (
    re.compile(r"\bkeys?\b|secret"),
    re.compile(r"bucket|table|database|\bdb|file ?system|volume|repositor"),
    re.compile(r"queue|topic|\bstream"),
    re.compile(r"^(?!.*\blog)"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Subjects of the same environments."""

    environments: tuple[str, ...]
    subjects: tuple[str, ...]

    def shown(self, most: int = 20) -> tuple[str, ...]:
        """Return the subjects, and of many the first ones and the number of the others."""
        left_out = len(self.subjects) - most
        return (*self.subjects[:most], *([f"{left_out:,} more"] if left_out > 0 else []))


@dataclass(frozen=True, slots=True)
class HazardBlock:
    """Hazards that differ only in what they are about."""

    hazard: Hazard
    environments: tuple[str, ...]
    count: int
    places: tuple[Place, ...]

    @property
    def is_single(self) -> bool:
        """Return whether it is all about one thing, in whatever environments."""
        return len(self.places) == 1 and len(self.places[0].subjects) == 1

    @property
    def title(self) -> str:
        """Return what it is about, or of several things how many there are."""
        return self.places[0].subjects[0] if self.is_single else f"{self.count:,} times"


def hazard_blocks(hazards: Iterable[Hazard]) -> list[HazardBlock]:
    """Return the hazards in reading order, those that say the same of several things together."""
    found: dict[tuple[str, ...], list[Hazard]] = {}
    for hazard in _in_reading_order(list(hazards)):
        found.setdefault(tuple(getattr(hazard, name) for name in _SAYS), []).append(hazard)
    return [_block(same) for same in found.values()]


def hazard_counts(review: Review) -> str:
    """Return how many hazards there are of each severity, and in how many blocks they are told."""
    severities = Counter(hazard.severity for hazard in review.hazards)
    counts = ", ".join(
        counted(severities[severity], severity) for severity in SEVERITIES if severity in severities
    )
    blocks, places = len(hazard_blocks(review.hazards)), len(review.hazards)
    if blocks == places:
        return counts
    return f"{counts} ({counted(blocks, 'finding')} in {counted(places, 'place')})"


def _in_reading_order(hazards: Sequence[Hazard]) -> list[Hazard]:
    groups = list(dict.fromkeys((hazard.severity, hazard.environment) for hazard in hazards))
    severities = list(SEVERITIES)
    return sorted(
        hazards,
        key=lambda hazard: (
            hazard.rule != _FIRST,
            severities.index(hazard.severity),
            groups.index((hazard.severity, hazard.environment)),
            hazard.rule not in _ROOTS,
        ),
    )


def _block(same: Sequence[Hazard]) -> HazardBlock:
    environments: dict[str, list[str]] = {}
    for hazard, subject in zip(same, _distinguished(same), strict=True):
        environments.setdefault(subject, []).append(hazard.environment)
    places: dict[tuple[str, ...], list[str]] = {}
    for subject in sorted(environments, key=_loss_first):
        places.setdefault(tuple(dict.fromkeys(environments[subject])), []).append(subject)
    names = tuple(dict.fromkeys(hazard.environment for hazard in same))
    in_order = sorted(places.items(), key=lambda found: [names.index(name) for name in found[0]])
    return HazardBlock(same[0], names, len(same), tuple(Place(at, tuple(them)) for at, them in in_order))


def _distinguished(same: Sequence[Hazard]) -> list[str]:
    """Return the subjects, with the stack where an environment has several of the same words."""
    stacks: dict[tuple[str, str], set[str]] = {}
    for hazard in same:
        stacks.setdefault((hazard.environment, hazard.subject), set()).add(hazard.stack)
    several = {subject for (_, subject), found in stacks.items() if len(found) > 1}
    return [
        f"{hazard.subject} of {hazard.stack}" if hazard.subject in several else hazard.subject
        for hazard in same
    ]


def _loss_first(subject: str) -> tuple[int, str]:
    """Return the rank of a subject by its kind, which stands before its name, and the name."""
    kind = (subject.partition(" of ")[0].rpartition(" ")[0] or subject).lower()
    return next((rank for rank, words in enumerate(_KINDS) if words.search(kind)), len(_KINDS)), subject
