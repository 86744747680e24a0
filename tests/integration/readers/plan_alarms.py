"""What the plan says of alarms, with what AWS documents of the metrics: names, units, and what a datum counts.

https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html (endpoints),
https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html (executions)
"""

import json
from collections.abc import Iterable, Iterator

from sizewell.planning.plan import EndpointPlan, TrainingJobPlan
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
            "Period": 60,
            "EvaluationPeriods": 5 if of_requests else 15,
            "DatapointsToAlarm": 3 if of_requests else 10,
            # Without requests there are no data, and that is no fault; an instance that says nothing may be one.
            "TreatMissingData": "notBreaching" if of_requests else "missing",
            "AlarmActions": topic,
            "OKActions": topic,
        }


def training_alarms(
    plan: TrainingJobPlan, dead_letter_queue: str | None, foundation: Foundation
) -> Iterator[Properties]:
    """Yield one alarm for each way in which training can fail to happen."""
    machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
    for metric in ("ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"):
        yield _any("AWS/States", metric, "Sum", {"Name": "StateMachineArn", "Value": machine_arn}, foundation)
    if dead_letter_queue is not None:
        waiting = "ApproximateNumberOfMessagesVisible"
        yield _any(
            "AWS/SQS", waiting, "Maximum", {"Name": "QueueName", "Value": dead_letter_queue}, foundation
        )


def _any(
    namespace: str, metric: str, statistic: str, dimension: Properties, foundation: Foundation
) -> Properties:
    return {
        "Namespace": namespace,
        "MetricName": metric,
        "Statistic": statistic,
        "Dimensions": [dimension],
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
