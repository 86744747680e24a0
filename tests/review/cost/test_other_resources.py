from typing import Any

import pytest

from sizewell.kinds.notebook.saved import SavedNotebook
from tests.review.builders import resource, template
from tests.review.cost.plans import (
    amounts,
    compared,
    costs,
    head_of,
    line,
    planned,
    saved_endpoint,
    saved_plan,
)


def one(resource_type: str, **properties: Any) -> dict[str, Any]:
    return template(One=resource(resource_type, properties))


def test_a_training_that_a_stack_starts_is_paid_by_its_hours() -> None:
    found = line(
        one("AWS::SageMaker::TrainingJob", ResourceConfig={"InstanceType": "ml.g5.xlarge"}),
        "ml.g5.xlarge training",
    )
    assert (found.basis, found.unit_price) == ("usage", "1.408 USD per hour")
    unknown = line(one("AWS::SageMaker::TrainingJob", ResourceConfig={"Ref": "Given"}), "instances training")
    assert (unknown.basis, amounts(unknown)) == ("unknown", (None, None, None))


@pytest.mark.parametrize(
    ("written", "name", "usd", "quantity"),
    [
        (one("AWS::KMS::Key"), "customer-managed key", 1.0, "1 customer-managed key"),
        (one("AWS::EC2::NatGateway"), "NAT gateway", 32.85, "1 NAT gateway, 730 hours"),
        (one("AWS::EC2::EIP"), "public IPv4 address", 3.65, "1 public IPv4 address, 730 hours"),
        (one("AWS::CloudWatch::Alarm", Period=60), "alarm", 0.1, "1 alarm"),
        (one("AWS::CloudWatch::Alarm", Period="10"), "high-resolution alarm", 0.3, "1 high-resolution alarm"),
        (one("AWS::CloudWatch::CompositeAlarm"), "composite alarm", 0.5, "1 composite alarm"),
        (one("AWS::CloudWatch::Dashboard"), "dashboard", 3.0, "1 dashboard"),
        (one("AWS::SSM::Parameter", Tier="Advanced"), "advanced parameter", 0.05, "1 advanced parameter"),
        (
            one("AWS::EC2::VPCEndpoint", VpcEndpointType="Interface", SubnetIds=[{"Ref": "A"}, {"Ref": "B"}]),
            "VPC interface endpoint x 2 zones",
            14.6,
            "1 VPC interface endpoint x 2 zones, 1,460 hours",
        ),
        (
            one("AWS::ApplicationAutoScaling::ScalingPolicy", PolicyType="TargetTrackingScaling"),
            "alarm of target tracking",
            0.2,
            "2 alarms of target tracking",
        ),
    ],
)
def test_unit_price_times_quantity(written: dict[str, Any], name: str, usd: float, quantity: str) -> None:
    found = line(written, name)
    assert amounts(found) == (usd, usd, usd)
    assert found.quantity == quantity
    assert found.basis == "published"


def test_an_api_is_paid_by_the_request_and_the_plan_says_how_many() -> None:
    written = one("AWS::ApiGateway::RestApi", Name="a")
    assert line(written, "requests").basis == "usage"
    plan = saved_plan(saved_endpoint(access={"api_gateway": {"requests_per_month": 1e6}}))
    (known,) = head_of(compared(None, planned(written, plan))).components
    assert amounts(known) == (3.5, 3.5, 3.5)
    cached = one("AWS::ApiGateway::Stage", CacheClusterEnabled=True)
    assert line(cached, "cache").basis == "unknown"


def test_an_alias_pays_for_the_memory_of_what_it_keeps_warm() -> None:
    """A plan is not there; one bill of plan and review is what the examples show."""
    function = {"MemorySize": 2048, "Architectures": ["arm64"]}
    provisioned = {"ProvisionedConcurrentExecutions": 3}
    written = template(
        Handler=resource("AWS::Lambda::Function", function),
        Alias=resource(
            "AWS::Lambda::Alias",
            {"FunctionName": {"Ref": "Handler"}, "ProvisionedConcurrencyConfig": provisioned},
        ),
    )
    found = line(written, "provisioned concurrency")
    usd: Any = pytest.approx(3 * 2 * 730 * 3600 * 0.0000033334)
    assert amounts(found) == (usd, usd, usd)
    assert (
        line(one("AWS::Lambda::Alias", ProvisionedConcurrencyConfig=provisioned), found.name).basis
        == "unknown"
    )


