"""The ``sizewell`` command."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sizewell.cli.errors import Commands, report_config_errors
from sizewell.cli.output import echo

app = typer.Typer(
    name="sizewell",
    cls=Commands,
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
        from sizewell.planning import load_plan, plan_to_json

        deployment = load_plan(config, env)
        if as_json:
            echo(plan_to_json(deployment), newline=False)
            return
        from sizewell.cli.console import open_console
        from sizewell.cli.plan_view import print_plan

        with open_console() as console:
            print_plan(deployment, console)


@app.command()
def explain(
    workload: Annotated[str, typer.Argument(help="The name of a workload.")],
    env: EnvironmentOption,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page to read in a browser.", show_default=False),
    ] = None,
) -> None:
    """Show why a workload got its instance type, and why every other one was turned down."""
    if as_json and html:
        raise typer.BadParameter("--json prints data and --html writes a page: ask for one of them")
    with report_config_errors():
        from sizewell.cli.explanation import explanation_to_json, load_explanation

        explanation = load_explanation(config, env, workload)
        if html:
            from sizewell.cli.explain_page import write_page

            write_page(explanation, html)
        elif as_json:
            echo(explanation_to_json(explanation), newline=False)
        else:
            from sizewell.cli.console import open_console
            from sizewell.cli.explain_view import print_explanation

            with open_console() as console:
                print_explanation(explanation, console)


@app.command()
def modes(
    workload: Annotated[str, typer.Argument(help="The name of an endpoint.")],
    env: EnvironmentOption,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Compare real-time, multi-model, serverless, asynchronous, batch and Lambda for the needs of an endpoint."""
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.modes_command import compare
        from sizewell.cli.modes_view import modes_to_json, print_modes

        region, comparison = compare(config, env, workload)
        if as_json:
            echo(modes_to_json(comparison), newline=False)
        else:
            with open_console() as console:
                print_modes(workload, region, comparison, console)


@app.command()
def lock(
    workloads: Annotated[
        list[str] | None, typer.Argument(help="With --update: only these workloads.", show_default=False)
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env", help="An environment; may be repeated. All, when left out.", show_default=False
        ),
    ] = None,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when it does not hold.")
    ] = False,
    update: Annotated[bool, typer.Option("--update", help="Take the best picks of today.")] = False,
) -> None:
    """Lock what each workload runs on in selection.lock.yaml, or check that the lock holds."""
    if check and update:
        raise typer.BadParameter("--check writes nothing, so it does not go with --update")
    if workloads and not update:
        raise typer.BadParameter(
            "workloads are named together with --update, to take their best picks of today"
        )
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.lock_command import confirm_lock, update_lock
        from sizewell.cli.lock_view import print_changes, print_check
        from sizewell.planning.lock_file import lock_path

        path = lock_path(config)
        if check:
            plans, savings = confirm_lock(config, env or ())
            with open_console() as console:
                print_check(plans, savings, path, console)
            return
        changes, gone, written = update_lock(config, env or (), workloads or (), update=update)
        with open_console() as console:
            print_changes(changes, gone, path, console, written=written)


@app.command(name="import-measurement")
def import_measurement(
    file: Annotated[Path, typer.Argument(help="What measured it: the JSON or CSV that it wrote.")],
    workload: Annotated[str, typer.Option("--workload", help="The workload that was measured.")],
    env: Annotated[
        str | None,
        typer.Option("--env", help="Only in this environment; in all, when left out.", show_default=False),
    ] = None,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    instance_type: Annotated[
        str | None,
        typer.Option("--instance-type", help="For a file that does not say it.", show_default=False),
    ] = None,
    instance_count: Annotated[
        int, typer.Option("--instance-count", min=1, help="Instances behind a tested endpoint.")
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; write nothing.")
    ] = False,
) -> None:
    """Take measured latency, throughput and memory into measurements.yaml: they beat the predicted ones."""
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.import_measurement_command import run_import
        from sizewell.cli.import_measurement_view import print_import

        done = run_import(
            file,
            workload,
            config,
            environment=env,
            instance_type=instance_type,
            instance_count=instance_count,
            dry_run=dry_run,
        )
        with open_console() as console:
            print_import(done, console, dry_run=dry_run)


@app.command()
def recommend(
    parameters: Annotated[
        str, typer.Option("--parameters", help="The weights of the model: 7e9 or 7B for seven billion.")
    ],
    task: Annotated[Literal["training", "inference"], typer.Option("--task", help="What it is for.")],
    budget: Annotated[
        Literal["cost-optimized", "balanced", "performance"],
        typer.Option("--budget", help="Whether money or time matters more."),
    ] = "cost-optimized",
    region: Annotated[str, typer.Option("--region", help="The region whose prices count.")] = "us-east-1",
    as_json: JsonOption = False,
) -> None:
    """Name hardware for a model of which nothing but its size is known, with every assumption stated."""
    from sizewell.cli.console import open_console
    from sizewell.cli.recommend_command import answer
    from sizewell.cli.recommend_view import print_recommendation, recommendation_to_json

    recommendation, catalog = answer(parameters, task, budget, region)
    if as_json:
        echo(recommendation_to_json(recommendation), newline=False)
        return
    with open_console() as console:
        print_recommendation(recommendation, catalog, console)


