"""What the plan says of alarms, with what AWS documents of the metrics: names, units, and what a datum counts.

https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html (endpoints)
"""

import json
from collections.abc import Iterable, Iterator

from sizewell.planning.plan import EndpointPlan
from tests.integration.readers.common import Properties
from tests.integration.readers.compare import comparable
from tests.integration.readers.plan_foundation import Foundation

REQUESTS, INSTANCES = "AWS/SageMaker", "/aws/sagemaker/Endpoints"
MICROSECONDS_PER_MS = 1000.0
WATCHED = ("Namespace", "MetricName", "Dimensions", "Statistic", "ExtendedStatistic", "Metrics")


def endpoint_alarms(plan: EndpointPlan, foundation: Foundation) -> Iterator[Properties]:
    """Yield one alarm for each threshold of the plan."""
    alarms, topic = plan.alarms, [foundation.topic_arn]
    # (namespace, metric, statistic, threshold of the plan, metric units in one unit of the plan)
    rows = (
        (REQUESTS, "Invocation5XXErrors", "Average", alarms.max_5xx_error_rate_percent, 0.01),
        (REQUESTS, "InvocationModelErrors", "Average", alarms.max_model_error_rate_percent, 0.01),
        (REQUESTS, "Invocation4XXErrors", "Average", alarms.max_4xx_error_rate_percent, 0.01),
        (REQUESTS, "ModelLatency", "p95", alarms.max_p95_model_latency_ms, MICROSECONDS_PER_MS),
        (REQUESTS, "ModelLatency", "p99", alarms.max_p99_model_latency_ms, MICROSECONDS_PER_MS),
        (REQUESTS, "OverheadLatency", "Average", alarms.max_average_overhead_latency_ms, MICROSECONDS_PER_MS),
        # 100 percent for each vCPU and for each GPU.
        (INSTANCES, "CPUUtilization", "Average", alarms.max_average_cpu_utilization_percent, plan.vcpu_count),
        (INSTANCES, "GPUUtilization", "Average", alarms.max_average_gpu_utilization_percent, plan.gpu_count),
        (
            INSTANCES,
            "GPUMemoryUtilization",
            "Maximum",
            alarms.max_gpu_memory_utilization_percent,
            plan.gpu_count,
        ),
        (INSTANCES, "MemoryUtilization", "Maximum", alarms.max_memory_utilization_percent, 1),
        (INSTANCES, "DiskUtilization", "Maximum", alarms.max_disk_utilization_percent, 1),
    )
    for namespace, metric, statistic, limit, factor in rows:
        if limit is None:
            continue
        of_requests = namespace == REQUESTS
        # A percentile of few requests is that of one: a longer period holds more.
        is_long = statistic.startswith("p") and alarms.latency_period_s > 60
        yield {
            "Namespace": namespace,
            "MetricName": metric,
            ("ExtendedStatistic" if statistic.startswith("p") else "Statistic"): statistic,
            "Dimensions": [
                {"Name": "EndpointName", "Value": plan.endpoint_name},
                {"Name": "VariantName", "Value": plan.variant_name},
            ],
            "Threshold": round(limit * factor, 9),
            "ComparisonOperator": "GreaterThanThreshold",
            "Period": alarms.latency_period_s if is_long else 60,
            "EvaluationPeriods": 3 if is_long else 5 if of_requests else 15,
            "DatapointsToAlarm": 2 if is_long else 3 if of_requests else 10,
            # Without requests there are no data, and that is no fault; an instance that says nothing may be one.
            "TreatMissingData": "notBreaching" if of_requests else "missing",
            "AlarmActions": topic,
            "OKActions": topic,
            # One of them tells when no instance reports any more.
            **({"InsufficientDataActions": topic} if metric == "MemoryUtilization" else {}),
        }


def training_alarms(dead_letter_queue: str | None, foundation: Foundation) -> Iterator[Properties]:
    """Yield the alarm on scheduled starts that did not happen."""
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
        yield from training_alarms(queue_names.get(job.name), foundation)


def by_what_they_watch(alarms: Iterable[Properties]) -> dict[str, Properties]:
    """Return alarms by metric, dimensions and statistic, which no two have in common."""
    found: dict[str, Properties] = {}
    for alarm in map(comparable, alarms):
        watched = {name: alarm[name] for name in WATCHED if name in alarm}
        assert found.setdefault(json.dumps(watched, sort_keys=True), alarm) is alarm, (
            f"two alarms watch {watched}"
        )
    return found
