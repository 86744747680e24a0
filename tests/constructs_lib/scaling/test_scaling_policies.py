"""Policies of a variant: what Application Auto Scaling is told, and the alarm that a step policy acts on."""

from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Template

from constructs_lib.scaling.endpoint_scaling import EndpointScaling, EndpointScalingProps, VariantScaling
from constructs_lib.scaling.scaling_policies import (
    ScalingMath,
    ScalingMetric,
    ScalingPolicy,
    ScalingStep,
    StepScaling,
    TargetTracking,
    track_invocations,
)
from tests.constructs_lib.judges import lint_matches

pytestmark = pytest.mark.cdk

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
ALARM = "AWS::CloudWatch::Alarm"
BACKLOG = ScalingMetric(
    namespace="AWS/SageMaker",
    name="ApproximateBacklogSizePerInstance",
    statistic="Average",
    dimensions={"EndpointName": "fraud-dev"},
)
NOBODY = ScalingMetric(
    namespace="AWS/SageMaker",
    name="HasBacklogWithoutCapacity",
    statistic="Maximum",
    dimensions={"EndpointName": "fraud-dev"},
)
TRACK = TargetTracking(name="BacklogPerInstance", metric=BACKLOG, target_value=5, scale_in_cooldown_s=600)


def wake(**changes: Any) -> StepScaling:
    values: dict[str, Any] = {
        "name": "WakeFromZero",
        "metric": NOBODY,
        "comparison": "GreaterThanOrEqualToThreshold",
        "threshold": 1,
        "steps": [ScalingStep(lower_bound=0, adjustment=1)],
        "cooldown_s": 360,
    }
    return StepScaling(**(values | changes))


@pytest.fixture
def resources(stack: Stack) -> Callable[[str], dict[str, dict[str, Any]]]:
    """The resources of a type, by logical id, of a variant that follows a queue and wakes."""
    endpoint = sagemaker.CfnEndpoint(stack, "E", endpoint_name="fraud-dev", endpoint_config_name="c")
    variant = VariantScaling(
        variant_name="primary",
        min_instance_count=0,
        max_instance_count=4,
        policies=[TRACK, wake()],
        may_sleep=True,
    )
    topic = "arn:aws:sns:us-east-1:111122223333:alarms"
    props = EndpointScalingProps(
        endpoint=endpoint, endpoint_name="fraud-dev", alarm_topic_arn=topic, variants=[variant]
    )
    EndpointScaling(stack, "Scaling", props=props)
    template = Template.from_stack(stack)
    return lambda kind: {name: dict(body) for name, body in template.find_resources(kind).items()}


def test_a_metric_of_cloudwatch_is_tracked_with_its_dimensions(
    resources: Callable[[str], dict[str, dict[str, Any]]],
) -> None:
    tracking = next(
        policy["Properties"]["TargetTrackingScalingPolicyConfiguration"]
        for policy in resources(POLICY).values()
        if policy["Properties"]["PolicyType"] == "TargetTrackingScaling"
    )

    assert tracking == {
        "TargetValue": 5,
        "CustomizedMetricSpecification": {
            "Namespace": "AWS/SageMaker",
            "MetricName": "ApproximateBacklogSizePerInstance",
            "Statistic": "Average",
            "Dimensions": [{"Name": "EndpointName", "Value": "fraud-dev"}],
        },
        "ScaleOutCooldown": 60,
        "ScaleInCooldown": 600,
    }


