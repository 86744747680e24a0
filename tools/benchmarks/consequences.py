"""Score what a review says of changes whose consequences were written down before: ``python -m tools.benchmarks.consequences``.

Cases: ``tools/benchmarks/data/consequences``. All of them were looked at while tables and rules were written. ``--cases
DIRECTORY`` scores others, that nobody looked at; ``--list`` prints what is not exact.
"""

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from sizewell.review.compare import compare_outputs
from sizewell.review.model import Review
from sizewell.review.rendering import MARKER, render_markdown
from sizewell.review.saved.reading import OutputReader
from sizewell.review.verdict import CLOSED
from tools.benchmarks.review_cases.edits import CASES, Case, Side, changed, read_cases, read_side
from tools.benchmarks.reviews import synthesize

PROJECT = Path(__file__).parents[2]
SCORES = ("exact", "another level", "in part", "only listed", "missed", "called safe", "untrue")
_RANK = {"nothing": 0, "notice": 1, "warning": 2, "danger": 3}
_CENTS = 0.5
_FOLDED = re.compile("<details>.*?</details>", re.DOTALL)


@dataclass(frozen=True)
class Said:
    """What a review says of the resources that a case changes."""

    rank: int
    effect: str
    words: str


@dataclass(frozen=True)
class Scored:
    """A case, and how well the review knows its consequence."""

    case: Case
    score: str
    said: tuple[Said, ...]
    review: Review


def synthesize_bases(directory: Path) -> None:
    """Write the outputs of prod of all examples and of the project's own configuration."""
    examples = sorted(path.parent for path in (PROJECT / "examples").glob("*/config"))
    places = {f"{example.name}-prod": example / "config" for example in examples}
    places["demo-prod"] = PROJECT / "config"
    synthesize((directory / name, config) for name, config in places.items())


def score(case: Case, output: Path, side: Side, scratch: Path) -> Scored:
    """Apply a case to a copy of an output, and review it."""
    base, head = changed(case, side)
    for name, templates in (("base", base.templates), ("head", head.templates)):
        shutil.copytree(output, scratch / name / "prod")
        for stack, template in templates.items():
            (scratch / name / "prod" / f"{stack}.template.json").write_text(json.dumps(template), "utf-8")
    reader = OutputReader()
    review = compare_outputs(reader.read(scratch / "base", "base"), reader.read(scratch / "head", "head"))
    touched = _touched(base, head)
    said = tuple(_said(review, touched))
    return Scored(case, _score(case, review, said), said, review)


def _touched(base: Side, head: Side) -> set[str]:
    return {
        logical_id
        for stack in base.templates
        for before, after in [(base.templates[stack]["Resources"], head.templates[stack]["Resources"])]
        for logical_id in before.keys() | after.keys()
        if json.dumps(before.get(logical_id)) != json.dumps(after.get(logical_id))
    }


def _said(review: Review, touched: set[str]) -> Iterator[Said]:
    for hazard in review.hazards:
        if hazard.logical_id is None or hazard.logical_id in touched:
            yield Said(
                _RANK[hazard.severity], hazard.effect, f"{hazard.severity} {hazard.rule}: {hazard.cause}"
            )
    for change in review.security.others:
        if change.direction != "stronger" and (change.logical_id is None or change.logical_id in touched):
            rank = _RANK["warning" if change.direction == "weaker" else "notice"]
            yield Said(rank, "security", f"{change.direction} {change.rule}: {change.base} → {change.head}")
        elif change.rule in CLOSED:
            yield Said(_RANK["warning"], "availability", f"{change.rule}: {change.base}")
    for policy in review.security.iam:
        effect = "security" if policy.direction == "broadened" else "availability"
        yield Said(_RANK["warning"], effect, f"{policy.direction} {policy.policy}")
    if review.verdict.level == "danger":
        yield Said(_RANK["danger"], "security", review.verdict.sentence)


