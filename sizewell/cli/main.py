"""The ``sizewell`` command."""

import gc
import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from sizewell.cli.completion import complete_environment, complete_workload, require_environment
from sizewell.cli.errors import Commands, report_config_errors
from sizewell.cli.output import echo

app = typer.Typer(
    name="sizewell",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

EnvironmentOption = Annotated[
    str,
    typer.Option(
        "--env",
        metavar="NAME",
        help="The environment: a file in the configuration directory, such as dev for dev.yaml. Required.",
        autocompletion=complete_environment,
        callback=require_environment,
        show_default=False,
    ),
]
EnvironmentsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME",
        help="An environment; may be repeated. All, when left out.",
        autocompletion=complete_environment,
        show_default=False,
    ),
]
WorkloadArgument = Annotated[
    str, typer.Argument(help="The name of a workload.", autocompletion=complete_workload)
]
DirectoryOption = Annotated[Path, typer.Option("--config", help="The configuration directory.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print data instead of a table.")]
DEFAULT_DIRECTORY = Path("config")
#: ``require_environment`` refuses it, and says which environments there are.
NO_ENVIRONMENT = ""


def print_version(value: bool) -> None:
    """Print the version of the installed distribution, and end the command."""
    if value:
        from importlib.metadata import version

        echo(f"sizewell {version('sizewell')}")
        raise typer.Exit


@app.callback()
def sizewell(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """State needs, get explained SageMaker instance types and hardened CDK stacks."""


@app.command()
def plan(
    env: EnvironmentOption = NO_ENVIRONMENT,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Show what an environment will run on, and what it costs.

    Prints a row for each workload with its instance type, count, predicted latency or duration and cost, then the
    total and what is not in it. With --json the whole plan, as it stands in plan.json.
    """
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
    workload: WorkloadArgument,
    env: EnvironmentOption = NO_ENVIRONMENT,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page to read in a browser.", show_default=False),
    ] = None,
) -> None:
    """Show why a workload got its instance type, and why every other one was turned down.

    Prints the figures of the pick, the candidates in their order, the rejections by reason, and the assumptions.
    A plan above its budget is explained, too.
    """
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
    workload: Annotated[
        str, typer.Argument(help="The name of an endpoint.", autocompletion=complete_workload)
    ],
    env: EnvironmentOption = NO_ENVIRONMENT,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Compare real-time, multi-model, serverless, asynchronous, batch and Lambda for the needs of an endpoint.

    Prints the cheapest mode that meets the needs, a row for each mode with latency, cost and break-even, what each of
    the others misses, and the assumptions.
    """
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
        list[str] | None,
        typer.Argument(
            help="With --update: only these workloads.", autocompletion=complete_workload, show_default=False
        ),
    ] = None,
    env: EnvironmentsOption = None,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when it does not hold.")
    ] = False,
    update: Annotated[bool, typer.Option("--update", help="Take the best picks of today.")] = False,
) -> None:
    """Lock what each workload runs on in selection.lock.yaml, or check that the lock holds.

    Prints what became of each workload. With --check nothing is written: it prints what the lock holds, and what the
    best picks of today would save.

    \b
    Exit codes:
      0  the lock is written; with --check: it holds
      1  the configuration has faults, or the file cannot be written; with --check: the lock does not hold
      2  the command was called wrongly
    """
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
    workload: Annotated[
        str,
        typer.Option("--workload", help="The workload that was measured.", autocompletion=complete_workload),
    ],
    env: Annotated[
        str | None,
        typer.Option(
            "--env",
            metavar="NAME",
            help="Only in this environment; in all, when left out.",
            autocompletion=complete_environment,
            show_default=False,
        ),
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
    """Take measured latency, throughput and memory into measurements.yaml: they beat the predicted ones.

    Reads the results of Inference Recommender, of AI benchmark jobs and CSV files of load tests. Prints what was taken
    for each instance type beside what stood there before, and what was left out.
    """
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
    """Name hardware for a model of which nothing but its size is known, with every assumption stated.

    Prints the best instance type, the next ones with what they cost, and all that was assumed. Needs no configuration.

    \b
    Exit codes:
      0  there is a recommendation
      1  no instance type holds the model
      2  the command was called wrongly: no such region, or a size that is no number
    """
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
    workload: WorkloadArgument,
    env: EnvironmentOption = NO_ENVIRONMENT,
    config: DirectoryOption = DEFAULT_DIRECTORY,
    as_json: JsonOption = False,
) -> None:
    """Assess a move to Inferentia or Trainium: cost and time now and then, what must change, and a verdict.

    Prints what the workload runs on beside the best Neuron type, the facts of the Neuron SDK that decide, and the verdict.
    """
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
    env: EnvironmentsOption = None,
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

    Prints the verdict, then what can hurt first; where a format goes to the standard output, that instead.
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
        str,
        typer.Option(
            "--env",
            metavar="NAME",
            help="The environment that should have the same shape.",
            autocompletion=complete_environment,
        ),
    ] = "staging",
    like: Annotated[
        str,
        typer.Option(
            "--like",
            metavar="NAME",
            help="The environment that it should be like.",
            autocompletion=complete_environment,
        ),
    ] = "prod",
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
    """Show where one environment has not the shape of another; sizes may differ.

    Prints every difference of shape with why it matters, then the sizes and policies that may differ.

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
def presets(
    text: Annotated[
        str,
        typer.Argument(
            metavar="[FILTER]",
            help="Only those with this in their name, an alias or their architecture.",
            show_default=False,
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """List the public models that model.preset can name, with their dimensions and sources.

    Prints a row for each: architecture, parameters (and those that one token is multiplied with, where they are fewer),
    layers, width, the arithmetic of one pass where it does not follow from the weights, and the source. Needs no
    configuration.

    \b
    Exit codes:
      0  there are such models
      1  there is none; the message has similar names
      2  the command was called wrongly
    """
    from sizewell.cli.console import open_console
    from sizewell.cli.presets_command import find_presets, presets_to_json, print_presets

    found = find_presets(text)
    if as_json:
        echo(presets_to_json(found), newline=False)
        return
    with open_console() as console:
        print_presets(found, console)


@app.command()
def init(
    ci: Annotated[
        Literal["github", "gitlab"], typer.Option("--ci", help="Review every pull or merge request there.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace files that were changed.")] = False,
) -> None:
    """Write what reviews every pull or merge request, and says in a comment what it changes."""
    from sizewell.cli.init_command import set_up_ci

    set_up_ci(ci, force=force)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the configuration files."""
    from sizewell.config.json_schema import schema_text

    echo(schema_text(), newline=False)


def main() -> None:
    """Run the command line."""
    start_quickly()
    app()


def start_quickly() -> None:
    """Set what takes time at the start of a process and brings a command nothing."""
    # Modules and models stay until the end: looking for garbage among them finds none.
    gc.set_threshold(100_000)
    # Arithmetic on a few hundred numbers: no threads for products of large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # No search for plugins in the metadata of all installed packages: none has a say here.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


if __name__ == "__main__":
    main()
