"""``sizewell review``: what a change does, between two refs or two saved outputs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sizewell.cli.output import echo, write_file
from sizewell.cli.review_sides import SYNTH_EXIT_CODE, Sides, exit_bad_input, in_project, read_sides, say
from sizewell.cli.unexpected import doing

if TYPE_CHECKING:
    from sizewell.review.model import Review

#: A condition of the gate is met.
GATE_EXIT_CODE = 1
#: What a file is called that is the standard output.
STDOUT = "-"


def run_review(
    base: str | None,
    head: str | None,
    *,
    environments: Sequence[str],
    config: Path,
    conditions: Sequence[str],
    files: Mapping[str, str | None],
    production: Sequence[str] | None = None,
    date: str | None = None,
    profile: str | None = None,
) -> None:
    """Print and write a review, and end the command with the exit code that says what came out.

    ``files`` names a file for each format, ``-`` for the standard output; ``date`` is the day, YYYY-MM-DD; ``profile`` is for
    a base that is deployed.
    """
    with doing("reviewing"):
        base = _default_base() if base is None else base
        targets, faults = check_targets(files)
        reviewed, sides = make_review(
            base, head, environments, config, conditions, faults, production, date, profile
        )
        publish(reviewed, targets, config, sides.directories)
    if sides.head.errors:
        raise typer.Exit(SYNTH_EXIT_CODE)
    if reviewed.gate and reviewed.gate.failures:
        raise typer.Exit(GATE_EXIT_CODE)


def _default_base() -> str:
    from sizewell.synthesis import SynthesisError, default_branch

    try:
        branch = default_branch(Path.cwd())
    except SynthesisError as error:
        exit_bad_input(str(error))
    if branch is None:
        exit_bad_input(
            "there is no default branch to compare with: neither origin/HEAD nor main or master; say what base is: --base REF|DIR"
        )
    say(f"Base is {branch}, the default branch; --base names another.\n")
    return branch


def make_review(
    base: str,
    head: str | None,
    environments: Sequence[str],
    config: Path,
    conditions: Sequence[str],
    faults: Sequence[str] = (),
    production: Sequence[str] | None = None,
    date: str | None = None,
    profile: str | None = None,
) -> tuple["Review", Sides]:
    """Return the review of both sides; ends the command on bad input, with ``faults`` that are known already."""
    from sizewell.review.compare import compare_outputs, with_gate
    from sizewell.review.gate import GateSyntaxError
    from sizewell.review.model import Note

    sides = read_sides(
        base,
        head,
        environments,
        config,
        check=lambda names: condition_faults(conditions, names),
        faults=faults,
        profile=profile,
    )
    with doing(f"comparing {sides.base.label} with {sides.head.label}", *sides.directories):
        reviewed = compare_outputs(
            sides.base, sides.head, environments=environments or None, production=production
        )
        live, idle = split_conditions(conditions, sides)
        try:
            reviewed = with_gate(reviewed, live, sides.base, sides.head, date=date)
        except GateSyntaxError as error:
            exit_bad_input("\n".join(f"policy: {fault}" for fault in error.faults))
    texts = [
        f"--fail-on {condition} stops nothing here: that environment is not compared" for condition in idle
    ]
    notes = tuple(Note(severity="notice", text=text) for text in (*sides.notes, *texts))
    return reviewed.model_copy(update={"notes": (*reviewed.notes, *notes)}), sides


def publish(
    reviewed: "Review", targets: Mapping[str, str], config: Path, directories: Sequence[str] = ()
) -> None:
    """Write the review in every format that was asked for; on the terminal where none goes to standard output."""
    from sizewell.review.rendering import render_html, render_json, render_markdown, render_sarif

    render: dict[str, Callable[[Review], str]] = {
        "markdown": render_markdown,
        "html": render_html,
        "json": render_json,
        "sarif": lambda review: render_sarif(review, in_project(config)),
    }
    texts = {}
    for name, target in targets.items():
        with doing(f"rendering the review as {name}", *directories):
            texts[target] = render[name](reviewed)
    for target, text in texts.items():
        if target != STDOUT:
            write_file(Path(target), text)
    if STDOUT in texts:
        echo(texts[STDOUT], newline=False)
        return
    from sizewell.cli.console import open_console
    from sizewell.cli.review_view import print_review

    with doing("printing the review", *directories), open_console() as console:
        print_review(reviewed, console)


def check_targets(files: Mapping[str, str | None]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the formats with their files, and what is wrong with those."""
    targets = {name: file for name, file in files.items() if file is not None}
    faults = []
    if list(targets.values()).count(STDOUT) > 1:
        names = " and ".join(f"--{name}" for name, file in targets.items() if file == STDOUT)
        faults.append(f"{names}: one format goes to standard output, the others into files")
    places: dict[Path, str] = {}
    for name, file in targets.items():
        if file == STDOUT:
            continue
        place = Path(file).resolve()
        if not file or not place.parent.is_dir() or place.is_dir():
            faults.append(f'--{name} "{file}": name a file in a directory that exists')
        elif first := places.get(place):
            faults.append(f"--{first} and --{name}: each format needs a file of its own")
        places.setdefault(place, name)
    return targets, tuple(faults)


def condition_faults(conditions: Sequence[str], environments: Collection[str] | None) -> tuple[str, ...]:
    """Return every fault of the conditions; they may name any environment while None is known."""
    if not conditions:
        return ()
    from sizewell.review.gate import GateSyntaxError, parse_conditions

    try:
        parse_conditions(conditions, environments=environments)
    except GateSyntaxError as error:
        return tuple(f"--fail-on: {fault}" for fault in error.faults)
    return ()


def split_conditions(conditions: Sequence[str], sides: Sides) -> tuple[list[str], list[str]]:
    """Return the conditions that may stop the change, and those for environments that are not compared."""
    compared = {name for side in (sides.base, sides.head) for name in (*side.assemblies, *side.errors)}
    live: list[str] = []
    idle: list[str] = []
    for condition in (part.strip() for text in conditions for part in text.split(",") if part.strip()):
        environment = "".join(condition.partition("@")[2].split())
        (live if not environment or environment in compared else idle).append(condition)
    return live, idle
