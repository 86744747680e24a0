"""What the plan says of alarms, with what AWS documents of the metrics: names, units, and what a datum counts.

https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html (endpoints)
https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html (executions)
"""

import json
from collections.abc import Iterable, Iterator

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.training_plan_model import TrainingJobPlan
from tests.integration.readers.common import Properties
from tests.integration.readers.compare import comparable
from tests.integration.readers.plan_foundation import Foundation

REQUESTS, INSTANCES = "AWS/SageMaker", "/aws/sagemaker/Endpoints"
MICROSECONDS_PER_MS = 1000.0
WATCHED = ("Namespace", "MetricName", "Dimensions", "Statistic", "ExtendedStatistic", "Metrics")


def endpoint_alarms(plan: EndpointPlan, foundation: Foundation) -> Iterator[Properties]:
    """Yield the alarms of the plan."""
    topic = [foundation.topic_arn]
    # (key of the plan, namespace, metric, statistic, metric units in one unit of the plan)
    rows = (
        ("server_error_rate", REQUESTS, "Invocation5XXErrors", "Average", 0.01),
        ("model_error_rate", REQUESTS, "InvocationModelErrors", "Average", 0.01),
        ("client_error_rate", REQUESTS, "Invocation4XXErrors", "Average", 0.01),
        ("model_latency_p95", REQUESTS, "ModelLatency", "p95", MICROSECONDS_PER_MS),
        ("model_latency_p99", REQUESTS, "ModelLatency", "p99", MICROSECONDS_PER_MS),
        ("overhead_latency", REQUESTS, "OverheadLatency", "Average", MICROSECONDS_PER_MS),
        # 100 percent for each vCPU and for each GPU.
        ("cpu_utilization", INSTANCES, "CPUUtilization", "Average", plan.vcpu_count),
        ("gpu_utilization", INSTANCES, "GPUUtilization", "Average", plan.gpu_count),
        ("gpu_memory_utilization", INSTANCES, "GPUMemoryUtilization", "Maximum", plan.gpu_count),
        ("memory_utilization", INSTANCES, "MemoryUtilization", "Maximum", 1),
        ("disk_utilization", INSTANCES, "DiskUtilization", "Maximum", 1),
    )
    assert {row[0] for row in rows} >= plan.alarms.keys()
    assert plan.rollback_alarms.keys() <= plan.alarms.keys()
    endpoint = foundation.deployed.client("sagemaker").describe_endpoint(EndpointName=plan.endpoint_name)
    fleet = [{"Name": "EndpointConfigName", "Value": endpoint["EndpointConfigName"]}]
    planned = [
        (row, alarms[row[0]], dimensions)
        for row in rows
        for alarms, dimensions in ((plan.alarms, []), (plan.rollback_alarms, fleet))
        if row[0] in alarms
    ]
    for (key, namespace, metric, statistic, factor), alarm, dimensions in planned:
        yield {
            "Namespace": namespace,
            "MetricName": metric,
            ("ExtendedStatistic" if statistic.startswith("p") else "Statistic"): statistic,
            "Dimensions": [
                {"Name": "EndpointName", "Value": plan.endpoint_name},
                {"Name": "VariantName", "Value": plan.variant_name},
                *dimensions,
            ],
            "Threshold": round(alarm.threshold * factor, 9),
            "ComparisonOperator": "GreaterThanThreshold",
            "Period": alarm.period_s,
            "EvaluationPeriods": alarm.evaluation_periods,
            "DatapointsToAlarm": alarm.datapoints_to_alarm,
            # Without requests there are no data, and that is no fault; an instance that says nothing may be one.
            "TreatMissingData": "notBreaching" if namespace == REQUESTS else "missing",
            # Those of one fleet are for SageMaker, during a deployment.
            **({} if dimensions else {"AlarmActions": topic, "OKActions": topic}),
            # One of them tells when no instance reports any more.
            **({"InsufficientDataActions": topic} if key == "memory_utilization" else {}),
        }


def training_alarms(
    plan: TrainingJobPlan, dead_letter_queue: str | None, foundation: Foundation
) -> Iterator[Properties]:
    """Yield the alarms on executions that ended badly, and the one on scheduled starts that did not happen."""
    for metric in ("ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"):
        machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
        yield {
            "Namespace": "AWS/States",
            "MetricName": metric,
            "Statistic": "Sum",
            "Dimensions": [{"Name": "StateMachineArn", "Value": machine_arn}],
            "Threshold": 1,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Period": 300,
            "EvaluationPeriods": 1,
            "TreatMissingData": "notBreaching",
            "AlarmActions": [foundation.topic_arn],
        }
    if dead_letter_queue is None:
        return
    yield {
        "Namespace": "AWS/SQS",
        "MetricName": "ApproximateNumberOfMessagesVisible",
        "Statistic": "Maximum",
        "Dimensions": [{"Name": "QueueName", "Value": dead_letter_queue}],
        "Threshold": 1,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Period": 300,
        "EvaluationPeriods": 1,
        "TreatMissingData": "notBreaching",
        "AlarmActions": [foundation.topic_arn],
    }


def planned_alarms(foundation: Foundation, queue_names: dict[str, str]) -> Iterator[Properties]:
    """Yield every alarm of the environment; ``queue_names`` are those of the jobs with a schedule."""
    for plan in foundation.deployed.plan.endpoints:
        yield from endpoint_alarms(plan, foundation)
    for job in foundation.deployed.plan.training_jobs:
        yield from training_alarms(job, queue_names.get(job.name), foundation)


def by_what_they_watch(alarms: Iterable[Properties]) -> dict[str, Properties]:
    """Return alarms by metric, dimensions and statistic, which no two have in common."""
    found: dict[str, Properties] = {}
    for alarm in map(comparable, alarms):
        watched = {name: alarm[name] for name in WATCHED if name in alarm}
        assert found.setdefault(json.dumps(watched, sort_keys=True), alarm) is alarm, (
            f"two alarms watch {watched}"
        )
    return found
