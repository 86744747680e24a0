"""How checks are run."""

from collections.abc import Iterator

import pytest

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, passes, run_checks
from sizewell.account.finding import Outcome
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

    with pytest.raises(CloudFormationError, match="ExpiredToken"):
        list(run_checks((BUCKETS,), Place(PLAN, PLAN.foundation, aws)))
