"""``python -m sizewell.cli.synth_output``: what ``make synth`` does. An environment is planned, synthesized unless nothing has
changed, and its plan is printed.
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
      1  the configuration has faults, and nothing was started; or cdk failed, and cdk.out is as it was
      2  the command was called wrongly
    """
    synth = Synth.of_now(env, config)
    with report_config_errors():
        from sizewell.planning import load_for_synth
        from sizewell.planning.load import LookupNeededError

        try:
            plan = load_for_synth(Path(config), env).plan
        except LookupNeededError:
            plan = None
    said = synth.last_said(OUTPUT)
    if said is None:
        tell(f"Synthesizing {env} ...")
        if code := synthesize(env, config, on_success=synth.remember):
            raise typer.Exit(code)
    else:
        tell(f"{said}Nothing has changed since {OUTPUT}/ was synthesized.")
    if plan is None:
        # cdk has looked the network up.
        with report_config_errors():
            plan = load_for_synth(Path(config), env).plan
    from sizewell.cli.console import open_console
    from sizewell.cli.plan_view import print_plan

    with open_console() as console:
        print_plan(plan, console)
    tell(f"Templates and plan.json are in {OUTPUT}/.")


if __name__ == "__main__":
    start_quickly()
    app()
