from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import THRESHOLD_OF_ALARM, AlarmThresholds, rollback_thresholds
from constructs_lib.alarms.first_look import FIRST_LOOK
from sizewell.config.alarms import Alarms
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.endpoint_metrics import endpoint_metrics
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousAlarms
from sizewell.kinds.lambda_function.config import LambdaAlarms
from sizewell.kinds.multi_model_endpoint.config import MultiModelAlarms
from sizewell.kinds.serverless_endpoint.config import ServerlessAlarms
from tests.constructs_lib.resources import Resources

pytestmark = pytest.mark.cdk

TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"
ALL_THRESHOLDS = AlarmThresholds(
    max_5xx_error_rate_percent=1,
    max_model_error_rate_percent=2,
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


@pytest.fixture
def alarms(stack: Stack, resources: Resources) -> dict[tuple[str, str], dict[str, Any]]:
    """Return an alarm for each threshold, by metric and statistic, of an expression those of its first query."""
    EndpointAlarms(stack, "Alarms", props=PROPS)
    found = resources("AWS::CloudWatch::Alarm").values()
    return {(_metric(alarm), _statistic(alarm)): alarm for alarm in found}


def _read(alarm: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return metric and statistic of each query of an expression, by its id."""
    return {
        query["Id"]: (query["MetricStat"]["Metric"]["MetricName"], query["MetricStat"]["Stat"])
        for query in alarm["Metrics"][1:]
    }


def _metric(alarm: dict[str, Any]) -> str:
    return str(alarm["MetricName"] if "MetricName" in alarm else next(iter(_read(alarm).values()))[0])


def _statistic(alarm: dict[str, Any]) -> str:
    return str(alarm["Statistic"] if "Statistic" in alarm else next(iter(_read(alarm).values()))[1])


def test_thresholds_arrive_in_the_units_of_their_metrics(alarms: dict[tuple[str, str], Any]) -> None:
    assert {key: alarm["Threshold"] for key, alarm in alarms.items()} == {
        ("Invocation5XXErrors", "Sum"): 1,
        ("InvocationModelErrors", "Sum"): 2,
        ("Invocation4XXErrors", "Sum"): 1.1,
        # Of 100 requests, 5 and 1 may take longer than 80 and 150.5 ms.
        ("ModelLatency", "PR(0:80000)"): 5,
        ("ModelLatency", "PR(0:150500)"): 1,
        ("OverheadLatency", "Average"): 50_000,
        ("CPUUtilization", "Average"): 8 * 90,
        ("GPUUtilization", "Average"): 4 * 95,
        ("GPUMemoryUtilization", "Maximum"): 4 * 80,
        ("MemoryUtilization", "Maximum"): 85,
        ("DiskUtilization", "Maximum"): 70,
    }


def test_each_alarm_watches_a_metric_that_exists_with_a_statistic_that_is_valid(
    alarms: dict[tuple[str, str], Any],
) -> None:
    for (name, statistic), alarm in alarms.items():
        metric = endpoint_metrics()[name]
        assert metric.allows(statistic)
        for read in [query["MetricStat"]["Metric"] for query in alarm.get("Metrics", [])[1:]] or [alarm]:
            assert read["Namespace"] == metric.namespace
            assert read["Dimensions"] == [
                {"Name": "EndpointName", "Value": "fraud-dev"},
                {"Name": "VariantName", "Value": "AllTraffic"},
            ]
        assert "Unit" not in alarm
        of_requests = metric.namespace == "AWS/SageMaker"
        assert alarm["TreatMissingData"] == ("notBreaching" if of_requests else "missing")


def test_errors_are_those_that_no_client_made_and_more_than_chance(
    alarms: dict[tuple[str, str], Any],
) -> None:
    alarm = alarms["InvocationModelErrors", "Sum"]
    assert (
        alarm["Metrics"][0]["Expression"] == "IF((errors - less) >= 5, 100 * (errors - less) / requests, 0)"
    )
    assert _read(alarm) == {
        "errors": ("InvocationModelErrors", "Sum"),
        "less": ("Invocation4XXErrors", "Sum"),
        "requests": ("Invocations", "Sum"),
    }
    assert {query["MetricStat"]["Period"] for query in alarm["Metrics"][1:]} == {3600}


def test_slow_requests_are_more_than_are_allowed_and_than_chance(
    alarms: dict[tuple[str, str], Any],
) -> None:
    alarm = alarms["ModelLatency", "PR(0:80000)"]
    assert (
        alarm["Metrics"][0]["Expression"] == "IF((100 - fast) * requests > 6 * requests + 500, 100 - fast, 0)"
    )
    assert _read(alarm) == {
        "fast": ("ModelLatency", "PR(0:80000)"),
        "requests": ("ModelLatency", "SampleCount"),
    }
    assert alarm["AlarmDescription"] == (
        "More than 5 of 100 requests to variant AllTraffic of endpoint fraud-dev take longer than 80 ms (ModelLatency) in 1 of 4 "
        "periods of 60 minutes. Look first at the number of instances: a fleet at its maximum is too small. Then look at what "
        "was deployed last."
    )


def test_every_alarm_says_what_to_look_at_first() -> None:
    assert FIRST_LOOK.keys() == THRESHOLD_OF_ALARM.keys() | LambdaAlarms.model_fields.keys()


def test_an_evaluation_says_which_periods_are_looked_at(stack: Stack, resources: Resources) -> None:
    quarters = AlarmEvaluation(period_s=900, datapoints_to_alarm=2, evaluation_periods=3)
    EndpointAlarms(stack, "Alarms", props=replace(PROPS, evaluations={"max_p95_model_latency_ms": quarters}))
    looks = {
        _statistic(alarm): (
            {query["MetricStat"]["Period"] for query in alarm["Metrics"][1:]},
            alarm["DatapointsToAlarm"],
            alarm["EvaluationPeriods"],
        )
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if _metric(alarm) == "ModelLatency"
    }
    assert looks == {"PR(0:80000)": ({900}, 2, 3), "PR(0:150500)": ({3600}, 1, 4)}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((90, 1, 1), "is 90, but must be whole minutes"),
        ((60, 4, 3), r"is 4, but must lie between 1 and evaluation_periods \(3\)"),
        ((3540, 1, 25), "88,500 seconds, but CloudWatch takes 86,400 at most of periods below an hour"),
        ((3600, 1, 169), "608,400 seconds, but CloudWatch takes 604,800 at most"),
    ],
)
def test_what_cloudwatch_refuses_to_evaluate_is_refused(numbers: tuple[int, int, int], message: str) -> None:
    period_s, datapoints, periods = numbers
    with pytest.raises(ValueError, match=message):
        AlarmEvaluation(period_s=period_s, datapoints_to_alarm=datapoints, evaluation_periods=periods)


def test_the_longest_evaluations_are_taken() -> None:
    AlarmEvaluation(period_s=3540, datapoints_to_alarm=24, evaluation_periods=24)
    AlarmEvaluation(period_s=3600, datapoints_to_alarm=1, evaluation_periods=168)


def test_an_evaluation_needs_a_threshold() -> None:
    with pytest.raises(ValueError, match="evaluations has max_p95_model_latency_ms, but there is no such"):
        replace(
            PROPS,
            thresholds=AlarmThresholds(max_disk_utilization_percent=80),
            evaluations={
                "max_p95_model_latency_ms": AlarmEvaluation(datapoints_to_alarm=1, evaluation_periods=1)
            },
        )


def test_a_new_fleet_is_called_back_for_what_its_container_does(stack: Stack, resources: Resources) -> None:
    thresholds = rollback_thresholds(PROPS.thresholds)
    props = replace(PROPS, thresholds=thresholds, alarm_topic_arn=None)
    alarms = EndpointAlarms(stack, "Alarms", props=props)
    ids = [stack.resolve(name)["Ref"] for name in alarms.alarm_names]
    watched = [resources("AWS::CloudWatch::Alarm")[logical_id] for logical_id in ids]
    assert [(_metric(alarm), _statistic(alarm)) for alarm in watched] == [
        ("Invocation5XXErrors", "Average"),
        ("InvocationModelErrors", "Average"),
        ("ModelLatency", "PR(0:80000)"),
    ]
    # Few requests reach a new fleet, and any of them counts.
    assert [alarm["Metrics"][0]["Expression"] for alarm in watched] == [
        "100 * errors",
        "100 * (errors - less)",
        "100 - fast",
    ]


def test_one_fleet_is_watched_by_what_it_answers_and_not_by_what_no_page_says_of_it(
    stack: Stack, resources: Resources
) -> None:
    thresholds = AlarmThresholds(max_5xx_error_rate_percent=1, max_invocation_failure_rate_percent=0)
    props = replace(
        PROPS, thresholds=thresholds, endpoint_config_name="new", name_suffix="-new", alarm_topic_arn=None
    )
    EndpointAlarms(stack, "Alarms", props=props)
    alarms = resources("AWS::CloudWatch::Alarm").values()
    dimensions = {
        _metric(alarm): [pair["Name"] for pair in alarm["Metrics"][1]["MetricStat"]["Metric"]["Dimensions"]]
        for alarm in alarms
    }
    assert dimensions == {
        "Invocation5XXErrors": ["EndpointName", "VariantName", "EndpointConfigName"],
        # No page shows a metric of asynchronous endpoints with the configuration.
        "InvocationFailures": ["EndpointName", "VariantName"],
    }
    assert all(alarm["AlarmName"].endswith("-new") for alarm in alarms)


@pytest.mark.parametrize(
    ("thresholds", "metric"),
    [
        ({"max_memory_utilization_percent": 90, "max_disk_utilization_percent": 80}, "MemoryUtilization"),
        # As of many models, which fill memory and disk on purpose.
        ({"max_average_cpu_utilization_percent": 90, "max_5xx_error_rate_percent": 1}, "CPUUtilization"),
    ],
)
def test_one_alarm_tells_that_no_instance_reports_any_more(
    stack: Stack, resources: Resources, thresholds: dict[str, float], metric: str
) -> None:
    EndpointAlarms(stack, "Alarms", props=replace(PROPS, thresholds=AlarmThresholds(**thresholds)))
    alarms = resources("AWS::CloudWatch::Alarm").values()
    silent = [alarm for alarm in alarms if "InsufficientDataActions" in alarm]
    assert [(alarm["MetricName"], alarm["InsufficientDataActions"]) for alarm in silent] == [
        (metric, [TOPIC])
    ]


def test_each_alarm_of_the_configuration_is_made_and_called_so(stack: Stack) -> None:
    kinds = (MultiModelAlarms, AsynchronousAlarms, ServerlessAlarms)
    assert THRESHOLD_OF_ALARM.keys() == {name for kind in kinds for name in kind.model_fields}
    made = {child.node.id for child in EndpointAlarms(stack, "Alarms", props=PROPS).node.children}
    assert {name.replace("_", "") for name in Alarms.model_fields} == {name.lower() for name in made}


def test_no_threshold_means_no_alarm(stack: Stack) -> None:
    alarms = EndpointAlarms(stack, "Alarms", props=replace(PROPS, thresholds=AlarmThresholds()))

    assert alarms.node.children == []


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
    ("threshold", "count"),
    [
        ("max_average_cpu_utilization_percent", "vcpu_count"),
        ("max_average_gpu_utilization_percent", "gpu_count"),
        ("max_gpu_memory_utilization_percent", "gpu_count"),
    ],
)
def test_a_threshold_on_a_sum_needs_the_number_of_its_parts(threshold: str, count: str) -> None:
    with pytest.raises(ValueError, match=f"{threshold} needs the {count} of the instance type, which is 0"):
        replace(PROPS, vcpu_count=0, gpu_count=0, thresholds=AlarmThresholds(**{threshold: 80}))


def test_a_negative_number_of_processors_is_refused() -> None:
    with pytest.raises(ValueError, match="no negative number of vCPUs or GPUs, got -1 and 4"):
        replace(PROPS, vcpu_count=-1)


def test_any_error_counts_where_the_threshold_is_nought(stack: Stack, resources: Resources) -> None:
    props = replace(PROPS, thresholds=AlarmThresholds(max_5xx_error_rate_percent=0))
    EndpointAlarms(stack, "Alarms", props=props)
    (alarm,) = resources("AWS::CloudWatch::Alarm").values()
    assert alarm["Metrics"][0]["Expression"] == "IF(errors >= 1, 100 * errors / requests, 0)"