def test_a_step_policy_has_an_alarm_that_acts_on_it(
    resources: Callable[[str], dict[str, dict[str, Any]]],
) -> None:
    [(policy_id, policy)] = (
        (key, policy)
        for key, policy in resources(POLICY).items()
        if policy["Properties"]["PolicyType"] == "StepScaling"
    )
    [alarm] = resources(ALARM).values()

    assert policy["Properties"]["StepScalingPolicyConfiguration"] == {
        "AdjustmentType": "ChangeInCapacity",
        "MetricAggregationType": "Maximum",
        "Cooldown": 360,
        "StepAdjustments": [{"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}],
    }
    assert {key: value for key, value in alarm["Properties"].items() if key != "AlarmDescription"} == {
        "AlarmName": "fraud-dev-primary-WakeFromZero",
        "AlarmActions": [{"Ref": policy_id}],
        "Namespace": "AWS/SageMaker",
        "MetricName": "HasBacklogWithoutCapacity",
        "Dimensions": [{"Name": "EndpointName", "Value": "fraud-dev"}],
        "Statistic": "Maximum",
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 1,
        "Period": 60,
        "EvaluationPeriods": 1,
        "DatapointsToAlarm": 1,
        "TreatMissingData": "notBreaching",
    }


def test_all_of_it_goes_while_autoscaling_is_off(
    resources: Callable[[str], dict[str, dict[str, Any]]],
) -> None:
    # An alarm that stayed would act on a policy that is gone.
    found = [resource for kind in (TARGET, POLICY, ALARM) for resource in resources(kind).values()]
    assert [properties.get("Condition") for properties in found] == ["AutoscalingOn"] * 4


def scaled(stack: Stack, *policies: ScalingPolicy) -> Template:
    """Return the template of a variant with these policies."""
    endpoint = sagemaker.CfnEndpoint(stack, "E", endpoint_name="fraud-dev", endpoint_config_name="c")
    variant = VariantScaling(
        variant_name="primary", min_instance_count=1, max_instance_count=4, policies=policies
    )
    topic = "arn:aws:sns:us-east-1:111122223333:alarms"
    props = EndpointScalingProps(
        endpoint=endpoint, endpoint_name="fraud-dev", alarm_topic_arn=topic, variants=[variant]
    )
    EndpointScaling(stack, "Scaling", props=props)
    return Template.from_stack(stack)


LATENCY = ScalingMetric(
    namespace="AWS/SageMaker",
    name="ModelLatency",
    statistic="p95",
    dimensions={"EndpointName": "fraud-dev", "VariantName": "primary"},
)
PER_INSTANCE = ScalingMath(
    expression="open / result",
    metrics={
        "open": ScalingMetric(namespace="Chat", name="Open", statistic="Sum", dimensions={"Team": "a"}),
        "result": LATENCY,
    },
)
OF_VARIANT = [{"Name": "EndpointName", "Value": "fraud-dev"}, {"Name": "VariantName", "Value": "primary"}]


def test_an_expression_is_what_is_tracked_of_its_metrics(stack: Stack) -> None:
    template = scaled(stack, TargetTracking(name="Open", metric=PER_INSTANCE, target_value=4))
    (policy,) = template.find_resources(POLICY).values()
    tracking = policy["Properties"]["TargetTrackingScalingPolicyConfiguration"]
    queries = tracking["CustomizedMetricSpecification"]["Metrics"]
    assert queries[0] == {
        "Id": "open",
        "MetricStat": {
            "Metric": {
                "Namespace": "Chat",
                "MetricName": "Open",
                "Dimensions": [{"Name": "Team", "Value": "a"}],
            },
            "Stat": "Sum",
        },
        "ReturnData": False,
    }
    assert [(query["Id"], query["ReturnData"]) for query in queries] == [
        ("open", False),
        ("result", False),
        ("result_", True),
    ]
    assert queries[2]["Expression"] == "open / result"
    assert not [match for match in lint_matches(template.to_json()) if "E3006" not in match]  # of no region


def test_steps_read_percentiles_and_expressions_too(stack: Stack) -> None:
    slow = wake(name="slow", metric=LATENCY, comparison="GreaterThanThreshold", threshold=400_000)
    crowd = wake(name="crowd", metric=PER_INSTANCE, comparison="GreaterThanThreshold", threshold=9)
    template = scaled(stack, slow, crowd)
    alarms = {
        alarm["Properties"]["AlarmName"]: alarm["Properties"]
        for alarm in template.find_resources(ALARM).values()
    }
    of_slow, of_crowd = alarms["fraud-dev-primary-slow"], alarms["fraud-dev-primary-crowd"]
    assert (of_slow["ExtendedStatistic"], of_slow["Dimensions"], of_slow["Period"]) == ("p95", OF_VARIANT, 60)
    assert "Statistic" not in of_slow
    assert [metric["Id"] for metric in of_crowd["Metrics"]] == ["open", "result", "result_"]
    assert of_crowd["Metrics"][0]["MetricStat"]["Period"] == 60
    assert not {"Period", "MetricName", "Namespace"} & of_crowd.keys()
    assert not [match for match in lint_matches(template.to_json()) if "E3006" not in match]  # of no region


def test_a_metric_has_one_target() -> None:
    twice = [TRACK, TargetTracking(name="Other", metric=BACKLOG, target_value=9)]
    with pytest.raises(ValueError, match="tracks one target for a metric"):
        VariantScaling(variant_name="primary", min_instance_count=1, max_instance_count=4, policies=twice)


def test_a_released_policy_keeps_its_id_beside_others(stack: Stack) -> None:
    # Under another id, CloudFormation would delete the policy that holds the fleet after it made the other one.
    ids = {key[:-8] for key in scaled(stack, TRACK, track_invocations(10)).find_resources(POLICY)}
    assert ids == {"ScalingprimaryPolicy", "ScalingprimaryBacklogPerInstance"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: track_invocations(0), "must be a positive number, got 0"),
        (lambda: track_invocations(float("nan")), "must be a positive number, got nan"),
        (
            lambda: track_invocations(1, scale_out_cooldown_s=-1),
            "scale_out_cooldown_s must not be negative, got -1",
        ),
        (
            lambda: track_invocations(1, scale_in_cooldown_s=-60),
            "scale_in_cooldown_s must not be negative, got -60",
        ),
        (lambda: wake(steps=[]), "WakeFromZero needs a step at least"),
        (lambda: wake(cooldown_s=-1), "cooldown_s must not be negative, got -1"),
        (
            lambda: wake(steps=[ScalingStep(lower_bound=2, upper_bound=2, adjustment=1)]),
            "needs lower_bound < upper_bound, got 2 and 2",
        ),
        (
            lambda: wake(
                steps=[
                    ScalingStep(lower_bound=0, upper_bound=2, adjustment=1),
                    ScalingStep(lower_bound=3, adjustment=2),
                ]
            ),
            "begins where the one before it ends, got 2 and then 3",
        ),
    ],
)
def test_what_would_be_refused_is_refused_here(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
