"""The options and arguments of the commands, with their help and what the shell offers for them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sizewell.cli.completion import complete_environment, complete_workload, require_day, require_environment

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
DrawnWorkloadArgument = Annotated[
    str,
    typer.Argument(
        help="Only this workload.", autocompletion=complete_workload, show_default=False, metavar="[WORKLOAD]"
    ),
]
DirectoryOption = Annotated[Path, typer.Option("--config", help="The configuration directory.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print data instead of a table.")]
DetailsOption = Annotated[
    bool, typer.Option("--details", help="Print what is in the bill, what is not, and all warnings as well.")
]
DEFAULT_DIRECTORY = Path("config")
#: ``require_environment`` refuses it, and says which environments there are.
NO_ENVIRONMENT = ""

DeployEnvironmentOption = Annotated[
    str,
    typer.Option(
        "--env",
        metavar="NAME",
        help="Synthesize this environment and deploy it.",
        autocompletion=complete_environment,
        show_default=False,
    ),
]
DeployArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[STACKS]... [FLAGS OF CDK DEPLOY]...",
        help="Names of stacks, with wildcards; all, when left out. Then flags for cdk deploy.",
        show_default=False,
    ),
]
ValidateOnlyOption = Annotated[
    bool,
    typer.Option(
        "--validate-only",
        help="Deploy nothing: only ask Step Functions whether it would take every state machine.",
    ),
]
AppOption = Annotated[
    Path | None,
    typer.Option(
        "--app",
        metavar="DIR",
        help="Deploy this output of cdk synth instead, and synthesize nothing.",
        show_default=False,
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="The AWS profile to use.", show_default=False),
]
HtmlPageOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page to read in a browser.", show_default=False),
]
PrometheusOption = Annotated[
    Path | None,
    typer.Option(
        "--prometheus",
        metavar="FILE",
        help="Write what a CloudWatch exporter (YACE) reads for Prometheus.",
        show_default=False,
    ),
]
GrafanaOption = Annotated[
    Path | None,
    typer.Option(
        "--grafana",
        metavar="DIR",
        help="Write the same dashboards for Grafana, a file for each.",
        show_default=False,
    ),
]
EndpointArgument = Annotated[
    str, typer.Argument(help="The name of an endpoint.", autocompletion=complete_workload)
]
RightsizedWorkloadArgument = Annotated[
    str | None,
    typer.Argument(
        help="Only this endpoint; all, when left out.", autocompletion=complete_workload, show_default=False
    ),
]
DaysOption = Annotated[
    int,
    typer.Option(
        "--days",
        min=1,
        help="The days that are read, up to now: a mean of each minute for 14, of five for 62, of an hour for 454.",
    ),
]
SinceOption = Annotated[str, typer.Option("--since", metavar="TIME", help="How far back: 30m, 1h or 2d.")]
FollowOption = Annotated[
    bool, typer.Option("--follow", help="Go on with what comes, until it is interrupted.")
]
WriteOption = Annotated[
    bool, typer.Option("--write", help="Write the proposed values into the file of the environment.")
]
LockedWorkloadsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="With --update: only these workloads.", autocompletion=complete_workload, show_default=False
    ),
]
MeasuredWorkloadOption = Annotated[
    str,
    typer.Option("--workload", help="The workload that was measured.", autocompletion=complete_workload),
]
MeasuredEnvironmentOption = Annotated[
    str | None,
    typer.Option(
        "--env",
        metavar="NAME",
        help="Only in this environment; in all, when left out.",
        autocompletion=complete_environment,
        show_default=False,
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REF|DIR|deployed",
        help="What there was: a git ref, what cdk synth wrote, or what is deployed. The default branch, when left out.",
        show_default=False,
    ),
]
HeadOption = Annotated[
    str | None,
    typer.Option(
        "--head",
        metavar="REF|DIR|worktree",
        help="What there will be. The files as they are now when left out; cdk.out when base is a directory.",
        show_default=False,
    ),
]
MarkdownFileOption = Annotated[
    str | None,
    typer.Option(
        "--markdown", metavar="FILE", help="Write the comment for a pull request.", show_default=False
    ),
]
HtmlFileOption = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write a page to read in a browser.", show_default=False),
]
JsonFileOption = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the data.", show_default=False)
]
SarifFileOption = Annotated[
    str | None,
    typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0.", show_default=False),
]
ProductionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--production",
        metavar="NAME",
        help="An environment that serves users, where no plan or configuration says so; may be repeated. All, when left out.",
        autocompletion=complete_environment,
        show_default=False,
    ),
]
ConditionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITIONS",
        help="What must not happen, separated by commas; may be repeated.",
        show_default=False,
    ),
]
DateOption = Annotated[
    str | None,
    typer.Option(
        "--date",
        metavar="YYYY-MM-DD",
        callback=require_day,
        envvar="SIZEWELL_DATE",
        help="The day of the review, until which waivers may count; none counts without it.",
        show_default=False,
    ),
]
ShapedEnvironmentOption = Annotated[
    str,
    typer.Option(
        "--env",
        metavar="NAME",
        help="The environment that should have the same shape.",
        autocompletion=complete_environment,
    ),
]
ModelEnvironmentOption = Annotated[
    str,
    typer.Option(
        "--like",
        metavar="NAME",
        help="The environment that it should be like.",
        autocompletion=complete_environment,
    ),
]
SavedOutputsOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="DIR",
        help="Saved outputs, one for each environment; the files as they are now when left out.",
        show_default=False,
    ),
]
PresetFilterArgument = Annotated[
    str,
    typer.Argument(
        metavar="[FILTER]",
        help="Only those with this in their name, an alias or their architecture.",
        show_default=False,
    ),
]
MeasurementFileArgument = Annotated[
    Path, typer.Argument(help="What measured it: the JSON or CSV that it wrote.")
]
MeasuredTypeOption = Annotated[
    str | None,
    typer.Option("--instance-type", help="For a file that does not say it.", show_default=False),
]
MeasuredCountOption = Annotated[
    int, typer.Option("--instance-count", min=1, help="Instances behind a tested endpoint.")
]
TestedUrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="Send to this address, for example http://localhost:8000/v1/completions, and not to SageMaker.",
        show_default=False,
    ),
]
PayloadOption = Annotated[
    Path,
    typer.Option(
        "--payload", metavar="FILE", help='The body of each request; with "stream": true, of a stream.'
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="NAME: VALUE",
        help="A header of each request; may be repeated.",
        show_default=False,
    ),
]
RateOption = Annotated[
    float | None,
    typer.Option(
        "--rate",
        min=0.001,
        max=1000.0,
        metavar="N",
        help="Requests per second; what the plan says of these instances at peak, when left out.",
        show_default=False,
    ),
]
RequestsOption = Annotated[
    int,
    typer.Option(
        "--requests", min=20, max=10_000, metavar="N", help="How many requests to send at the most."
    ),
]
MaxSecondsOption = Annotated[
    float,
    typer.Option(
        "--max-seconds", min=1.0, max=3600.0, metavar="N", help="Send no more after so many seconds."
    ),
]
TestedTypeOption = Annotated[
    str | None,
    typer.Option(
        "--instance-type", help="With --url: what answers there; the pick of the plan, when left out."
    ),
]
TestedCountOption = Annotated[
    int, typer.Option("--instance-count", min=1, help="With --url: the instances that answer there.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would change; write nothing.")]
ParametersOption = Annotated[
    str, typer.Option("--parameters", help="The weights of the model: 7e9 or 7B for seven billion.")
]
TaskOption = Annotated[Literal["training", "inference"], typer.Option("--task", help="What it is for.")]
BudgetOption = Annotated[
    Literal["cost-optimized", "balanced", "performance"],
    typer.Option("--budget", help="Whether money or time matters more."),
]
CatalogRegionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--region",
        metavar="REGION",
        help="A region; may be repeated. Those of all environments, when left out.",
        show_default=False,
    ),
]
AcceptOption = Annotated[bool, typer.Option("--accept", help="Write the tables without asking.")]
PriceListOption = Annotated[
    str,
    typer.Option(
        "--price-list",
        metavar="URL",
        envvar="SIZEWELL_PRICE_LIST",
        help="A mirror of the public price list files, which are read where no credentials may ask the API.",
    ),
]
PRICE_LIST = "https://pricing.us-east-1.amazonaws.com"
RegionOption = Annotated[str, typer.Option("--region", help="The region whose prices count.")]
CheckLockOption = Annotated[
    bool, typer.Option("--check", help="Write nothing; exit 1 when it does not hold.")
]
UpdateLockOption = Annotated[bool, typer.Option("--update", help="Take the best picks of today.")]
MarkdownOption = Annotated[bool, typer.Option("--markdown", help="Print Markdown instead of a table.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Show everything that cdk says.")]
CheckShapeOption = Annotated[bool, typer.Option("--check", help="Exit 1 when the shapes differ.")]
PlatformDirectoryArgument = Annotated[
    str | None,
    typer.Argument(help="The directory of a new platform, or . for this one.", show_default=False),
]
PlatformNameOption = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="The name of the platform; that of its directory, when left out.",
        show_default=False,
    ),
]
StarterKindsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        metavar="KINDS",
        help="The kinds of workloads to start with, separated by commas: an example of each. "
        "real-time-endpoint and training-job, when left out.",
        show_default=False,
    ),
]
InitTargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TYPE",
        help="Where the workloads run: in a cluster of the type eks or ecs, or by batch. In SageMaker, when left out.",
        show_default=False,
    ),
]
AddTargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAME|TYPE",
        help="Where it runs: a cluster of the configuration, or eks, ecs or batch. In SageMaker, when left out.",
        show_default=False,
    ),
]
PackageSourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="DIR|WHEEL|ADDRESS",
        help="What the platform installs sizewell from: a checkout or a wheel, which is copied to vendor/, or an "
        "address such as git+https://HOST/REPOSITORY@REF. Where this one came from, when left out.",
        show_default=False,
    ),
]
CiOption = Annotated[
    Literal["github", "gitlab"] | None,
    typer.Option("--ci", help="Review every pull or merge request there.", show_default=False),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that were changed.")]
KindArgument = Annotated[str, typer.Argument(help="A kind of workload, such as training-job.")]
GuideArgument = Annotated[
    str | None,
    typer.Argument(help="The guide to print; all are listed, when left out.", show_default=False),
]
SchemaDirectoryOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="DIR",
        help="Write it there instead, and that of measurements.yaml beside it, for editors.",
        show_default=False,
    ),
]
