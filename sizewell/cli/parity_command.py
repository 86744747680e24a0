"""``sizewell parity``: whether one environment has the shape of another."""

from collections.abc import Collection
from pathlib import Path

import typer

from sizewell.cli.output import echo, tell
from sizewell.cli.review_sides import SYNTH_EXIT_CODE, check_is_project, exit_bad_input, in_project, say
from sizewell.cli.unexpected import doing
from sizewell.config.faults import near_match
from sizewell.review.parity import Parity, compare_shape
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.reading import OutputReader

#: With ``--check``: the shape is another one.
DIFFERENT_EXIT_CODE = 1


def run_parity(
    environment: str,
    like: str,
    output: Path | None,
    config: Path,
    *,
    as_json: bool,
    markdown: bool,
    check: bool,
) -> None:
    """Print how the shapes of two environments differ; with ``check``, end with 1 when they do."""
    from sizewell.cli.console import open_console
    from sizewell.cli.parity_view import parity_to_json, parity_to_markdown, print_parity

    with doing(f"comparing {environment} with {like}"):
        parity = (
            load_parity(output, environment, like) if output else synthesize_parity(environment, like, config)
        )
        if as_json:
            echo(parity_to_json(parity), newline=False)
        elif markdown:
            echo(parity_to_markdown(parity), newline=False)
        else:
            with open_console() as console:
                print_parity(parity, console)
    if check and not parity.same_shape:
        raise typer.Exit(DIFFERENT_EXIT_CODE)


def synthesize_parity(environment: str, like: str, config: Path) -> Parity:
    """Return the comparison of two environments as the files are now; ends the command where one does not synthesize."""
    from sizewell.synthesis import DEFAULT_CONFIG, SynthesisError, environments_at, synthesize_side

    check_is_project()
    directory = in_project(config)
    try:
        known = environments_at(Path.cwd(), None, config=directory)
        if known is None and directory != DEFAULT_CONFIG:
            exit_bad_input(f'--config: there is no directory "{directory}"')
        if known is not None:
            _check_environments({"--env": environment, "--like": like}, known, f"{directory}/")
        side = synthesize_side(Path.cwd(), None, (environment, like), config=directory, progress=say)
    except SynthesisError as error:
        exit_bad_input(str(error))
    if side.errors or side.directory is None:
        for name, printed in side.errors.items():
            tell(f"{name} does not synthesize:\n{printed}")
        raise typer.Exit(SYNTH_EXIT_CODE)
    return load_parity(side.directory, environment, like)


def load_parity(directory: Path, environment: str, like: str) -> Parity:
    """Return the comparison of two environments out of a directory with one ``cdk.out`` for each.

    Ends the command when the outputs cannot be read, or one of the environments is not among them.
    """
    with doing(f"comparing {environment} with {like}", str(directory)):
        try:
            output = OutputReader().read(directory, directory.as_posix())
        except SavedOutputError as error:
            exit_bad_input("\n".join(error.faults))
        _check_environments({"--env": environment, "--like": like}, output.assemblies, str(directory))
        return compare_shape(output.assemblies[environment], output.assemblies[like])


def _check_environments(wanted: dict[str, str], there: Collection[str], place: str) -> None:
    """End the command with every environment that is not there, and what was probably meant."""
    faults = []
    for option, name in wanted.items():
        if name not in there:
            names = ", ".join(sorted(there)) or "none"
            match = near_match(name, sorted(there))
            hint = f"\n  did you mean {match}?" if match else ""
            faults.append(f'{option}: there is no environment "{name}" in {place}; there are: {names}{hint}')
    if faults:
        exit_bad_input("\n".join(faults))