def test_an_alarm_pays_for_every_metric_that_it_reads() -> None:
    read = [{"Id": name, "MetricStat": {"Period": 60}} for name in ("a", "b")]
    written = one("AWS::CloudWatch::Alarm", Metrics=[*read, {"Id": "sum", "Expression": "a + b"}])
    assert amounts(line(written, "alarm metric")) == (0.2, 0.2, 0.2)


def test_target_tracking_pays_twice_for_every_metric_of_its_math() -> None:
    read = [{"Id": name, "MetricStat": {"Stat": "Sum"}, "ReturnData": False} for name in ("a", "b", "c")]
    metrics = {"Metrics": [*read, {"Id": "share", "Expression": "a / (b + c)"}]}
    written = one(
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={"CustomizedMetricSpecification": metrics},
    )
    assert amounts(line(written, "alarm of target tracking")) == (0.6, 0.6, 0.6)


def test_anomaly_detection_pays_for_its_band_as_well() -> None:
    read = {"Id": "a", "MetricStat": {"Period": 60}}
    written = one("AWS::CloudWatch::Alarm", Metrics=[read], ThresholdMetricId="band")
    assert amounts(line(written, "alarm metric")) == (0.3, 0.3, 0.3)


@pytest.mark.parametrize(
    "written",
    [
        one("AWS::EC2::VPCEndpoint", VpcEndpointType="Gateway"),
        one("AWS::EC2::VPCEndpoint"),
        one("AWS::SSM::Parameter", Type="String"),
        one("AWS::Events::Rule", EventPattern={"source": ["aws.cloudformation"]}),
        one("AWS::Events::Rule", ScheduleExpression="rate(1 hour)"),
        one("AWS::IAM::Role"),
    ],
)
def test_free_things_are_not_on_the_bill(written: dict[str, Any]) -> None:
    cost = costs(written, written)
    assert head_of(cost).components == ()
    assert amounts(head_of(cost)) == (0.0, 0.0, 0.0)
    assert cost.not_priced == ()


@pytest.mark.parametrize(
    ("written", "name", "unit_price"),
    [
        (one("AWS::Logs::LogGroup"), "log ingestion", "0.50 USD per GB"),
        (one("AWS::Logs::LogGroup"), "log storage", "0.03 USD per GB-month"),
        (one("AWS::Logs::LogGroup", LogGroupClass="INFREQUENT_ACCESS"), "log ingestion, other class", ""),
        (one("AWS::Logs::MetricFilter"), "custom metrics", "0.30 USD per metric per month"),
        (one("AWS::EC2::FlowLog", LogDestinationType="s3"), "flow logs", "0.25 USD per GB"),
        (one("AWS::EC2::FlowLog"), "flow logs", "0.50 USD per GB"),
        (
            one("AWS::Lambda::Function", Architectures=["arm64"]),
            "duration, arm64",
            "0.0000133334 USD per GB-second",
        ),
        (one("AWS::Lambda::Function"), "duration, x86", "0.0000166667 USD per GB-second"),
        (one("AWS::S3::Bucket"), "storage", "0.023 USD per GB-month"),
        (one("AWS::SQS::Queue"), "requests", "0.0000004 USD per request"),
        (one("AWS::SQS::Queue", FifoQueue=True), "FIFO requests", ""),
        (one("AWS::SNS::Topic"), "requests", "0.0000005 USD per request"),
        (one("AWS::KMS::Key"), "requests", "0.000003 USD per request"),
        (one("AWS::Scheduler::Schedule"), "schedules", "0.000001 USD per invocation"),
        (one("AWS::Events::Rule", EventBusName="shop"), "custom events", "0.000001 USD per event"),
        (
            one("AWS::StepFunctions::StateMachine"),
            "state transitions",
            "0.000025 USD per state transition",
        ),
        (one("AWS::StepFunctions::StateMachine", StateMachineType="EXPRESS"), "express runs", ""),
    ],
)
def test_what_is_paid_by_use_has_a_price_and_no_amount(
    written: dict[str, Any], name: str, unit_price: str
) -> None:
    found = line(written, name)
    assert (found.basis, found.unit_price, found.quantity) == ("usage", unit_price, "")
    assert amounts(found) == (None, None, None)


