"""What a reader must know about the comparison itself."""

from collections.abc import Iterator, Sequence

from sizewell.planning.saved_workload import UnknownWorkload
from sizewell.review.comparison import EnvironmentPair, have_nothing_in_common
from sizewell.review.model import Note
from sizewell.review.saved.output import Assembly, SavedOutput
from sizewell.review.words import SEVERITIES


def comparison_notes(
    base: SavedOutput | None, head: SavedOutput, pairs: Sequence[EnvironmentPair]
) -> tuple[Note, ...]:
    """Return what failed, what is missing and what makes the two sides hard to compare, the worst first."""
    notes = (*_failures(base, head), *_strangers(base, head), *_of_pairs(pairs))
    return tuple(sorted(notes, key=lambda note: SEVERITIES.index(note.severity)))


def _failures(base: SavedOutput | None, head: SavedOutput) -> Iterator[Note]:
    for name, printed in sorted((base.errors if base else {}).items()):
        yield Note(
            severity="warning",
            environment=name,
            text=f"{name} of base does not synthesize, so head is reviewed alone there and nothing counts as changed",
            detail=printed,
        )
    for name, printed in sorted(head.errors.items()):
        yield Note(
            severity="danger",
            environment=name,
            text=f"{name} of head does not synthesize and cannot be deployed",
            detail=printed,
        )
    if base is None:
        yield Note(
            severity="warning",
            text="there is no base, so head is reviewed alone and nothing counts as changed",
        )


def _strangers(base: SavedOutput | None, head: SavedOutput) -> Iterator[Note]:
    if base and base.assemblies and head.assemblies and have_nothing_in_common(base, head):
        yield Note(
            severity="warning",
            text="base and head have no stack in common: everything of base is removed and everything of head is new, unless "
            "they are two different projects",
        )


def _of_pairs(pairs: Sequence[EnvironmentPair]) -> Iterator[Note]:
    for pair in pairs:
        for side, assembly in (("base", pair.base), ("head", pair.head)):
            if assembly is None:
                yield Note(severity="notice", environment=pair.name, text=f"{pair.name} is missing in {side}")
                continue
            for text in assembly.notes:
                yield Note(severity="warning", environment=pair.name, text=f"{side}: {text}")
            for workload in assembly.plan.of(UnknownWorkload) if assembly.plan else ():
                yield Note(
                    severity="danger" if side == "head" else "warning",
                    environment=pair.name,
                    workload=workload.name,
                    text=f"{side}: {workload.name} is a {workload.kind}, a kind that this release does not have: "
                    "its pick and its load are not reviewed",
                )
        if pair.base and pair.head:
            yield from _missing(pair.name, pair.base, pair.head)


def _missing(name: str, base: Assembly, head: Assembly) -> Iterator[Note]:
    if base.is_deployed:
        yield Note(
            severity="notice",
            environment=name,
            text="deployed stacks have no plan and no configuration: changed keys, picks, quotas and acknowledgements are not "
            "compared, and the cost of base follows from its templates",
        )
        return
    for what, ours, theirs, without in (
        ("plan.json", base.plan, head.plan, "selection, traffic and workloads"),
        ("config.json", base.config, head.config, "what the change means in the configuration"),
    ):
        sides = [side for side, found in (("base", ours), ("head", theirs)) if found is None]
        # What could not be read has a note of its own.
        unread = any(what in note for note in (*base.notes, *head.notes))
        if sides and not unread:
            yield Note(
                severity="notice",
                environment=name,
                text=f"there is no {what} in {' and '.join(sides)}, which an app with sizewell.Platform writes: "
                f"{without} are left out"
                if what == "plan.json"
                else f"there is no {what} in {' and '.join(sides)}: {without} is left out",
            )
    if base.plan and head.plan:
        if base.plan.catalog_version != head.plan.catalog_version:
            yield Note(
                severity="notice",
                environment=name,
                text=f"prices or hardware facts differ: catalog {base.plan.catalog_version} in base, "
                f"{head.plan.catalog_version} in head",
            )
        if base.plan.schema_version != head.plan.schema_version:
            yield Note(
                severity="notice",
                environment=name,
                text=f"plan.json has version {base.plan.schema_version} in base and {head.plan.schema_version} in head, so "
                "what only one of them says is not compared",
            )
