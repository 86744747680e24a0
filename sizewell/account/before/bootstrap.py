"""Whether ``cdk bootstrap`` has run in the account and region, and late enough for the templates.

Templates assert it, so that a deployment ends at once: rule CheckBootstrapVersion, which reads the same parameter.
https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-troubleshoot.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.bootstrap_names import QUALIFIER, BootstrapNames
from sizewell.account.check import Answer, Check, Place, fails, passes
from sizewell.aws_errors import is_missing

#: ``MIN_BOOTSTRAP_STACK_VERSION`` of aws-cdk-lib 2: core/lib/stack-synthesizers/default-synthesizer.ts.
LEAST_VERSION = 6


def _subjects(place: Place) -> Iterator[BootstrapNames]:
    yield place.bootstrap


def _ask(aws: AwsAccount, subject: BootstrapNames) -> Iterator[Answer]:
    name = subject.version_parameter
    qualifier = "" if subject.qualifier == QUALIFIER else f" --qualifier {subject.qualifier}"
    to_do = f"cdk bootstrap aws://{aws.account}/{aws.region}{qualifier}"
    try:
        version = int(aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"])
    except ClientError as error:
        if not is_missing(error):
            raise
        yield fails(name, "there is no such parameter: nobody has bootstrapped the account and region", to_do)
        return
    if version < LEAST_VERSION:
        yield fails(name, f"version {version}, at least {LEAST_VERSION} needed", to_do)
    else:
        yield passes(name, f"version {version}, at least {LEAST_VERSION} needed")


BOOTSTRAP = Check(
    name="bootstrap",
    actions=("ssm:GetParameter",),
    subjects=_subjects,
    ask=_ask,
    named=lambda names: names.version_parameter,
)
