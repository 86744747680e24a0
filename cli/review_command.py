"""``sizewell review``: what a change does, between two refs or two saved outputs."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli.review_sides import exit_bad_input, read_sides

if TYPE_CHECKING:
    from review.model import Review

#: A condition of the gate is met.
GATE_EXIT_CODE = 1
#: Head does not synthesize, in one environment or more.
HEAD_EXIT_CODE = 3
#: What a file is called that is the standard output.
STDOUT = "-"


def run_review(
    base: str,
    head: str | None,
    *,
    environments: Sequence[str],
    config: Path,
    conditions: Sequence[str],
    files: Mapping[str, str | None],
) -> None:
    """Print and write a review, and end the command with the exit code that says what came out.

    ``files`` names a file for each format, ``-`` for the standard output.
    """
    targets = check_targets(files)
    check_conditions(conditions)
    reviewed, is_synthesized = make_review(base, head, environments, config, conditions)
    publish(reviewed, targets)
    if not is_synthesized:
        raise typer.Exit(HEAD_EXIT_CODE)
    if reviewed.gate and reviewed.gate.failures:
        raise typer.Exit(GATE_EXIT_CODE)


def make_review(
    base: str, head: str | None, environments: Sequence[str], config: Path, conditions: Sequence[str]
) -> tuple["Review", bool]:
    """Return the review, and whether all of head synthesizes; ends the command on bad input."""
    from review.compare import compare_outputs, with_gate
    from review.gate import GateSyntaxError
    from review.model import Note

    sides = read_sides(base, head, environments, config)
    reviewed = compare_outputs(sides.base, sides.head, environments=environments or None)
    try:
        reviewed = with_gate(reviewed, conditions, sides.base, sides.head)
    except GateSyntaxError as error:
        exit_bad_input("\n".join(error.faults))
    notes = tuple(Note(severity="notice", text=text) for text in sides.notes)
    return reviewed.model_copy(update={"notes": (*reviewed.notes, *notes)}), not sides.head.errors


def publish(reviewed: "Review", targets: Mapping[str, str]) -> None:
    """Write the review in every format that was asked for; on the terminal where none goes to standard output."""
    from review.rendering import render_html, render_json, render_markdown

    render: dict[str, Callable[[Review], str]] = {
        "markdown": render_markdown,
        "html": render_html,
        "json": render_json,
    }
    texts = {target: render[name](reviewed) for name, target in targets.items()}
    for target, text in texts.items():
        if target != STDOUT:
            write_whole(Path(target), text)
    if STDOUT in texts:
        typer.echo(texts[STDOUT], nl=False)
        return
    from cli.console import open_console
    from cli.review_view import print_review

    with open_console() as console:
        print_review(reviewed, console)


def check_targets(files: Mapping[str, str | None]) -> dict[str, str]:
    """Return the formats with their files; raises ``typer.BadParameter``, before anything is synthesized."""
    targets = {name: file for name, file in files.items() if file}
    if list(targets.values()).count(STDOUT) > 1:
        raise typer.BadParameter("one format goes to standard output, the others into files")
    places = [Path(file).resolve() for file in targets.values() if file != STDOUT]
    if len(set(places)) < len(places):
        raise typer.BadParameter("each format needs a file of its own")
    for name, file in targets.items():
        if file != STDOUT and (not Path(file).resolve().parent.is_dir() or Path(file).is_dir()):
            raise typer.BadParameter(f"--{name} {file}: name a file in a directory that exists")
    return targets


def check_conditions(conditions: Sequence[str]) -> None:
    """End the command with every fault of the conditions, before anything is synthesized."""
    if not conditions:
        return
    from review.gate import GateSyntaxError, parse_conditions

    try:
        parse_conditions(conditions)
    except GateSyntaxError as error:
        exit_bad_input("\n".join(f"--fail-on: {fault}" for fault in error.faults))


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; ends the command when it cannot be written."""
    place = path.resolve()
    temporary = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        if place.exists() and not place.is_file():
            place.write_text(text, "utf-8")  # /dev/null and the like cannot be replaced
            return
        try:
            temporary.write_text(text, "utf-8")
            temporary.replace(place)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        exit_bad_input(f"{path}: cannot be written: {error.strerror}")
