"""A check, and how checks are run: each subject for itself, so that one without permission keeps no other from its answer."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.bootstrap_names import QUALIFIER, BootstrapNames
from sizewell.account.finding import Finding, Outcome
from sizewell.aws_errors import has_no_login, is_denied
from sizewell.deploy.cloudformation import as_our_error
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import WorkloadPlan

#: Checks that ask at the same time: most of the time of each is the way to AWS and back.
_AT_A_TIME = 4


@dataclass(frozen=True)
class Place:
    """What a plan has in one account and region."""

    plan: DeploymentPlan
    foundation: FoundationPlan
    aws: AwsAccount
    qualifier_of_app: str = QUALIFIER
    """That of the bootstrap in cdk.json."""

    @property
    def bootstrap(self) -> BootstrapNames:
        """The names of what deploys there."""
        return BootstrapNames(self.foundation, self.qualifier_of_app)

    @property
    def workloads(self) -> tuple[WorkloadPlan, ...]:
        """The workloads that run there."""
        return tuple(workload for workload in self.plan.workloads if workload.place == self.foundation.place)


@dataclass(frozen=True)
class Answer:
    """What a check says of a subject."""

    subject: str
    outcome: Outcome
    says: str
    to_do: str = ""


def passes(subject: str, says: str) -> Answer:
    """Return that all is well."""
    return Answer(subject, Outcome.PASS, says)


def warns(subject: str, says: str, to_do: str) -> Answer:
    """Return that somebody should look at it."""
    return Answer(subject, Outcome.WARN, says, to_do)


def fails(subject: str, says: str, to_do: str) -> Answer:
    """Return that it would stop a deployment, or is not what was planned."""
    return Answer(subject, Outcome.FAIL, says, to_do)


def is_unknown(subject: str, says: str, to_do: str) -> Answer:
    """Return that AWS does not tell."""
    return Answer(subject, Outcome.UNKNOWN, says, to_do)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question to an account, asked of each of its subjects."""

    name: str
    actions: tuple[str, ...]
    """The IAM actions that the caller needs."""
    subjects: Callable[[Place], Iterable[Any]]
    """What of a place is looked at; it asks AWS nothing."""
    ask: Callable[[AwsAccount, Any], Iterable[Answer]]
    """Ask AWS about one subject. Errors of botocore may pass: they become an answer, UNKNOWN."""
    named: Callable[[Any], str] = str
    """The name of a subject, as people read it."""


def run_checks(checks: Sequence[Check], place: Place) -> Iterator[Finding]:
    """Yield what each check finds in a place, in their order; a few of them ask at the same time.

    What an account refuses, or a service does not answer, is a finding, UNKNOWN. Raises CloudFormationError where there are no
    credentials, or no longer.
    """
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        for findings in threads.map(lambda check: list(_findings(check, place)), checks):
            yield from findings


def _findings(check: Check, place: Place) -> Iterator[Finding]:
    for subject in check.subjects(place):
        with as_our_error(check.name):
            answers = _answers(check, place.aws, subject)
        for answer in answers:
            yield Finding(
                check=check.name,
                place=place.aws.where,
                subject=answer.subject,
                outcome=answer.outcome,
                says=answer.says,
                to_do=answer.to_do,
            )


def _answers(check: Check, aws: AwsAccount, subject: Any) -> list[Answer]:
    """Return what is said of a subject; what was said before a refusal stays said."""
    answers: list[Answer] = []
    try:
        answers.extend(check.ask(aws, subject))
    except (BotoCoreError, ClientError) as error:
        if has_no_login(error):
            raise
        may_not_ask = isinstance(error, ClientError) and is_denied(error)
        to_do = f"allow {', '.join(check.actions)}" if may_not_ask else "try again"
        answers.append(is_unknown(check.named(subject), str(error), to_do))
    return answers
