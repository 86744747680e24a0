"""``sizewell preflight`` and ``sizewell verify``: what the accounts of an environment say of its plan."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console

from sizewell.account.aws_account import AwsAccount
from sizewell.account.bootstrap_names import BootstrapNames, qualifier_of_app
from sizewell.account.check import Check, Place, run_checks
from sizewell.account.finding import Finding, Outcome
from sizewell.cli.console import open_console
from sizewell.cli.errors import exit_with
from sizewell.cli.findings_view import findings_to_json, print_findings
from sizewell.cli.output import echo, tell
from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.planning import load_plan
from sizewell.planning.foundation_plan_model import FoundationPlan


def ask_accounts(
    directory: Path, environment: str, profile: str | None, checks: Sequence[Check]
) -> tuple[Finding, ...]:
    """Return what all checks find in each account and region of an environment.

    Ends the command where an account is another one, or there are no credentials. Raises ``ConfigError``.
    """
    plan, qualifier = load_plan(directory, environment), qualifier_of_app(Path("cdk.json"))
    findings: list[Finding] = []
    try:
        for foundation in plan.foundations.values():
            with progress(f"Reading {foundation.account}, {foundation.region} ...") as show:
                aws = account_of(foundation, profile, qualifier)
                for finding in run_checks(checks, Place(plan, foundation, aws, qualifier)):
                    findings.append(finding)
                    show(finding.check)
    except CloudFormationError as error:
        exit_with(str(error))
    return tuple(findings)


def account_of(foundation: FoundationPlan, profile: str | None, qualifier: str | None = None) -> AwsAccount:
    """Return the account and region of a place, which a caller of another account reads in the lookup role of its bootstrap.

    ``qualifier`` is that of the bootstrap in cdk.json, which is read where it is None. Raises CloudFormationError.
    """
    names = BootstrapNames(foundation, qualifier or qualifier_of_app(Path("cdk.json")))
    return AwsAccount(foundation.account, foundation.region, profile, names.lookup_role_arn)


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Yield what shows how far it is: on a terminal one line that is gone at the end, else the text once."""
    console = Console(stderr=True)
    if not console.is_terminal:
        tell(text)
        yield lambda _: None
        return
    with console.status(text) as status:
        yield lambda done: status.update(f"{text} {done}")


def ask_and_report(
    directory: Path, environment: str, profile: str | None, checks: Sequence[Check], *, as_json: bool
) -> None:
    """Print what all checks find, and end the command with 1 where one of them fails."""
    findings = ask_accounts(directory, environment, profile, checks)
    if as_json:
        echo(findings_to_json(environment, findings), newline=False)
    else:
        with open_console() as console:
            print_findings(findings, console)
    if any(finding.outcome is Outcome.FAIL for finding in findings):
        raise typer.Exit(1)
