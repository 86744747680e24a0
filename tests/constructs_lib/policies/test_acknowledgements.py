from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import IConstruct

import constructs_lib.policies.acknowledgements
from constructs_lib.foundation.foundation import Foundation, FoundationProps
from constructs_lib.foundation.network import ExistingNetworkProps
from constructs_lib.policies.acknowledgements import acknowledge, acknowledge_all
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS
from tests.constructs_lib.judges import Finding, open_findings

pytestmark = pytest.mark.cdk

REASON = "Only this one test reads the bucket."


def _bucket_policy(stack: Stack) -> iam.CfnManagedPolicy:
    statement = {"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return iam.CfnManagedPolicy(stack, "Policy", policy_document=document)


def test_one_finding_is_accepted_and_the_others_stay(stack: Stack) -> None:
    policy = _bucket_policy(stack)

    acknowledge(policy, "AwsSolutions-IAM5[Resource::*]", REASON)

    assert open_findings(stack) == {("Stack/Policy", "AwsSolutions-IAM5[Action::s3:Get*]")}


def test_an_id_without_its_brackets_accepts_nothing(stack: Stack) -> None:
    policy = _bucket_policy(stack)
    before = open_findings(stack)

    acknowledge(policy, "AwsSolutions-IAM5", REASON)

    assert open_findings(stack) == before


def test_one_reason_answers_several_packs_on_one_resource(stack: Stack) -> None:
    ids = [f"{pack}-S3BucketReplicationEnabled" for pack in COMPLIANCE_PACKS]
    known = s3.CfnBucket(stack, "Known")
    s3.CfnBucket(stack, "Other")
    before = open_findings(stack)

    acknowledge_all(known, ids, REASON)

    assert before - open_findings(stack) == {("Stack/Known", finding_id) for finding_id in ids}


@pytest.mark.parametrize("finding_ids", [(), ("",), ("AwsSolutions-S1", " ")])
def test_an_acknowledgement_without_an_id_is_refused(stack: Stack, finding_ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="a finding id is missing"):
        acknowledge_all(stack, finding_ids, REASON)


@pytest.mark.parametrize("reason", ["", "not needed here", " " * 40])
def test_a_reason_that_is_none_is_refused(stack: Stack, reason: str) -> None:
    with pytest.raises(ValueError, match="AwsSolutions-S1 needs at least 20 characters"):
        acknowledge(stack, "AwsSolutions-S1", reason)


class _Recorder:
    """Stands in for ``aws_cdk.Validations``: notes what is acknowledged, and silences nothing."""

    def __init__(self) -> None:
        self.acknowledged: list[Finding] = []
        self._path = ""

    def of(self, construct: IConstruct) -> "_Recorder":
        self._path = construct.node.path
        return self

    def acknowledge(self, *acknowledgements: Any) -> None:
        self.acknowledged.extend((self._path, acknowledgement.id) for acknowledgement in acknowledgements)


def test_every_acknowledgement_in_an_existing_network_answers_a_finding(
    cdk_context: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # No environment has one; what holds in a new network is tested with prod.
    recorder = _Recorder()
    monkeypatch.setattr(constructs_lib.policies.acknowledgements, "Validations", recorder)
    app = App(context=cdk_context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))
    network = ExistingNetworkProps(vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-0a", "subnet-0b"))

    Foundation(stack, "Foundation", props=FoundationProps(name_prefix="demo", network=network))

    assert len(recorder.acknowledged) == len(set(recorder.acknowledged))
    assert set(recorder.acknowledged) == open_findings(stack)