def test_zones_that_the_template_leaves_open_are_those_of_the_planned_vpc() -> None:
    written = one("AWS::EC2::VPCEndpoint", VpcEndpointType="Interface", SubnetIds={"Fn::Split": [",", "x"]})
    assert line(written, "VPC interface endpoint").basis == "unknown"
    side = planned(written, saved_plan(saved_endpoint()))
    names = [one.name for one in head_of(compared(side, side)).components]
    assert "VPC interface endpoint x 3 zones" in names


def test_only_a_condition_that_is_known_to_be_false_takes_a_resource_off_the_bill() -> None:
    def usd(condition: Any) -> float | None:
        written = template(Key=resource("AWS::KMS::Key", Condition="WithKey"))
        written["Conditions"] = {"WithKey": condition}
        return head_of(costs(written, written)).usd_per_month.expected

    assert usd({"Fn::Equals": ["dev", "prod"]}) == 0.0
    assert usd({"Fn::Equals": ["prod", "prod"]}) == 1.0
    assert usd({"Fn::Equals": [{"Ref": "Stage"}, "prod"]}) == 1.0


def test_what_a_loop_makes_is_not_priced() -> None:
    loop = ["Name", ["a", "b"], {"Key${Name}": resource("AWS::KMS::Key")}]
    written: dict[str, Any] = {"Resources": {"Fn::ForEach::Keys": loop}}
    assert costs(written, written).not_priced == ("Fn::ForEach",)


def test_types_that_nobody_prices_are_named_and_not_zero() -> None:
    written = template(
        Db=resource("AWS::RDS::DBInstance"), Other=resource("Custom::Thing"), Role=resource("AWS::IAM::Role")
    )
    cost = costs(written, written)
    assert cost.not_priced == ("AWS::RDS::DBInstance", "Custom::Thing")
    assert amounts(head_of(cost)) == (None, None, None)
    assert cost.head is not None
    assert cost.head.expected is None


def test_a_notebook_runs_all_the_time_unless_a_plan_says_otherwise() -> None:
    written = one("AWS::SageMaker::NotebookInstance", InstanceType="ml.r6i.large", VolumeSizeInGB=50)
    estimate = {"memory": {"usable_gib": 16.0}, "duration_hours": 60.0, "utilization": 0.3}
    cost = {"usd_per_hour": 0.2, "usd_per_month": 12.0, "basis": "estimated", "price_date": "2026-09-01"}
    notebook = SavedNotebook.model_validate(
        {
            "kind": "notebook",
            "name": "explore",
            "stack_name": "shop-dev-explore",
            "instance_type": "ml.r6i.large",
            "volume_size_gib": 50,
            "selection": {"chosen": {"instance_type": "ml.r6i.large", "estimate": estimate, "cost": cost}},
            "needs_digest": "0",
        }
    )
    assert amounts(line(written, "ml.r6i.large notebook")) == pytest.approx((0.151 * 730,) * 3)
    assert amounts(line(written, "notebook volumes")) == pytest.approx((7.0,) * 3)
    found = head_of(compared(None, planned(written, saved_plan(notebook))))
    hours = next(one for one in found.components if one.name == "ml.r6i.large notebook")
    # At the most in all working hours, of which 60 are 30 %.
    assert amounts(hours) == pytest.approx((12.0, 12.0, 40.0))
    assert hours.basis == "estimated"
