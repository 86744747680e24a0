"""The two sides of a review: directories that are read, refs and the work tree that are synthesized."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from review.saved.output import SavedOutput
    from review.saved.reading import OutputReader

#: No such ref, directory or environment, an output that cannot be read, options that do not go together.
BAD_INPUT_EXIT_CODE = 2
#: Head when base is a saved output: what ``make synth`` and ``cdk synth`` write.
DEFAULT_OUTPUT = "cdk.out"
#: The files of the project as they are on the disk.
WORK_TREE = "worktree"


@dataclass(frozen=True)
class Sides:
    """What is compared."""

    base: "SavedOutput"
    head: "SavedOutput"
    notes: tuple[str, ...] = ()
    """What the reader must know about the way they were synthesized."""


def read_sides(base: str, head: str | None, environments: Sequence[str], config: Path) -> Sides:
    """Return both sides; ends the command on bad input.

    An existing directory is read, anything else is synthesized: without such a side, neither git nor CDK start.
    """
    from review.comparison import have_nothing_in_common
    from review.saved.errors import SavedOutputError
    from review.saved.reading import OutputReader

    named = {"--base": base, "--head": head or _default_head(base)}
    reader = OutputReader()
    try:
        if not all(_is_saved(side) for side in named.values()):
            sides = _synthesize(named, environments, config, reader)
        else:
            was, will_be = (reader.read(Path(side), side) for side in named.values())
            sides = Sides(was, will_be)
            if have_nothing_in_common(sides.base, sides.head):
                exit_bad_input(_two_projects(sides))
    except SavedOutputError as error:
        exit_bad_input("\n".join(error.faults))
    there = {name for side in (sides.base, sides.head) for name in (*side.assemblies, *side.errors)}
    _check_environments(environments, there)
    return sides


def exit_bad_input(message: str) -> NoReturn:
    """Print a message on standard error and end with the exit code of bad input."""
    typer.echo(message, err=True)
    raise typer.Exit(BAD_INPUT_EXIT_CODE)


def _synthesize(
    named: Mapping[str, str], environments: Sequence[str], config: Path, reader: "OutputReader"
) -> Sides:
    from review.saved.output import SavedOutput
    from synthesis import SynthesisError, environments_at, synthesize_side

    project, directory = Path.cwd(), _in_project(config)
    refs = {
        option: None if side == WORK_TREE else side for option, side in named.items() if not _is_saved(side)
    }
    outputs: list[SavedOutput] = []
    notes: dict[str, None] = {}
    option = ""
    try:
        # Every ref is looked up before the first is synthesized: a typo costs no minute.
        known = {}
        for option, ref in refs.items():
            _check_path(option, ref)
            known[option] = environments_at(project, ref, config=directory)
        if len(known) == len(named):
            _check_known(known.values(), environments, directory)
        for option, side in named.items():
            if option not in refs:
                outputs.append(reader.read(Path(side), side))
                continue
            made = synthesize_side(
                project, refs[option], environments or None, config=directory, progress=_say
            )
            output = reader.read(made.directory, made.label) if made.directory else SavedOutput(made.label)
            outputs.append(replace(output, errors=made.errors))
            notes.update(dict.fromkeys(made.notes))
            for name in made.errors:
                _say(f"{name} does not synthesize at {made.label}.")
    except SynthesisError as error:
        exit_bad_input(f"{option}: {error}")
    base, head = outputs
    return Sides(base, head, tuple(notes))


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _default_head(base: str) -> str:
    if not _is_saved(base):
        return WORK_TREE
    if not Path(DEFAULT_OUTPUT).is_dir():
        exit_bad_input(
            f"base is the directory {base}, and there is no {DEFAULT_OUTPUT} to compare with it\n"
            f"  say what head is: --head DIR, or --head {WORK_TREE}"
        )
    return DEFAULT_OUTPUT


def _is_saved(side: str) -> bool:
    """Return whether a side is a directory; ``worktree`` never is, ``./worktree`` may be."""
    return side != WORK_TREE and bool(side) and Path(side).is_dir()


def _in_project(config: Path) -> str:
    """Return the configuration directory as it is called in the project, at any ref."""
    project = Path.cwd()
    return (config.relative_to(project) if config.is_relative_to(project) else config).as_posix()


def _check_path(option: str, ref: str | None) -> None:
    """End the command where something is meant to be a directory: no ref begins with a dot or a slash."""
    if ref is not None and (not ref or ref.startswith((".", "/", "~"))):
        exit_bad_input(f'{option}: there is no directory "{ref}"')


def _check_known(
    known: Collection[Sequence[str] | None], environments: Sequence[str], directory: str
) -> None:
    """End the command where neither ref has what was asked for."""
    from synthesis import DEFAULT_CONFIG

    if all(names is None for names in known):
        if directory != DEFAULT_CONFIG:
            exit_bad_input(f'--config: there is no directory "{directory}" in either side')
    elif None not in known:
        there = {name for names in known for name in names or ()}
        if not there:
            exit_bad_input(f"there is no environment in {directory}/ in either side: no file like dev.yaml")
        _check_environments(environments, there)


def _check_environments(wanted: Iterable[str], there: Collection[str]) -> None:
    """End the command with every environment that neither side has, and what was probably meant."""
    from config.faults import near_match

    faults = []
    for name in wanted:
        if name not in there:
            match = near_match(name, sorted(there))
            hint = f"did you mean {match}?" if match else f"there are: {', '.join(sorted(there))}"
            faults.append(f'--env: neither side has an environment "{name}"\n  {hint}')
    if faults:
        exit_bad_input("\n".join(faults))


def _two_projects(sides: Sides) -> str:
    """Say that nothing can be compared, with the stacks that show it."""
    lines = ["two different projects: no stack is on both sides"]
    for option, side in (("base", sides.base), ("head", sides.head)):
        names = sorted({name for assembly in side.assemblies.values() for name in assembly.stacks})
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"  {option} {side.label}: {', '.join(names[:3])}{more}")
    return "\n".join(lines)
