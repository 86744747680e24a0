"""The ``sizewell`` command."""

from typing import Annotated

import typer

from sizewell.cli import options
from sizewell.cli.catalog_group import catalog
from sizewell.cli.completion import require_environment
from sizewell.cli.errors import Commands, report_config_errors
from sizewell.cli.output import echo, tell
from sizewell.cli.startup import start_quickly

app = typer.Typer(
    name="sizewell",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(catalog, name="catalog")


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
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
    details: options.DetailsOption = False,
) -> None:
    """Show what an environment will run on, and what it costs.

    Prints a row for each workload with its instance type, count, predicted latency or duration and cost, then the
    total, what is near a limit and what to do. With --json the whole plan, as it stands in plan.json.
    """
    with report_config_errors():
        from sizewell.planning import load_plan, plan_to_json

        deployment = load_plan(config, env)
        if as_json:
            echo(plan_to_json(deployment), newline=False)
            return
        from sizewell.cli.console import open_console
        from sizewell.cli.plan_view import print_plan
        from sizewell.cli.price_age import old_price_warnings

        with open_console() as console:
            print_plan(deployment, console, details=details)
        for warning in old_price_warnings(deployment):
            tell(warning)


@app.command()
def explain(
    workload: options.WorkloadArgument,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
    html: options.HtmlPageOption = None,
) -> None:
    """Show why a workload got its instance type, and why every other one was rejected.

    Prints the figures of the pick, the candidates in their order, the rejections by reason, and the assumptions.
    A plan above its budget is explained, too.
    """
    if as_json and html:
        raise typer.BadParameter("--json prints data and --html writes a page: ask for one of them")
    with report_config_errors():
        from sizewell.cli.explanation import explain_workload, explanation_to_json, load_planned
        from sizewell.planning.workload_plan import InstanceWorkloadPlan

        planned, inputs = load_planned(config, env, workload)
        if not isinstance(planned, InstanceWorkloadPlan):
            from sizewell.cli.decided_view import print_decided

            print_decided(planned, as_json=as_json, html=html is not None)
            return
        explanation = explain_workload(planned, inputs, config)
        if html:
            from sizewell.cli.explain_page import render_page
            from sizewell.cli.page import write_page

            write_page(html, render_page(explanation))
        elif as_json:
            echo(explanation_to_json(explanation), newline=False)
        else:
            from sizewell.cli.console import open_console
            from sizewell.cli.explain_view import print_explanation

            with open_console() as console:
                print_explanation(explanation, console)


@app.command()
def dashboard(
    workload: options.DrawnWorkloadArgument = "",
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
    html: options.HtmlPageOption = None,
    grafana: options.GrafanaOption = None,
    prometheus: options.PrometheusOption = None,
) -> None:
    """Show what the CloudWatch dashboard of an environment draws, without an account.

    Prints the graphs of each workload with their metrics. With --html a page with sample data around what the plan expects,
    with --json the body of each dashboard as CloudWatch takes it, with --grafana the same dashboards for Grafana, with
    --prometheus the same metrics for an exporter.
    """
    if sum(map(bool, (as_json, html, grafana, prometheus))) > 1:
        raise typer.BadParameter(
            "--json, --html, --grafana and --prometheus are different outputs: ask for one of them"
        )
    with report_config_errors():
        from sizewell.cli.dashboard_command import (
            bodies_to_json,
            graph_lines,
            load_dashboards,
            write_grafana,
            write_prometheus,
        )

        dashboards = load_dashboards(config, env, workload)
        if grafana:
            write_grafana(dashboards, grafana)
        elif prometheus:
            write_prometheus(dashboards, prometheus)
        elif html:
            from sizewell.cli.dashboard_page import render_page
            from sizewell.cli.page import write_page

            write_page(html, render_page(dashboards, env))
        else:
            echo(bodies_to_json(dashboards) if as_json else graph_lines(dashboards), newline=False)


