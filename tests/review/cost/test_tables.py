import csv
import re
from pathlib import Path

import pytest

from sizewell.review.cost import registry
from sizewell.review.cost.pricer import prices, service_price
from sizewell.review.cost.registry import PRICERS, free_types

DIRECTORY = Path(registry.__file__).parent
#: ISO, a month or a year where a source says no more; empty where it says nothing.
DATE = re.compile(r"|20\d\d(-\d\d(-\d\d)?)?")
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


def test_prices_are_unique_sorted_and_sourced() -> None:
    table = rows("service_prices.csv")
    keys = [(row["region"], row["service"], row["price"]) for row in table]
    assert keys == sorted(set(keys))
    for row in table:
        assert row["source"].strip(), row
        assert row["unit"].strip(), row
        assert DATE.fullmatch(row["as_of"]), row


def test_prices_are_positive_and_free_things_are_free_everywhere() -> None:
    for row in rows("service_prices.csv"):
        assert 0 <= float(row["usd"]) <= 3, row
        assert float(row["usd"]) > 0 or row["region"] == "*", row


def test_a_source_without_a_date_says_so() -> None:
    for row in rows("service_prices.csv"):
        if not row["as_of"]:
            assert "undated" in row["source"] or row["region"] == "*" or "public" in row["source"], row


def test_regions_agree_on_the_unit_of_a_price() -> None:
    units: dict[tuple[str, str], str] = {}
    for row in rows("service_prices.csv"):
        assert units.setdefault((row["service"], row["price"]), row["unit"]) == row["unit"], row


def test_a_price_that_nobody_found_is_none_and_not_zero() -> None:
    assert service_price("us-east-1", "SageMaker", "training_volume_gb_month") is None
    assert service_price("sa-east-1", "KMS", "key") is None
    assert service_price(None, "KMS", "key") is None


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


@pytest.mark.parametrize(
    ("service", "price"),
    [
        ("KMS", "key"),
        ("VPC", "interface_endpoint_hour"),
        ("VPC", "nat_gateway_hour"),
        ("VPC", "public_ipv4_hour"),
        ("CloudWatch", "alarm"),
        ("SageMaker", "endpoint_volume_gb_month"),
        ("Step Functions", "state_transition"),
    ],
)
def test_us_east_1_has_what_our_stacks_pay(service: str, price: str) -> None:
    found = service_price("us-east-1", service, price)
    assert found is not None
    assert found.usd > 0
