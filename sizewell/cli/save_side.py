"""``python -m sizewell.cli.save_side``: save what a commit synthesizes to, so that another machine reviews it as data.

The generated pipelines run it twice: where the code of the change runs, and where that of base judges it.
"""

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from sizewell.cli.errors import Commands
from sizewell.cli.output import tell, write_file, writing
from sizewell.cli.review_sides import (
    ERRORS_FILE,
    SYNTH_EXIT_CODE,
    check_is_project,
    exit_bad_input,
    in_project,
    say,
)
from sizewell.cli.unexpected import doing

app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def save_side(
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="A directory that is not there yet.")
    ],
    config: Annotated[Path, typer.Option("--config", help="The configuration directory.")] = Path("config"),
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env", help="An environment; may be repeated. All, when left out.", show_default=False
        ),
    ] = None,
) -> None:
    """Write one cdk.out for each environment of the commit that is checked out.

    \b
    Exit codes:
      0  every environment is there
      2  bad input: no project, or a directory that cannot be written
      3  an environment does not synthesize; the others are there, and what was printed about it
    """
    from sizewell.synthesis import SynthesisError, synthesize_side

    check_is_project()
    with doing("saving what HEAD synthesizes to"):
        with writing(output):
            output.mkdir(parents=True)
        try:
            side = synthesize_side(Path.cwd(), "HEAD", env or None, config=in_project(config), progress=say)
        except SynthesisError as error:
            exit_bad_input(str(error))
        for saved in sorted(side.directory.iterdir()) if side.directory else ():
            with writing(output / saved.name):
                shutil.copytree(saved, output / saved.name)
        write_file(output / ERRORS_FILE, json.dumps(side.errors, ensure_ascii=False, indent=2) + "\n")
    for name, printed in side.errors.items():
        tell(f"{name} does not synthesize:\n{printed}")
    if side.errors:
        raise typer.Exit(SYNTH_EXIT_CODE)


if __name__ == "__main__":
    app()