@app.command()
def modes(
    workload: options.EndpointArgument,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
) -> None:
    """Compare real-time, multi-model, serverless, asynchronous, batch and Lambda for the needs of an endpoint.

    Prints the cheapest mode that meets the needs, a row for each mode with latency, cost and break-even, what each of
    the others misses, and the assumptions.
    """
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.modes_command import compare
        from sizewell.cli.modes_view import modes_to_json, print_modes

        region, comparison, places = compare(config, env, workload)
        if as_json:
            echo(modes_to_json(comparison), newline=False)
        else:
            with open_console() as console:
                print_modes(workload, region, comparison, places, console)


@app.command()
def targets(
    workload: options.WorkloadArgument,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
) -> None:
    """Compare SageMaker and each cluster of the configuration for a workload.

    Prints a row for each place with instance type, count, latency and cost, and what would have to change to run there.
    """
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.targets_command import load_targets, print_targets, targets_to_json

        found = load_targets(config, env, workload)
        if as_json:
            echo(targets_to_json(found), newline=False)
        else:
            with open_console() as console:
                print_targets(workload, found, console)


@app.command()
def lock(
    workloads: options.LockedWorkloadsArgument = None,
    env: options.EnvironmentsOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    check: options.CheckLockOption = False,
    update: options.UpdateLockOption = False,
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
    file: options.MeasurementFileArgument,
    workload: options.MeasuredWorkloadOption,
    env: options.MeasuredEnvironmentOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    instance_type: options.MeasuredTypeOption = None,
    instance_count: options.MeasuredCountOption = 1,
    dry_run: options.DryRunOption = False,
) -> None:
    """Take measured latency, throughput and memory into measurements.yaml: they beat the predicted ones.

    Reads the results of SageMaker jobs, vLLM, AIPerf, GenAI-Perf, k6, Locust and MLPerf, and your own CSV. Prints what was taken
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
def measure(
    workload: options.WorkloadArgument,
    payload: options.PayloadOption,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    url: options.TestedUrlOption = None,
    header: options.HeaderOption = None,
    rate: options.RateOption = None,
    requests: options.RequestsOption = 200,
    max_seconds: options.MaxSecondsOption = 300.0,
    instance_type: options.TestedTypeOption = None,
    instance_count: options.TestedCountOption = 1,
    profile: options.ProfileOption = None,
    dry_run: options.DryRunOption = False,
) -> None:
    """Send requests to the deployed endpoint of a workload, or to an address, and take what they measure into measurements.yaml.

    Requests are sent at random times at a rate that the answers do not change, and none is tried again. Latencies count from
    when a request was due. Prints first what it sends, at the end the percentiles, the failures, and what was taken. The endpoint
    is billed as for any other request. Ctrl-C shows what there is, and writes nothing.

    \b
    Exit codes:
      0  it is measured
      1  nothing is measured: no answer, too many failures, an interrupt, or the configuration has faults
      2  the command was called wrongly
    """
    if url is None and (instance_type or instance_count != 1):
        raise typer.BadParameter(
            "--instance-type and --instance-count are for --url: the account says what answers at an endpoint"
        )
    with report_config_errors():
        from sizewell.cli.measure_command import Asked, run_measure

        asked = Asked(
            url=url,
            payload=payload,
            headers=header or (),
            per_second=rate,
            requests=requests,
            max_seconds=max_seconds,
            instance_type=instance_type,
            instance_count=instance_count,
            profile=profile,
            dry_run=dry_run,
        )
        run_measure(config, env, workload, asked)


@app.command()
def recommend(
    parameters: options.ParametersOption,
    task: options.TaskOption,
    budget: options.BudgetOption = "cost-optimized",
    region: options.RegionOption = "us-east-1",
    as_json: options.JsonOption = False,
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
    workload: options.WorkloadArgument,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
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
def rightsize(
    workload: options.RightsizedWorkloadArgument = None,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    days: options.DaysOption = 14,
    profile: options.ProfileOption = None,
    json: options.JsonFileOption = None,
    write: options.WriteOption = False,
) -> None:
    """Compare what deployed endpoints were asked for with the traffic that is stated, and propose other values.

    Reads CloudWatch and SageMaker with the credentials of --profile, and changes nothing in the account. Prints a row for each
    endpoint with its load, latency and utilization, a verdict, the change of the configuration and what it saves. With --json -
    the data is printed instead.

    \b
    Exit codes:
      0  the findings are printed; with --write, the file has the proposed values
      1  the configuration has faults, nothing is deployed, read or known, or the values cannot be written
      2  the command was called wrongly
    """
    from sizewell.facts.metric_statistics import MAX_DAYS

    if days > MAX_DAYS:
        raise typer.BadParameter(f"--days {days}: CloudWatch keeps values for {MAX_DAYS} days at most")
    with report_config_errors():
        from pathlib import Path

        from sizewell.cli.console import open_console
        from sizewell.cli.output import write_file
        from sizewell.cli.rightsize_command import run_rightsize
        from sizewell.cli.rightsize_view import print_rightsizing, rightsizing_to_json

        report = run_rightsize(config, env, workload, days, profile, write=write)
        if json is not None and json != "-":
            write_file(Path(json), rightsizing_to_json(report))
        if json == "-":
            echo(rightsizing_to_json(report), newline=False)
        else:
            with open_console() as console:
                print_rightsizing(report, console)
        if write and report.fault:
            raise typer.Exit(1)


@app.command()
def preflight(
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    profile: options.ProfileOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Ask the accounts of an environment what would stop its deployment, and change nothing in them.

    Prints how each check went, then what is wrong and what to do, the worst last. What the caller may not read is UNKNOWN, and
    keeps no other check from its answer.

    \b
    Exit codes:
      0  nothing was found that would stop it
      1  something would stop it, the configuration has faults, or the accounts cannot be asked
      2  the command was called wrongly
    """
    with report_config_errors():
        from sizewell.account.before.checks import CHECKS
        from sizewell.cli.account_command import ask_and_report

        ask_and_report(config, env, profile, CHECKS, as_json=as_json)


