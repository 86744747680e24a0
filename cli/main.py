"""The ``sizewell`` command."""

from pathlib import Path
from typing import Annotated

import typer

from cli.errors import CONFIG_ERROR_EXIT_CODE, report_config_errors

app = typer.Typer(
    name="sizewell",
    help="State needs, get explained SageMaker instance types and hardened CDK stacks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

EnvironmentOption = Annotated[
    str, typer.Option("--env", help="The environment: a file in the configuration directory.")
]
DirectoryOption = Annotated[Path, typer.Option("--config", help="The configuration directory.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print data instead of a table.")]
DEFAULT_DIRECTORY = Path("config")


@app.command()
def plan(
    env: EnvironmentOption, config: DirectoryOption = DEFAULT_DIRECTORY, as_json: JsonOption = False
) -> None:
    """Show what an environment will run on, and what it costs."""
    with report_config_errors():
        from planning import load_plan, plan_to_json

        deployment = load_plan(config, env)
        if as_json:
            typer.echo(plan_to_json(deployment), nl=False)
            return
        from cli.console import open_console
        from cli.plan_view import print_plan

        with open_console() as console:
            print_plan(deployment, console)


@app.command()
def explain(
    workload: Annotated[str, typer.Argument(help="The name of a workload.")],
    env: EnvironmentOption,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Show why a workload got its instance type, and why every other one was turned down."""
    with report_config_errors():
        from cli.console import open_console
        from cli.explain_view import print_explanation, selection_to_json
        from planning import load_plan

        # A plan above its budget is what somebody wants to have explained.
        deployment = load_plan(config, env, within_budget=False)
        workloads = {w.name: w for w in deployment.workloads}
        if workload not in workloads:
            from config.faults import near_match

            match = near_match(workload, workloads)
            typer.echo(
                f'there is no workload "{workload}" in {env}; it has: {", ".join(workloads)}', err=True
            )
            if match:
                typer.echo(f"did you mean {match}?", err=True)
            raise typer.Exit(CONFIG_ERROR_EXIT_CODE)
        if as_json:
            typer.echo(selection_to_json(workloads[workload]), nl=False)
        else:
            with open_console() as console:
                print_explanation(workloads[workload], console)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the configuration files."""
    from config.json_schema import schema_text

    typer.echo(schema_text(), nl=False)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