@app.command()
def migrate(
    workload: Annotated[str, typer.Argument(help="The name of a workload.")],
    env: EnvironmentOption,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Assess a move to Inferentia or Trainium: cost and time now and then, what must change, and a verdict."""
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.migrate_command import assess
        from sizewell.cli.migrate_view import assessment_to_json, print_assessment

        assessment = assess(config, env, workload)
        if as_json:
            echo(assessment_to_json(assessment), newline=False)
        else:
            with open_console() as console:
                print_assessment(workload, assessment, console)


@app.command()
def review(
    base: Annotated[
        str,
        typer.Option("--base", metavar="REF|DIR", help="What there was: a git ref, or what cdk synth wrote."),
    ],
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            metavar="REF|DIR|worktree",
            help="What there will be. The files as they are now when left out; cdk.out when base is a directory.",
            show_default=False,
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env", help="An environment; may be repeated. All, when left out.", show_default=False
        ),
    ] = None,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    markdown: Annotated[
        str | None,
        typer.Option(
            "--markdown", metavar="FILE", help="Write the comment for a pull request.", show_default=False
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page to read in a browser.", show_default=False),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the data.", show_default=False)
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="CONDITIONS",
            help="What must not happen, separated by commas; may be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show what a change does: to safety, security, cost, instance types, configuration and resources.

    Both refs are synthesized as git has them, once for each content; two directories are compared as they are.
    What your branch alone changes: --base "$(git merge-base origin/main HEAD)". One of the files may be -, the
    standard output.

    \b
    Exit codes:
      0  nothing stops the change
      1  a condition of --fail-on, or of the policy in the configuration, is met
      2  bad input: no such ref, directory or environment, or an option that cannot be read
      3  head does not synthesize; the review of what does is printed and written
    """
    from sizewell.cli.review_command import run_review

    run_review(
        base,
        head,
        environments=env or (),
        config=config,
        conditions=fail_on or (),
        files={"markdown": markdown, "html": html, "json": json},
    )


@app.command()
def parity(
    env: Annotated[
        str, typer.Option("--env", help="The environment that should have the same shape.")
    ] = "staging",
    like: Annotated[str, typer.Option("--like", help="The environment that it should be like.")] = "prod",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Saved outputs, one for each environment; the files as they are now when left out.",
            show_default=False,
        ),
    ] = None,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead of a table.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit 1 when the shapes differ.")] = False,
) -> None:
    """Show where staging has not the shape of prod; sizes may differ.

    \b
    Exit codes:
      0  it is printed where the shapes differ
      1  with --check: they differ
      2  bad input: no such directory or environment, or an output that cannot be read
      3  one of the environments does not synthesize
    """
    if as_json and markdown:
        raise typer.BadParameter("--json prints data and --markdown text: ask for one of them")
    from sizewell.cli.parity_command import run_parity

    run_parity(env, like, output, config, as_json=as_json, markdown=markdown, check=check)


@app.command()
def init(
    name: Annotated[
        str | None, typer.Argument(help="The name of a new platform and its directory.", show_default=False)
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(
            "--workload",
            metavar="KINDS",
            help="With NAME: examples to start from, real-time-endpoint,training-job. All, when left out.",
            show_default=False,
        ),
    ] = None,
    ci: Annotated[
        Literal["github", "gitlab"] | None,
        typer.Option("--ci", help="Review every pull or merge request there.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that were changed.")] = False,
) -> None:
    """Write a platform that synthesizes at once, or what reviews every pull or merge request of one, or both.

    \b
      sizewell init my-platform     a directory with app.py, cdk.json, config/, tests/ and a Makefile
      sizewell init --ci github     in a project: the workflow that says in a comment what a change does

    All files are written, or none; what was changed is kept, unless --force says otherwise.
    """
    if name is None and ci is None:
        raise typer.BadParameter("name a new platform, or with --ci what reviews the one that is here")
    if name is None and workload:
        raise typer.BadParameter("--workload chooses the examples of a new platform: name it")
    from sizewell.cli.init_command import set_up

    set_up(name, workload or (), ci, force=force)


@app.command()
def schema(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Write it there instead, and that of measurements.yaml beside it, for editors.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of the configuration files."""
    if output is not None:
        from sizewell.cli.init_command import write_schemas

        write_schemas(output)
        return
    from sizewell.config.json_schema import schema_text

    echo(schema_text(), newline=False)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
