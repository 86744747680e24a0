import csv
from pathlib import Path

import pytest

from sizewell.review.cost import registry
from sizewell.review.cost.pricer import prices
from sizewell.review.cost.registry import PRICERS, free_types

DIRECTORY = Path(registry.__file__).parent
#: What the stacks of this project emit.
OUR_TYPES = {
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
    "AWS::CloudWatch::Alarm",
    "AWS::EC2::FlowLog",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::Events::Rule",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Role",
    "AWS::KMS::Alias",
    "AWS::KMS::Key",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::Topic",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
    "AWS::SSM::Parameter",
    "AWS::SageMaker::Endpoint",
    "AWS::SageMaker::EndpointConfig",
    "AWS::SageMaker::Model",
    "AWS::Scheduler::Schedule",
    "AWS::StepFunctions::StateMachine",
    "Custom::VpcRestrictDefaultSG",
}


def rows(table: str) -> list[dict[str, str]]:
    with (DIRECTORY / table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_free_types_have_a_reason_and_no_pricer() -> None:
    table = rows("free_types.csv")
    names = [row["resource_type"] for row in table]
    assert names == sorted(set(names))
    assert all(len(row["reason"]) > 20 for row in table)
    assert not PRICERS.keys() & free_types().keys()


def test_a_type_has_one_pricer() -> None:
    with pytest.raises(ValueError, match="AWS::S3::Bucket has two pricers"):
        prices("AWS::S3::Bucket")(PRICERS["AWS::S3::Bucket"])


def test_everything_that_we_emit_is_priced_or_free() -> None:
    assert not OUR_TYPES - PRICERS.keys() - free_types().keys()
