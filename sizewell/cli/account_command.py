"""``sizewell preflight`` and ``sizewell verify``: what the accounts of an environment say of its plan."""

from collections.abc import Sequence
from pathlib import Path

import typer

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
            tell(f"Reading {foundation.account}, {foundation.region} ...")
            reader = BootstrapNames(foundation, qualifier).lookup_role_arn
            aws = AwsAccount(foundation.account, foundation.region, profile, reader)
            findings += run_checks(checks, Place(plan, foundation, aws, qualifier))
    except CloudFormationError as error:
        exit_with(str(error))
    return tuple(findings)


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
