"""What exists is used and not made, and nothing is left of what it stands for."""

import json
from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.foundation import Foundation, FoundationProps
from constructs_lib.foundation.network import ExistingNetworkProps, NewNetworkProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.spot_training_job import SpotTrainingJob, SpotTrainingJobProps

pytestmark = pytest.mark.cdk

VPC = ExistingNetworkProps(vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-01234567", "subnet-12345678"))
EVERYTHING = ExistingResources(
    data_key_arn="arn:aws:kms:us-east-1:111122223333:key/data",
    operations_key_arn="arn:aws:kms:us-east-1:111122223333:key/operations",
    artifact_bucket_name="company-models",
    checkpoint_bucket_name="company-checkpoints",
    access_log_bucket_name="company-logs",
    alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:company-alarms",
    endpoint_security_group_id="sg-0123456789abcdef0",
    training_security_group_id="sg-0123456789abcdef1",
    mlflow_arn="arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company",
)
ROLE = "arn:aws:iam::111122223333:role/company/models"
IMAGE = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0"
NOTHING_BUT = {
    "AWS::CloudWatch::Alarm": 1,
    "AWS::Events::Rule": 1,
    "AWS::SQS::Queue": 1,
    "AWS::SQS::QueuePolicy": 1,
    "AWS::SSM::Parameter": 9,
}
ALL = NOTHING_BUT | {
    "AWS::KMS::Key": 2,
    "AWS::KMS::Alias": 2,
    "AWS::S3::Bucket": 3,
    "AWS::S3::BucketPolicy": 3,
    "AWS::SNS::Topic": 1,
    "AWS::SNS::TopicPolicy": 1,
    "AWS::SNS::Subscription": 1,
    "AWS::EC2::SecurityGroup": 2,
    "AWS::EC2::SecurityGroupIngress": 1,
    "AWS::EC2::SecurityGroupEgress": 1,
}
#: What each one, alone, spares.
SPARED: dict[str, dict[str, int]] = {
    "data_key_arn": {"AWS::KMS::Key": 1, "AWS::KMS::Alias": 1},
    "operations_key_arn": {"AWS::KMS::Key": 1, "AWS::KMS::Alias": 1},
    "artifact_bucket_name": {"AWS::S3::Bucket": 1, "AWS::S3::BucketPolicy": 1},
    "checkpoint_bucket_name": {"AWS::S3::Bucket": 1, "AWS::S3::BucketPolicy": 1},
    "access_log_bucket_name": {"AWS::S3::Bucket": 1, "AWS::S3::BucketPolicy": 1},
    "alarm_topic_arn": {"AWS::SNS::Topic": 1, "AWS::SNS::TopicPolicy": 1},
    "endpoint_security_group_id": {"AWS::EC2::SecurityGroup": 1},
    "training_security_group_id": {
        "AWS::EC2::SecurityGroup": 1,
        "AWS::EC2::SecurityGroupIngress": 1,
        "AWS::EC2::SecurityGroupEgress": 1,
    },
    # Without an MLflow there is none, and nothing that names it.
    "mlflow_arn": {"AWS::SSM::Parameter": -1},
}


def built(stack: Stack, existing: ExistingResources, **given: Any) -> tuple[Foundation, dict[str, Any]]:
    props = FoundationProps(
        name_prefix="acme",
        alarm_email_addresses=("team@example.com",),
        existing=existing,
        **{"network": VPC, **given},
    )
    foundation = Foundation(stack, "Foundation", props=props)
    return foundation, Template.from_stack(stack).to_json()["Resources"]


def types(resources: dict[str, Any]) -> dict[str, int]:
    return dict(Counter(resource["Type"] for resource in resources.values()))


def published(resources: dict[str, Any]) -> dict[str, Any]:
    return {
        resource["Properties"]["Name"].rpartition("/")[2]: resource["Properties"]["Value"]
        for resource in resources.values()
        if resource["Type"] == "AWS::SSM::Parameter"
    }


def test_without_any_all_are_made(stack: Stack) -> None:
    assert types(built(stack, ExistingResources())[1]) == ALL


@pytest.mark.parametrize("field", [field.name for field in fields(ExistingResources)])
def test_each_alone_spares_its_own_resources_and_is_published(stack: Stack, field: str) -> None:
    identifier = getattr(EVERYTHING, field)
    _, resources = built(stack, ExistingResources(**{field: identifier}))
    assert types(resources) == {
        name: count
        for name, all_of_them in ALL.items()
        if (count := all_of_them - SPARED[field].get(name, 0))
    }
    text = json.dumps(resources)
    if field == "access_log_bucket_name":
        assert text.count(f'"DestinationBucketName": "{identifier}"') == 2
    else:
        assert published(resources)[field.replace("_", "-")] == identifier
    # Whoever used ours uses it: nothing refers to a logical id that is not there.
    made = set(resources)
    for resource in resources.values():
        assert referred(resource) - made == set()


def referred(value: Any) -> set[str]:
    if isinstance(value, dict):
        if "Ref" in value:
            return set() if value["Ref"].startswith("AWS::") else {value["Ref"]}
        if "Fn::GetAtt" in value:
            return {value["Fn::GetAtt"][0]}
        return set().union(*map(referred, value.values()))
    return set().union(*map(referred, value)) if isinstance(value, list) else set()


def test_with_everything_only_the_rule_a_subscription_and_parameters_are_left(stack: Stack) -> None:
    foundation, resources = built(stack, EVERYTHING)
    assert types(resources) == {**NOTHING_BUT, "AWS::SSM::Parameter": 10, "AWS::SNS::Subscription": 1}
    parts = foundation.parts
    assert parts.keys.data_key is parts.keys.operations_key is None
    buckets = parts.buckets
    assert buckets.artifact_bucket is buckets.checkpoint_bucket is buckets.access_log_bucket is None
    assert parts.topics.alarm_topic is None
    assert parts.network.endpoint_security_group is parts.network.training_security_group is None
    [subscription] = [r for r in resources.values() if r["Type"] == "AWS::SNS::Subscription"]
    assert subscription["Properties"]["TopicArn"] == EVERYTHING.alarm_topic_arn


def test_no_bucket_of_logs_is_made_that_gets_none(stack: Stack) -> None:
    _, resources = built(stack, replace(EVERYTHING, access_log_bucket_name=None))
    assert "AWS::S3::Bucket" not in types(resources)


def test_only_buckets_of_ours_may_write_to_the_bucket_of_logs(stack: Stack) -> None:
    _, resources = built(stack, ExistingResources(artifact_bucket_name="company-models"))
    text = json.dumps([r for r in resources.values() if r["Type"] == "AWS::S3::BucketPolicy"])
    assert "acme-checkpoints-111122223333-us-east-1/*" in text
    assert "company-models" not in text


def test_the_gateway_endpoint_leads_to_the_buckets_that_exist(stack: Stack) -> None:
    existing = replace(EVERYTHING, endpoint_security_group_id=None, training_security_group_id=None)
    _, resources = built(stack, existing, network=NewNetworkProps())
    text = json.dumps([r for r in resources.values() if r["Type"] == "AWS::EC2::VPCEndpoint"])
    for name in ("company-models", "company-checkpoints"):
        assert f":s3:::{name}/*" in text
    assert ":s3:::acme-" not in text


def test_a_group_needs_its_vpc() -> None:
    with pytest.raises(ValueError, match="a security group belongs to a VPC"):
        FoundationProps(name_prefix="acme", existing=ExistingResources(endpoint_security_group_id="sg-1"))


def test_an_endpoint_takes_a_role_of_the_account(stack: Stack, foundation: FoundationReferences) -> None:
    RealtimeEndpoint(
        stack,
        "Endpoint",
        props=RealtimeEndpointProps(
            endpoint_name="acme-chat",
            instance_type="ml.g6.xlarge",
            image_uri=IMAGE,
            artifact_key="models/1.tar.gz",
            foundation=foundation,
            execution_role_arn=ROLE,
        ),
    )
    resources = Template.from_stack(stack).to_json()["Resources"]
    assert not {"AWS::IAM::Role", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy"} & types(resources).keys()
    [model] = [r for r in resources.values() if r["Type"] == "AWS::SageMaker::Model"]
    assert model["Properties"]["ExecutionRoleArn"] == ROLE
    assert "DependsOn" not in model


def test_a_training_job_takes_one_and_may_pass_no_other(
    stack: Stack, foundation: FoundationReferences
) -> None:
    SpotTrainingJob(
        stack,
        "Training",
        props=SpotTrainingJobProps(
            name="acme-train",
            image_uri=IMAGE,
            instance_types=("ml.g6.xlarge",),
            deadline_s=7200,
            on_demand_s=3600,
            foundation=foundation,
            execution_role_arn=ROLE,
        ),
    )
    template = Template.from_stack(stack)
    [role] = template.find_resources("AWS::IAM::Role").values()  # of the state machine
    trust = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert [statement["Principal"]["Service"] for statement in trust] == ["states.amazonaws.com"]
    [policy] = template.find_resources("AWS::IAM::ManagedPolicy").values()
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    assert [statement["Resource"] for statement in statements if "iam:PassRole" in statement["Action"]] == [
        ROLE
    ]
    [machine] = template.find_resources("AWS::StepFunctions::StateMachine").values()
    assert machine["Properties"]["DefinitionSubstitutions"]["TrainingRoleArn"] == ROLE
