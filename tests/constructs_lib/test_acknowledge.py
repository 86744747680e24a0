from typing import Any

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks
from constructs import IConstruct

import constructs_lib.acknowledge
from constructs_lib.acknowledge import acknowledge, acknowledge_all
from constructs_lib.buckets import Buckets, BucketsProps
from constructs_lib.encryption_keys import EncryptionKeys, EncryptionKeysProps
from constructs_lib.foundation_parameters import FoundationParameters, FoundationParametersProps
from constructs_lib.network import ExistingNetwork, ExistingNetworkProps, Network, NetworkProps
from constructs_lib.references import FoundationReferences
from constructs_lib.scaling_handover import ScalingHandover, ScalingHandoverProps
from constructs_lib.topics import Topics, TopicsProps

pytestmark = pytest.mark.cdk

REASON = "Only this one test reads the bucket."
Finding = tuple[str, str]


def _findings(scope: IConstruct) -> set[Finding]:
    """Construct path and id of everything that the four packs find and nobody has acknowledged."""
    packs = (AwsSolutionsChecks(), HIPAASecurityChecks(), NIST80053R5Checks(), PCIDSS321Checks())
    return {
        (str(resource.construct_path), violation.rule_name)
        for pack in packs
        for violation in pack.validate_scope(scope).violations
        for resource in violation.violating_resources
    }


def _bucket_policy(stack: Stack) -> iam.CfnManagedPolicy:
    statement = {"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return iam.CfnManagedPolicy(stack, "Policy", policy_document=document)


def test_one_finding_is_accepted_and_the_others_stay(stack: Stack) -> None:
    policy = _bucket_policy(stack)

    acknowledge(policy, "AwsSolutions-IAM5[Resource::*]", REASON)

    assert _findings(stack) == {("Stack/Policy", "AwsSolutions-IAM5[Action::s3:Get*]")}


def test_an_id_without_its_brackets_accepts_nothing(stack: Stack) -> None:
    policy = _bucket_policy(stack)
    before = _findings(stack)

    acknowledge(policy, "AwsSolutions-IAM5", REASON)

    assert _findings(stack) == before


def test_only_the_acknowledged_resource_is_accepted(stack: Stack) -> None:
    acknowledge(s3.CfnBucket(stack, "Known"), "AwsSolutions-S1", REASON)
    s3.CfnBucket(stack, "Other")

    accesses = {path for path, finding_id in _findings(stack) if finding_id == "AwsSolutions-S1"}

    assert accesses == {"Stack/Other"}


def test_one_reason_may_answer_the_same_rule_in_several_packs(stack: Stack) -> None:
    bucket = s3.CfnBucket(stack, "Bucket")
    ids = [
        f"{pack}-S3BucketReplicationEnabled" for pack in ("HIPAA.Security", "NIST.800.53.R5", "PCI.DSS.321")
    ]
    before = _findings(stack)

    acknowledge_all(bucket, ids, REASON)

    assert before - _findings(stack) == {("Stack/Bucket", finding_id) for finding_id in ids}


@pytest.mark.parametrize("finding_ids", [(), ("",), ("AwsSolutions-S1", " ")])
def test_an_acknowledgement_without_an_id_is_refused(stack: Stack, finding_ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="a finding id is missing"):
        acknowledge_all(stack, finding_ids, REASON)


@pytest.mark.parametrize("reason", ["", "not needed here", " " * 40])
def test_a_reason_that_is_none_is_refused(stack: Stack, reason: str) -> None:
    with pytest.raises(ValueError, match="AwsSolutions-S1 needs at least 20 characters"):
        acknowledge(stack, "AwsSolutions-S1", reason)


def _network(stack: Stack, kind: str, operations_key_arn: str) -> Network | ExistingNetwork:
    if kind == "existing":
        existing = ExistingNetworkProps(
            vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-0123456789abcdef0",)
        )
        return ExistingNetwork(stack, "Network", props=existing)
    new = NetworkProps(
        cidr="10.0.0.0/16",
        availability_zone_count=2,
        operations_key_arn=operations_key_arn,
        log_retention_days=90,
        removal_policy=RemovalPolicy.RETAIN,
    )
    return Network(stack, "Network", props=new)


def _build_foundation(stack: Stack, network_kind: str) -> None:
    keys_props = EncryptionKeysProps(alias_prefix="demo-dev", removal_policy=RemovalPolicy.RETAIN)
    keys = EncryptionKeys(stack, "Keys", props=keys_props)
    network = _network(stack, network_kind, keys.operations_key_arn)
    buckets_props = BucketsProps(
        artifact_bucket_name="demo-dev-artifacts",
        checkpoint_bucket_name="demo-dev-checkpoints",
        access_log_bucket_name="demo-dev-access-logs",
        data_key_arn=keys.data_key_arn,
        checkpoint_expiry_days=30,
        noncurrent_version_expiry_days=90,
        removal_policy=RemovalPolicy.RETAIN,
    )
    buckets = Buckets(stack, "Buckets", props=buckets_props)
    topics_props = TopicsProps(alarm_topic_name="demo-dev-alarms", operations_key_arn=keys.operations_key_arn)
    topics = Topics(stack, "Topics", props=topics_props)
    handover_props = ScalingHandoverProps(
        name_prefix="demo-dev",
        operations_key_arn=keys.operations_key_arn,
        alarm_topic_arn=topics.alarm_topic_arn,
        log_retention_days=90,
        removal_policy=RemovalPolicy.RETAIN,
    )
    handover = ScalingHandover(stack, "ScalingHandover", props=handover_props)
    references = FoundationReferences(
        subnet_ids=network.subnet_ids,
        endpoint_security_group_id=network.endpoint_security_group.attr_group_id,
        training_security_group_id=network.training_security_group.attr_group_id,
        data_key_arn=keys.data_key_arn,
        operations_key_arn=keys.operations_key_arn,
        artifact_bucket_name=buckets.artifact_bucket.ref,
        checkpoint_bucket_name=buckets.checkpoint_bucket.ref,
        alarm_topic_arn=topics.alarm_topic_arn,
        scaling_handover_function_arn=handover.function_arn,
    )
    props = FoundationParametersProps(parameter_prefix="/demo/dev/foundation", references=references)
    FoundationParameters(stack, "Parameters", props=props)


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


@pytest.mark.parametrize("network_kind", ["new", "existing"])
def test_the_foundation_has_no_finding_that_nobody_answered(stack: Stack, network_kind: str) -> None:
    _build_foundation(stack, network_kind)

    assert _findings(stack) == set()


@pytest.mark.parametrize("network_kind", ["new", "existing"])
def test_every_acknowledgement_of_the_foundation_answers_a_finding(
    cdk_context: dict[str, Any], network_kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = _Recorder()
    monkeypatch.setattr(constructs_lib.acknowledge, "Validations", recorder)
    app = App(context=cdk_context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))

    _build_foundation(stack, network_kind)

    assert len(recorder.acknowledged) == len(set(recorder.acknowledged))
    assert set(recorder.acknowledged) == _findings(stack)