@app.command()
def verify(
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    profile: options.ProfileOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Compare what runs in the accounts of an environment with its plan, and change nothing in them.

    Prints a row for each thing that was looked at: stacks, endpoints, scaling, alarms and who hears of them, schedules, last
    executions. Templates are compared with those of cdk.out, where that is of the same plan.

    \b
    Exit codes:
      0  what runs is what was planned
      1  something is not, the configuration has faults, or the accounts cannot be asked
      2  the command was called wrongly
    """
    with report_config_errors():
        from sizewell.account.after.checks import checks_after
        from sizewell.cli.account_command import ask_and_report
        from sizewell.synthesis.replace_output import OUTPUT

        ask_and_report(config, env, profile, checks_after(OUTPUT), as_json=as_json)


@app.command()
def status(
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    profile: options.ProfileOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show what runs now of each workload beside what was planned, and change nothing.

    Prints a row for each thing that runs: type and count, state, last change, requests of the last hour, alarms that fire.

    \b
    Exit codes:
      0  it is printed
      1  the configuration has faults, or the accounts cannot be asked
      2  the command was called wrongly
    """
    with report_config_errors():
        from sizewell.cli.console import open_console
        from sizewell.cli.status_command import load_status, print_status, status_to_json

        found = load_status(config, env, profile)
        if as_json:
            echo(status_to_json(env, found), newline=False)
        else:
            with open_console() as console:
                print_status(found, console)


@app.command()
def logs(
    workload: options.WorkloadArgument,
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    since: options.SinceOption = "1h",
    follow: options.FollowOption = False,
    profile: options.ProfileOption = None,
) -> None:
    """Print the log events of a workload that is deployed; of jobs those of the newest run.

    Prints time (UTC), stream and message, one line for each event. For a workload in a cluster of Amazon EKS it prints the
    command of kubectl that does it.

    \b
    Exit codes:
      0  they are printed, or there were none in that time
      1  it is not deployed or may not be read, or the configuration has faults
      2  the command was called wrongly
    """
    with report_config_errors():
        from sizewell.cli.logs_command import print_logs, seconds_of

        since_s = seconds_of(since)
        if since_s is None:
            raise typer.BadParameter(f"--since {since}: write a number and m, h or d, such as 30m, 1h or 2d")
        print_logs(config, env, workload, profile, since_s, follow=follow)


@app.command(context_settings={"ignore_unknown_options": True})
def deploy(
    ctx: typer.Context,
    arguments: options.DeployArgument = None,
    env: options.DeployEnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    app_output: options.AppOption = None,
    profile: options.ProfileOption = None,
    validate_only: options.ValidateOnlyOption = False,
) -> None:
    """Deploy an environment with cdk, and turn autoscaling off around a change of the instance type.

    First, Step Functions is asked whether it would take each state machine (states:ValidateStateMachineDefinition), which creates
    nothing. If it would not, nothing is deployed.

    SageMaker refuses to change the instance type of an autoscaled variant, or to remove it. For such a stack these are three
    updates: what is deployed with Autoscaling=off, the new template with off, the same with on. If one fails or the
    command is interrupted, autoscaling is turned on again all the same; if the command is killed, the next run does it.

    \b
      sizewell deploy --env prod                          all stacks
      sizewell deploy --env prod demo-prod-chat           these stacks, and those that they depend on
      sizewell deploy --env prod --require-approval never flags of cdk deploy, after the stacks
      sizewell deploy --env prod --validate-only          asks Step Functions, and deploys nothing

    \b
    Exit codes:
      0  everything is deployed
      1  something is refused, a deployment failed, or autoscaling is off: the message says of which stack, and what to do
      2  the command was called wrongly, or there is no such stack
    """
    if app_output is None:
        require_environment(ctx, env)
    elif env:
        raise typer.BadParameter("--env synthesizes, and --app deploys what is there: name one of them")
    from sizewell.cli.deploy_command import deploy_environment

    deploy_environment(env, config, app_output, arguments or (), profile, validate_only=validate_only)


@app.command()
def review(
    base: options.BaseOption = None,
    head: options.HeadOption = None,
    env: options.EnvironmentsOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    markdown: options.MarkdownFileOption = None,
    html: options.HtmlFileOption = None,
    json: options.JsonFileOption = None,
    sarif: options.SarifFileOption = None,
    fail_on: options.ConditionsOption = None,
    production: options.ProductionOption = None,
    date: options.DateOption = None,
    profile: options.ProfileOption = None,
) -> None:
    """Show what a change does: to safety, security, cost, instance types, configuration and resources.

    Prints the verdict, then what can hurt first; where a format goes to the standard output, that instead.
    Both refs are synthesized as git has them, once for each content; two directories are compared as they are.
    What your branch alone changes: --base "$(git merge-base origin/main HEAD)". What a deployment changes now:
    --base deployed, which reads the stacks of the account, with the credentials of --profile. One of the files may be -, the
    standard output.

    \b
    Exit codes:
      0  nothing stops the change
      1  a condition of --fail-on, or of the policy in the configuration, is met
      2  bad input: no such ref, directory or environment, an option or a deployed stack that cannot be read
      3  head does not synthesize; the review of what does is printed and written
    """
    from sizewell.cli.review_command import run_review

    run_review(
        base,
        head,
        environments=env or (),
        config=config,
        conditions=fail_on or (),
        production=production or None,
        date=date,
        files={"markdown": markdown, "html": html, "json": json, "sarif": sarif},
        profile=profile,
    )


@app.command()
def parity(
    env: options.ShapedEnvironmentOption = "staging",
    like: options.ModelEnvironmentOption = "prod",
    output: options.SavedOutputsOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
    markdown: options.MarkdownOption = False,
    check: options.CheckShapeOption = False,
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
    text: options.PresetFilterArgument = "",
    as_json: options.JsonOption = False,
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


@app.command(name="deploy-local")
def deploy_local(
    env: options.EnvironmentOption = options.NO_ENVIRONMENT,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    verbose: options.VerboseOption = False,
) -> None:
    """Deploy an environment with the real cdk to an AWS that is emulated on this machine.

    Prints each phase, then what is deployed, read back. Needs neither an account nor docker nor a network, but the
    distribution sizewell-localcloud, which make deploy-local installs. What runs already is updated.

    \b
    Exit codes:
      0  it is deployed
      1  the configuration has faults, or the deployment fails
      2  the command was called wrongly, or the local cloud is not installed
    """
    with report_config_errors():
        from sizewell.planning import load_plan

        load_plan(config, env)
    from sizewell.cli.local_cloud_command import run_local_cloud

    raise typer.Exit(
        run_local_cloud(["deploy", env, f"--config={config}", *(["--verbose"] if verbose else [])])
    )


@app.command(name="destroy-local")
def destroy_local(verbose: options.VerboseOption = False) -> None:
    """Take down what deploy-local made, and the emulator.

    Prints what the removal policy would keep in an account; here it goes with the emulator.

    \b
    Exit codes:
      0  nothing of it is left, or nothing was there
      1  cdk destroy fails; the emulator has ended nevertheless
      2  the command was called wrongly, or the local cloud is not installed
    """
    from sizewell.cli.local_cloud_command import run_local_cloud

    raise typer.Exit(run_local_cloud(["destroy", *(["--verbose"] if verbose else [])]))


@app.command()
def doctor(
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    profile: options.ProfileOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Look whether this machine has what Sizewell needs; starts no program, and calls nobody.

    Prints a row for Python, packages, Node.js, cdk, disk, AWS credentials, configuration, lock, output and the local cloud, and
    what to do where something is wrong.

    \b
    Exit codes:
      0  nothing is missing
      1  something is missing
      2  the command was called wrongly
    """
    from sizewell.cli.doctor_command import run_doctor

    run_doctor(config, profile, as_json=as_json)


@app.command()
def init(
    directory: options.PlatformDirectoryArgument = None,
    name: options.PlatformNameOption = None,
    workload: options.StarterKindsOption = None,
    target: options.InitTargetOption = None,
    source: options.PackageSourceOption = None,
    ci: options.CiOption = None,
    force: options.ForceOption = False,
) -> None:
    """Start a platform of your own, or let CI review every change of one.

    \b
      sizewell init my-platform     a directory with app.py, cdk.json, config/, tests/ and a Makefile: synthesizes at once
      sizewell init .               the same in this directory, beside a README and a .gitignore that are there
      sizewell init --ci github     in a project: the workflow that says in a comment what a pull request does

    All files are written, or none; what was changed is kept, unless --force says otherwise.
    """
    if directory is None and ci is None:
        raise typer.BadParameter(
            "name the directory of a new platform, or with --ci what reviews the one that is here"
        )
    if directory is None and (workload or target or name or source):
        raise typer.BadParameter(
            "--workload, --target, --name and --source are for a new platform: name its directory"
        )
    from sizewell.cli.init_command import set_up

    set_up(directory, name, workload or (), target, ci, source, force=force)


@app.command()
def add(
    kind: options.KindArgument,
    target: options.AddTargetOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
) -> None:
    """Add a workload to a platform that is there: an example of its kind, to edit.

    Writes it at the end of the workloads of base.yaml, and in dev.yaml what is smaller there; everything else stays as it
    is. Prints the names, and what the configuration lacks for it.

    \b
      sizewell add training-job                          in SageMaker
      sizewell add training-job --target main            in the cluster main of the configuration
      sizewell add real-time-endpoint --target eks       in the one of type eks; an example of one is added where there is none

    \b
    Exit codes:
      0  it is added
      1  there is no such kind or cluster, or the configuration cannot be read or written; nothing is added
      2  the command was called wrongly
    """
    with report_config_errors():
        from sizewell.cli.add_command import add_workload

        add_workload(kind, config, target)


@app.command()
def guide(
    name: options.GuideArgument = None,
) -> None:
    """Print a guide, such as configuration or training.

    The guides and the examples are those of the release that is installed.

    \b
    Exit codes:
      0  it is printed
      1  there is no such guide; the message has a similar name
      2  the command was called wrongly
    """
    from sizewell.cli.guide_command import print_guide, print_guides

    print_guides() if name is None else print_guide(name)


@app.command()
def schema(
    output: options.SchemaDirectoryOption = None,
) -> None:
    """Print the JSON Schema of the configuration files."""
    if output is not None:
        from sizewell.cli.init_command import write_schemas

        write_schemas(output)
        return
    from sizewell.planning.editor_schema import editor_schema_text

    echo(editor_schema_text(), newline=False)


def main() -> None:
    """Run the command line."""
    start_quickly()
    app()


if __name__ == "__main__":
    main()
