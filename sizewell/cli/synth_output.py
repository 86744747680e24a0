"""``python -m sizewell.cli.synth_output``: what ``make synth`` does. An environment is synthesized unless nothing has changed,
and the plan that was written is printed: the app has planned, and nobody plans again.
"""

from pathlib import Path
from typing import Annotated

import typer

from sizewell.cli.errors import Commands, report_config_errors
from sizewell.cli.output import tell
from sizewell.cli.startup import start_quickly
from sizewell.synthesis.replace_output import OUTPUT
from sizewell.synthesis.replace_output import main as synthesize
from sizewell.synthesis.unchanged import Synth

app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def synth_output(
    env: Annotated[str, typer.Option("--env", help="The environment.")],
    config: Annotated[str, typer.Option("--config", help="The configuration directory.")] = "config",
) -> None:
    """Write templates and plan to cdk.out, unless they are there already, and print the plan.

    \b
    Exit codes:
      0  they are there
      1  the configuration has faults, or cdk failed; cdk.out is as it was
      2  the command was called wrongly
    """
    synth = Synth.of_now(env, config)
    said = synth.last_said(OUTPUT)
    if said is None:
        with report_config_errors():
            from sizewell.planning.load import load_inputs

            # Faults of the files come at once; what no instance type meets, the app says.
            load_inputs(Path(config), env)
        tell(f"Synthesizing {env} ...")
        if code := synthesize(env, config, on_success=synth.remember):
            raise typer.Exit(code)
    else:
        tell(f"{said}Nothing has changed since {OUTPUT}/ was synthesized.")
    from sizewell.cli.console import open_console
    from sizewell.cli.plan_view import print_plan
    from sizewell.planning.saved_files import PLAN_FILE
    from sizewell.planning.serialization import decisions_from_json

    plan = decisions_from_json((OUTPUT / PLAN_FILE).read_text("utf-8"))
    with open_console() as console:
        # The app has warned of the lock.
        print_plan(plan, console, warn_of_lock=False)
    tell(f"Templates and plan.json are in {OUTPUT}/.")


if __name__ == "__main__":
    start_quickly()
    app()
