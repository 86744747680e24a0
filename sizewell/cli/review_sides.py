"""The two sides of a review: directories are read, refs and the work tree are synthesized, stacks are looked up."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from sizewell.cli.output import tell
from sizewell.cli.unexpected import doing

if TYPE_CHECKING:
    from sizewell.review.saved.output import SavedOutput
    from sizewell.review.saved.reading import OutputReader
    from sizewell.synthesis import SynthesizedSide

#: No such ref, directory or environment, an output that cannot be read, options that do not go together.
BAD_INPUT_EXIT_CODE = 2
#: An environment does not synthesize.
SYNTH_EXIT_CODE = 3
#: Beside saved outputs: by environment, what was printed where there is none. ``sizewell.cli.save_side`` writes it.
ERRORS_FILE = "errors.json"
#: Head when base is a saved output: what ``make synth`` and ``cdk synth`` write.
DEFAULT_OUTPUT = "cdk.out"
#: The files of the project as they are on the disk.
WORK_TREE = "worktree"
#: Base as it is in the account.
DEPLOYED = "deployed"
_APP = "cdk.json"

#: Returns what is wrong with something that names environments, given those that there are; None: not known yet.
EnvironmentCheck = Callable[[Collection[str] | None], Sequence[str]]


@dataclass(frozen=True)
class Sides:
    """What is compared."""

    base: "SavedOutput"
    head: "SavedOutput"
    directories: tuple[str, ...]
    """Where the outputs are."""
    environments: frozenset[str]
    """All of the project, also those that are not compared."""
    notes: tuple[str, ...] = ()
    """What the reader must know about the way they were synthesized."""


@dataclass(frozen=True)
class _Found:
    """A side before anything is synthesized."""

    option: str
    side: str
    saved: "SavedOutput | None" = None
    environments: frozenset[str] | None = None
    """None where they are not known: there is no configuration directory."""
    faults: tuple[str, ...] = ()


def read_sides(
    base: str,
    head: str | None,
    environments: Sequence[str],
    config: Path,
    *,
    check: EnvironmentCheck = lambda _: (),
    faults: Sequence[str] = (),
    profile: str | None = None,
) -> Sides:
    """Return both sides; ends the command with all ``faults`` of the input before anything is synthesized.

    An existing directory is read, anything else is synthesized: without such a side, neither git nor CDK start.
    A base that is deployed is read with the credentials of ``profile``.
    """
    from sizewell.review.comparison import have_nothing_in_common
    from sizewell.review.saved.reading import OutputReader

    reader, directory = OutputReader(), in_project(config)
    found = list(_look_up(base, head, directory, reader))
    known = _known(found)
    there = known if known and len(found) == 2 else None
    seen = list(dict.fromkeys(fault for one in found for fault in one.faults))
    if not seen:
        seen += _configuration_faults(found, known, directory)
    if there:
        seen += _environment_faults(environments, there)
    if profile is not None and base != DEPLOYED:
        seen.append(f"--profile: only --base {DEPLOYED} reads an account")
    seen += [*check(there), *faults]
    if seen:
        exit_bad_input("\n".join(seen))
    sides = _synthesize(found, environments, directory, reader, known or frozenset(), profile)
    if not there and (
        late := [*_environment_faults(environments, sides.environments), *check(sides.environments)]
    ):
        exit_bad_input("\n".join(late))
    if all(one.saved and one.saved.assemblies for one in found) and have_nothing_in_common(
        sides.base, sides.head
    ):
        exit_bad_input(_two_projects(sides))
    return sides


def exit_bad_input(message: str) -> NoReturn:
    """Print a message on standard error and end with the exit code of bad input."""
    tell(message)
    raise typer.Exit(BAD_INPUT_EXIT_CODE)


def say(text: str) -> None:
    """Print a line about the progress on standard error."""
    tell(text, newline=False)


def in_project(config: Path) -> str:
    """Return the configuration directory as it is called in the project, at any ref."""
    project = Path.cwd()
    return (config.relative_to(project) if config.is_relative_to(project) else config).as_posix()


def check_is_project() -> None:
    """End the command below the directory of the project: what is there is no app."""
    here = Path.cwd()
    for number, place in enumerate((here, *here.parents)):
        if (place / _APP).is_file():
            if number:
                exit_bad_input(f"there is no {_APP} here; it is in {'/'.join(['..'] * number)}: run it there")
            return
        if (place / ".git").exists():
            return


def _look_up(base: str, head: str | None, config: str, reader: "OutputReader") -> Iterator[_Found]:
    """Yield what is known of both sides; of base alone where it has faults and nobody named a head."""
    if base == DEPLOYED:
        head = head or WORK_TREE
        if not _is_saved(head):
            check_is_project()
        found = _find("--head", head, config, reader)
        yield _Found("--base", DEPLOYED, environments=found.environments)
        yield found
        return
    is_default = head is None
    head = head or (DEFAULT_OUTPUT if _is_saved(base) else WORK_TREE)
    if is_default and head == DEFAULT_OUTPUT and not _is_saved(head):
        fault = (
            f"base is the directory {base}, and there is no {DEFAULT_OUTPUT} to compare with it\n"
            f"  say what head is: --head DIR, or --head {WORK_TREE}"
        )
        yield _Found("--head", head, faults=(fault,))
        return
    if not (_is_saved(base) and _is_saved(head)):
        check_is_project()
    first = _find("--base", base, config, reader)
    yield first
    if not (first.faults and is_default):
        second = _find("--head", head, config, reader)
        repeated = {fault.partition(": ")[2] for fault in first.faults}
        yield replace(second, faults=tuple(f for f in second.faults if f.partition(": ")[2] not in repeated))


def _find(option: str, side: str, config: str, reader: "OutputReader") -> _Found:
    from sizewell.review.saved.errors import SavedOutputError

    if _is_saved(side):
        with doing(f"reading {side}", side):
            try:
                saved = _read_saved(reader, Path(side), side)
            except SavedOutputError as error:
                return _Found(option, side, faults=error.faults)
        return _Found(option, side, saved, frozenset((*saved.assemblies, *saved.errors)))
    if not side or side.startswith((".", "/", "~")):
        # It is meant to be a directory: no ref begins with a dot or a slash.
        return _Found(option, side, faults=(f'{option}: there is no directory "{side}"',))
    from sizewell.synthesis import SynthesisError, environments_at

    with doing(f"looking up {side}"):
        try:
            names = environments_at(Path.cwd(), _ref(side), config=config)
        except SynthesisError as error:
            return _Found(option, side, faults=(f"{option}: {error}",))
    return _Found(option, side, environments=None if names is None else frozenset(names))


def _read_saved(reader: "OutputReader", directory: Path, label: str) -> "SavedOutput":
    """Return the outputs in a directory, and the errors of those that are not there; raises ``SavedOutputError``."""
    from pydantic import TypeAdapter, ValidationError

    from sizewell.review.saved.errors import SavedOutputError
    from sizewell.review.saved.output import SavedOutput

    file = directory / ERRORS_FILE
    if not file.is_file():
        return reader.read(directory, label)
    try:
        errors = TypeAdapter(dict[str, str]).validate_json(file.read_bytes())
    except ValidationError:
        raise SavedOutputError([f"{file}: a map of texts was expected"]) from None
    nothing = errors and not any(path.is_dir() for path in directory.iterdir())
    output = SavedOutput(label) if nothing else reader.read(directory, label)
    return replace(output, errors=errors)


def _known(found: Iterable[_Found]) -> frozenset[str] | None:
    """Return the environments of all sides; None where those of a side are not known."""
    names: set[str] = set()
    for one in found:
        if one.environments is None:
            return None
        names |= one.environments
    return frozenset(names)


def _synthesize(
    found: Sequence[_Found],
    environments: Sequence[str],
    config: str,
    reader: "OutputReader",
    known: frozenset[str],
    profile: str | None,
) -> Sides:
    is_deployed = found[0].side == DEPLOYED
    written = found[1:] if is_deployed else found
    new = [one.side for one in written if not one.saved]
    made = iter(_synthesize_new(new, environments, config) if new else ())
    outputs: list[SavedOutput] = []
    directories: list[str] = []
    notes: dict[str, None] = {}
    for one in written:
        if one.saved:
            outputs.append(one.saved)
            directories.append(one.side)
            continue
        side = next(made)
        output = _read_synthesized(side, reader)
        outputs.append(output)
        directories += [str(side.directory)] if side.directory else []
        notes.update(dict.fromkeys(side.notes))
    if is_deployed:
        outputs.insert(0, _read_deployed(outputs[0], environments, profile))
    base, head = outputs
    there = {name for side in outputs for name in (*side.assemblies, *side.errors)}
    return Sides(base, head, tuple(directories), known | there, tuple(notes))


def _synthesize_new(
    sides: Sequence[str], environments: Sequence[str], config: str
) -> tuple["SynthesizedSide", ...]:
    from sizewell.synthesis import SynthesisError, synthesize_sides

    with doing(f"synthesizing {' and '.join(sides)}"):
        try:
            refs = [_ref(side) for side in sides]
            return synthesize_sides(Path.cwd(), refs, environments or None, config=config, progress=say)
        except SynthesisError as error:
            exit_bad_input(str(error))


def _read_synthesized(made: "SynthesizedSide", reader: "OutputReader") -> "SavedOutput":
    """Return the output of a side that was synthesized."""
    from sizewell.review.saved.errors import SavedOutputError
    from sizewell.review.saved.output import SavedOutput

    for name in made.errors:
        say(f"{name} does not synthesize at {made.label}.\n")
    if made.directory is None:
        return SavedOutput(made.label, errors=made.errors)
    with doing(f"reading what {made.label} synthesizes to", str(made.directory)):
        try:
            output = reader.read(made.directory, made.label)
        except SavedOutputError as error:
            exit_bad_input("\n".join(error.faults))
    return replace(output, errors=made.errors)


def _read_deployed(head: "SavedOutput", environments: Sequence[str], profile: str | None) -> "SavedOutput":
    """Return what is deployed of head, in some environments or in all."""
    from sizewell.cli.deployed_side import read_deployed
    from sizewell.review.saved.errors import SavedOutputError
    from sizewell.review.saved.output import SavedOutput

    wanted = {name: one for name, one in head.assemblies.items() if not environments or name in environments}
    with doing("reading what is deployed"):
        try:
            return SavedOutput(DEPLOYED, read_deployed(wanted, profile))
        except SavedOutputError as error:
            exit_bad_input("\n".join(error.faults))


def _ref(side: str) -> str | None:
    return None if side == WORK_TREE else side


def _is_saved(side: str) -> bool:
    """Return whether a side is a directory; ``worktree`` never is, ``./worktree`` may be."""
    return side != WORK_TREE and bool(side) and Path(side).is_dir()


def _configuration_faults(
    found: Sequence[_Found], known: Collection[str] | None, directory: str
) -> Iterator[str]:
    """Yield that neither ref has the configuration directory, or an environment in it."""
    if any(one.saved for one in found):
        return
    from sizewell.synthesis import DEFAULT_CONFIG

    if all(one.environments is None for one in found):
        if directory != DEFAULT_CONFIG:
            yield f'--config: there is no directory "{directory}" in either side'
    elif known is not None and not known:
        yield f"there is no environment in {directory}/ in either side: no file like dev.yaml"


def _environment_faults(wanted: Iterable[str], there: Collection[str]) -> Iterator[str]:
    """Yield every environment that neither side has, and what was probably meant."""
    from sizewell.config.faults import near_match

    for name in wanted:
        if name not in there:
            match = near_match(name, sorted(there))
            hint = f"did you mean {match}?" if match else f"there are: {', '.join(sorted(there))}"
            yield f'--env: neither side has an environment "{name}"\n  {hint}'


def _two_projects(sides: Sides) -> str:
    """Say that nothing can be compared, with the stacks that show it."""
    lines = ["two different projects: no stack is on both sides"]
    for option, side in (("base", sides.base), ("head", sides.head)):
        names = sorted({name for assembly in side.assemblies.values() for name in assembly.stacks})
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"  {option} {side.label}: {', '.join(names[:3])}{more}")
    return "\n".join(lines)