def _score(case: Case, review: Review, said: Sequence[Said]) -> str:
    expected, top = _RANK[case.level], max((found.rank for found in said), default=0)
    level = review.verdict.level
    if case.effect == "nothing":
        if top <= expected:
            return "only listed" if level == "not known" else "exact"
        return "in part" if top <= _RANK["notice"] else "untrue"
    if case.effect == "money":
        told = _money(review) == case.money or any(found.effect == "money" for found in said)
        if top == _RANK["danger"]:
            return "untrue"
        return "exact" if told else "in part" if said or _money(review) == "unknown" else _unsaid(level)
    effects = {found.effect for found in said if found.rank == top}
    if case.effect in effects and abs(top - expected) <= 1:
        return "exact" if top == expected else "another level"
    return "in part" if said else _unsaid(level)


def _unsaid(level: str) -> str:
    if level in ("safe", "nothing found"):
        return "called safe"
    return "missed" if level == "no change" else "only listed"


def _money(review: Review) -> str:
    for cost in review.cost:
        if cost.difference.expected is None or cost.unknown_changes:
            return "unknown"
        moved = (cost.difference.expected, cost.difference.maximum or 0.0)
        if any(abs(amount) > _CENTS for amount in moved):
            return "up" if max(moved) > _CENTS else "down"
    return "same"


def score_all(cases: Iterable[Case], outputs: Path) -> list[Scored]:
    """Return the scores of cases, over the outputs in a directory."""
    sides: dict[str, Side] = {}
    scored = []
    for case in cases:
        side = sides.setdefault(case.base, read_side(outputs / case.base))
        with TemporaryDirectory() as scratch:
            scored.append(score(case, outputs / case.base, side, Path(scratch)))
    return scored


def visible_lines(review: Review) -> int:
    """Return how many lines of the comment are read before anything is unfolded."""
    shown = _FOLDED.sub("folded", render_markdown(review)).removeprefix(MARKER)
    return sum(bool(line.strip()) for line in shown.splitlines())


def table_of(scored: Iterable[Scored]) -> Table:
    """Return a row for each theme, each kind of harm, and all."""
    found: dict[str, Counter[str]] = {}
    for each in scored:
        for group in (each.case.theme, each.case.harm, "all"):
            found.setdefault(group, Counter())[each.score] += 1
    groups = sorted(found.items(), key=lambda group: (group[0] == "all", group[0]))
    table = Table("cases", "", *SCORES)
    for name, counts in groups:
        total = counts.total()
        exact = f"{counts['exact']} ({counts['exact'] / total:.0%})"
        table.add_row(name, str(total), exact, *(str(counts[score]) for score in SCORES[1:]))
    return table


def main() -> int:
    """Print the scores; the exit code is 1 where something harmful is called safe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES, help="the directory of the cases")
    parser.add_argument("--list", action="store_true", help="print every case that is not exact")
    parser.add_argument("--outputs", type=Path, help="outputs that were synthesized before")
    given = parser.parse_args()
    with TemporaryDirectory() as directory:
        outputs = given.outputs or Path(directory)
        if given.outputs is None:
            synthesize_bases(outputs)
        scored = score_all(read_cases(given.cases), outputs)
    console = Console()
    for each in scored if given.list else ():
        if each.score != "exact":
            case = each.case
            expected = f"{case.level} {case.effect}, money {case.money}"
            console.print(f"{each.score}: {case.name} ({expected})", markup=False, highlight=False)
            for words in [found.words for found in each.said] or [
                f"{each.review.verdict.level}: {each.review.verdict.sentence}"
            ]:
                console.print(f"    {words[:160]}", markup=False, highlight=False)
    console.print(table_of(scored))
    lines = [visible_lines(each.review) for each in scored]
    console.print(f"A comment shows {median(lines):g} lines in the middle, {max(lines)} at the most.")
    return int(any(each.score == "called safe" for each in scored))


if __name__ == "__main__":
    sys.exit(main())
