"""``sizewell parity``: whether staging has the shape of prod."""

from pathlib import Path

import typer

from cli.errors import exit_with
from config.faults import near_match
from review.parity import Parity, compare_shape
from review.saved import Assembly, OutputReader, SavedOutputError

#: With ``--check``: the shape is another one.
DIFFERENT_EXIT_CODE = 1


def run_parity(
    staging: str, prod: str, output: Path | None, config: Path, *, as_json: bool, markdown: bool, check: bool
) -> None:
    """Print how the shapes of two environments differ; with ``check``, end with 1 when they do."""
    from cli.console import open_console
    from cli.parity_view import parity_to_json, parity_to_markdown, print_parity

    parity = load_parity(output, staging, prod) if output else synthesize_parity(staging, prod, config)
    if as_json:
        typer.echo(parity_to_json(parity), nl=False)
    elif markdown:
        typer.echo(parity_to_markdown(parity), nl=False)
    else:
        with open_console() as console:
            print_parity(parity, console)
    if check and not parity.same_shape:
        raise typer.Exit(DIFFERENT_EXIT_CODE)


def synthesize_parity(staging: str, prod: str, config: Path) -> Parity:
    """Return the comparison of two environments as the files are now; ends the command where one does not synthesize."""
    from synthesis import SynthesisError, synthesize_side

    def say(text: str) -> None:
        typer.echo(text, err=True)

    try:
        side = synthesize_side(Path.cwd(), None, (staging, prod), config=config.as_posix(), progress=say)
    except SynthesisError as error:
        exit_with(str(error))
    if side.errors or side.directory is None:
        exit_with("\n".join(side.errors.values()) or f"neither {staging} nor {prod} is there")
    return load_parity(side.directory, staging, prod)


def load_parity(directory: Path, staging: str, prod: str) -> Parity:
    """Return the comparison of two environments out of a directory with one ``cdk.out`` for each.

    Ends the command when the outputs cannot be read, or one of the environments is not among them.
    """
    try:
        output = OutputReader().read(directory, directory.as_posix())
    except SavedOutputError as error:
        exit_with(str(error))

    def find(name: str) -> Assembly:
        if name not in output.assemblies:
            names = tuple(output.assemblies)
            message = f'{directory}: there is no environment "{name}"; there are: {", ".join(names)}'
            match = near_match(name, names)
            exit_with(f"{message}\ndid you mean {match}?" if match else message)
        return output.assemblies[name]

    return compare_shape(find(staging), find(prod))
