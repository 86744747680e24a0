from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from constructs_lib.endpoint_alarms import AlarmThresholds, EndpointAlarmProps, EndpointAlarms
from sizewell.facts.endpoint_metrics import endpoint_metrics

pytestmark = pytest.mark.cdk

TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"
ALL_THRESHOLDS = AlarmThresholds(
    max_5xx_error_rate_percent=1,
    max_4xx_error_rate_percent=1.1,
    max_p95_model_latency_ms=80,
    max_p99_model_latency_ms=150.5,
    max_average_overhead_latency_ms=50,
    max_average_cpu_utilization_percent=90,
    max_average_gpu_utilization_percent=95,
    max_gpu_memory_utilization_percent=80,
    max_memory_utilization_percent=85,
    max_disk_utilization_percent=70,
)
PROPS = EndpointAlarmProps(
    endpoint_name="fraud-dev",
    variant_name="AllTraffic",
    thresholds=ALL_THRESHOLDS,
    vcpu_count=8,
    gpu_count=4,
    alarm_topic_arn=TOPIC,
)


def alarms_by_metric(stack: Stack) -> dict[tuple[str, str], dict[str, Any]]:
    alarms = Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values()
    return {
        (alarm["Properties"]["MetricName"], statistic_of(alarm["Properties"])): alarm["Properties"]
        for alarm in alarms
    }


def statistic_of(alarm: dict[str, Any]) -> str:
    statistics = [alarm[key] for key in ("Statistic", "ExtendedStatistic") if key in alarm]
    assert len(statistics) == 1
    return str(statistics[0])


def test_thresholds_arrive_in_the_units_of_their_metrics(stack: Stack) -> None:
    EndpointAlarms(stack, "Alarms", props=PROPS)

    thresholds = {key: alarm["Threshold"] for key, alarm in alarms_by_metric(stack).items()}

    assert thresholds == {
        ("Invocation5XXErrors", "Average"): 0.01,
        ("Invocation4XXErrors", "Average"): 0.011,
        ("ModelLatency", "p95"): 80_000,
        ("ModelLatency", "p99"): 150_500,
        ("OverheadLatency", "Average"): 50_000,
        ("CPUUtilization", "Average"): 8 * 90,
        ("GPUUtilization", "Average"): 4 * 95,
        ("GPUMemoryUtilization", "Maximum"): 4 * 80,
        ("MemoryUtilization", "Maximum"): 85,
        ("DiskUtilization", "Maximum"): 70,
    }


def test_each_alarm_watches_a_metric_that_exists_with_a_statistic_that_is_valid(stack: Stack) -> None:
    EndpointAlarms(stack, "Alarms", props=PROPS)

    for (name, statistic), alarm in alarms_by_metric(stack).items():
        assert alarm["Namespace"] == endpoint_metrics()[name].namespace
        assert endpoint_metrics()[name].allows(statistic)
        assert alarm["Dimensions"] == [
            {"Name": "EndpointName", "Value": "fraud-dev"},
            {"Name": "VariantName", "Value": "AllTraffic"},
        ]
        assert "Unit" not in alarm


def test_silence_is_healthy_for_requests_and_unknown_for_instances(stack: Stack) -> None:
    EndpointAlarms(stack, "Alarms", props=PROPS)

    for (name, _), alarm in alarms_by_metric(stack).items():
        of_requests = endpoint_metrics()[name].namespace == "AWS/SageMaker"
        evaluation = (
            alarm["TreatMissingData"],
            alarm["DatapointsToAlarm"],
            alarm["EvaluationPeriods"],
            alarm["Period"],
        )
        assert evaluation == (("notBreaching", 3, 5, 60) if of_requests else ("missing", 10, 15, 60))


def test_the_topic_hears_of_the_alarm_and_of_its_end(stack: Stack) -> None:
    EndpointAlarms(stack, "Alarms", props=PROPS)

    for alarm in alarms_by_metric(stack).values():
        assert alarm["AlarmActions"] == [TOPIC]
        assert alarm["OKActions"] == [TOPIC]
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"


def test_an_alarm_says_what_it_is_about(stack: Stack) -> None:
    EndpointAlarms(stack, "Alarms", props=PROPS)

    alarm = alarms_by_metric(stack)["ModelLatency", "p99"]

    assert alarm["AlarmName"] == "fraud-dev-AllTraffic-ModelLatencyP99"
    assert alarm["AlarmDescription"] == (
        "p99 ModelLatency of variant AllTraffic of endpoint fraud-dev above 150.5 ms in 3 of 5 minutes"
    )


def test_no_threshold_means_no_alarm(stack: Stack) -> None:
    alarms = EndpointAlarms(stack, "Alarms", props=replace(PROPS, thresholds=AlarmThresholds()))

    assert alarms.node.children == []


def test_one_threshold_means_one_alarm(stack: Stack) -> None:
    thresholds = AlarmThresholds(max_disk_utilization_percent=70)

    EndpointAlarms(stack, "Alarms", props=replace(PROPS, thresholds=thresholds, gpu_count=0))

    assert list(alarms_by_metric(stack)) == [("DiskUtilization", "Maximum")]


@pytest.mark.parametrize("threshold", ["max_5xx_error_rate_percent", "max_4xx_error_rate_percent"])
def test_an_error_rate_may_be_zero_so_that_any_error_counts(threshold: str) -> None:
    AlarmThresholds(**{threshold: 0})


@pytest.mark.parametrize(
    ("threshold", "value"),
    [
        ("max_5xx_error_rate_percent", 100),
        ("max_4xx_error_rate_percent", -1),
        ("max_p95_model_latency_ms", 0),
        ("max_p99_model_latency_ms", float("inf")),
        ("max_average_overhead_latency_ms", float("nan")),
        ("max_average_cpu_utilization_percent", 100),
        ("max_average_gpu_utilization_percent", 380),
        ("max_gpu_memory_utilization_percent", 0),
        ("max_memory_utilization_percent", -5),
        ("max_disk_utilization_percent", 101),
    ],
)
def test_a_threshold_that_can_never_or_always_be_exceeded_is_refused(threshold: str, value: float) -> None:
    with pytest.raises(ValueError, match=threshold):
        AlarmThresholds(**{threshold: value})


@pytest.mark.parametrize(
    "threshold", ["max_average_gpu_utilization_percent", "max_gpu_memory_utilization_percent"]
)
def test_a_gpu_threshold_needs_a_gpu(threshold: str) -> None:
    with pytest.raises(ValueError, match=f"{threshold} needs an instance type with a GPU"):
        replace(PROPS, gpu_count=0, thresholds=AlarmThresholds(**{threshold: 80}))


def test_an_instance_without_vcpus_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 vCPU"):
        replace(PROPS, vcpu_count=0)
