"""How checks are run."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest
from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, passes, run_checks
from sizewell.account.finding import Outcome
from sizewell.aws_errors import is_missing
from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.planning.build import build_plan
from tests.account.builders import Refusal, ScriptedAccount
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment

PLAN = build_plan(environment({"plants": endpoint()}), catalog(gpu_instance()))


def _buckets(aws: AwsAccount, subject: str) -> Iterator[Answer]:
    aws.client("s3").head_bucket(Bucket=subject)
    yield passes(subject, "exists")


BUCKETS = Check(
    name="buckets", actions=("s3:ListBucket",), subjects=lambda _: ("first", "second"), ask=_buckets
)


def test_a_refusal_is_of_one_subject_and_keeps_no_other_from_its_answer() -> None:
    aws = ScriptedAccount({"s3": [("head_bucket", Refusal("AccessDenied")), ("head_bucket", {})]})

    found = list(run_checks((BUCKETS,), Place(PLAN, PLAN.foundation, aws)))
    assert [(finding.subject, finding.outcome) for finding in found] == [
        ("first", Outcome.UNKNOWN),
        ("second", Outcome.PASS),
    ]
    assert found[0].to_do == "allow s3:ListBucket"
    assert found[0].place == "111122223333, us-east-1"


def test_credentials_that_expire_end_it() -> None:
    aws = ScriptedAccount({"s3": [("head_bucket", Refusal("ExpiredToken"))]})

    with pytest.raises(CloudFormationError, match="credentials have expired"):
        list(run_checks((BUCKETS,), Place(PLAN, PLAN.foundation, aws)))


def test_what_was_said_before_a_refusal_stays_said() -> None:
    def ask(aws: AwsAccount, subject: str) -> Iterator[Answer]:
        yield passes(subject, "has a name")
        yield from _buckets(aws, subject)

    aws = ScriptedAccount({"s3": [("head_bucket", Refusal("403")), ("head_bucket", {})]})

    found = list(run_checks((replace(BUCKETS, ask=ask),), Place(PLAN, PLAN.foundation, aws)))
    assert [finding.outcome for finding in found] == [
        Outcome.PASS,
        Outcome.UNKNOWN,
        Outcome.PASS,
        Outcome.PASS,
    ]


def test_findings_come_in_the_order_of_the_checks_and_not_in_that_of_the_answers() -> None:
    slow = Event()

    def first(aws: AwsAccount, subject: str) -> Iterator[Answer]:
        assert slow.wait(timeout=30)
        yield passes("first", subject)

    def second(aws: AwsAccount, subject: str) -> Iterator[Answer]:
        slow.set()
        yield passes("second", subject)

    checks = (replace(BUCKETS, ask=first), replace(BUCKETS, ask=second))
    found = run_checks(checks, Place(PLAN, PLAN.foundation, ScriptedAccount({})))
    assert [finding.subject for finding in found] == ["first", "first", "second", "second"]


@pytest.mark.parametrize(
    ("code", "message", "missing"),
    [
        ("404", "Not Found", True),
        ("NoSuchBucket", "no", True),
        ("InvalidSubnetID.NotFound", "no", True),
        ("NotFoundException", "no", True),
        ("ValidationError", "Stack with id demo does not exist", True),
        ("ValidationException", "ModelPackage fraud/3 does not exist.", True),
        ("ValidationException", "1 validation error detected", False),
        ("AccessDenied", "no", False),
    ],
)
def test_services_say_in_many_codes_that_a_thing_is_missing(code: str, message: str, missing: bool) -> None:
    assert is_missing(ClientError({"Error": {"Code": code, "Message": message}}, "any")) is missing
