"""What AWS bills for an endpoint on instances, and the items that other endpoints share with it.

A review prices the templates; a test holds both to the same names and amounts. Only a review knows what an app adds itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sizewell.facts.alarms import METRICS_OF_ALARM, METRICS_OF_ROLLBACK_ALARM
from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.planning.bill_items import (
    BY_USE_OF_LOG_GROUP,
    BY_USE_OF_TOPIC,
    SAGEMAKER,
    alarm_item,
    bill_line,
    instance_item,
    priced_item,
)
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.scaling_policies import ScalingPolicyPlan, TargetTrackingPlan, metric_count
from sizewell.planning.workload_plan import AccessPlan

_BY_USE_OF_ENDPOINT = (*BY_USE_OF_LOG_GROUP, "SageMaker data in and out")
#: By the GB of OpenTelemetry data (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/metrics-otel-pricing.html): how
#: many an instance sends stands on no page.
_BY_USE_OF_DETAILED_METRICS = ("CloudWatch detailed metrics",)


def endpoint_line(endpoint: EndpointPlan, region: str) -> BillLine:
    """Return a month of an endpoint at average load: instances, their volumes, alarms, and those of autoscaling."""
    variants = endpoint.variants
    policies = [policy for one in variants if one.scaling for policy in one.scaling.policies]
    items = [
        *fleet_items(region, *variants),
        *alarm_items(
            region,
            [
                count
                for variant in variants
                for count in alarm_metrics(variant.alarms, variant.rollback_alarms)
            ],
            policies,
        ),
        *composite_alarm_items(region, endpoint.composite_alarm_name),
    ]
    made = endpoint.asynchronous is not None and None in (
        endpoint.asynchronous.success_topic_arn,
        endpoint.asynchronous.error_topic_arn,
    )
    items += api_request_items(region, endpoint.access)
    captured = ("S3 captured data",) if endpoint.data_capture else ()
    by_use = (
        *paid_by_use_of_endpoint(detailed_metrics=endpoint.detailed_metrics),
        *captured,
        *(BY_USE_OF_TOPIC if made else ()),
    )
    return bill_line(endpoint.name, items, by_use)


def paid_by_use_of_endpoint(*, detailed_metrics: bool) -> tuple[str, ...]:
    """Return the names of what is paid by use."""
    return (*_BY_USE_OF_ENDPOINT, *(_BY_USE_OF_DETAILED_METRICS if detailed_metrics else ()))


def fleet_items(region: str, *fleets: Any) -> Iterator[BillItem]:
    """Yield the instances of fleets, and their volumes."""
    yield from (instance_item(f"{one.instance_type} instances", one.selection.chosen.cost) for one in fleets)
    gb_months = [
        one.selection.chosen.estimate.instances_paid * one.volume_size_gib
        for one in fleets
        if one.volume_size_gib is not None
    ]
    if gb_months:
        yield priced_item(region, SAGEMAKER, "endpoint volumes", "endpoint_volume_gb_month", sum(gb_months))


def alarm_metrics(alarms: Iterable[str], rollback_alarms: Iterable[str] = ()) -> Iterator[int]:
    """Yield how many metrics each of the alarms is on."""
    yield from (METRICS_OF_ALARM.get(name, 1) for name in alarms)
    yield from (METRICS_OF_ROLLBACK_ALARM.get(name, 1) for name in rollback_alarms)


def alarm_items(
    region: str, metrics: Iterable[int], policies: Sequence[ScalingPolicyPlan]
) -> Iterator[BillItem]:
    """Yield the alarms, each of so many metrics, and those of policies."""
    tracked = sum(metric_count(one) for one in policies if isinstance(one, TargetTrackingPlan))
    # A step policy acts on an alarm of ours, of one metric or of several that an expression joins.
    steps = [metric_count(one) for one in policies if not isinstance(one, TargetTrackingPlan)]
    counts = [*metrics, *steps]
    yield alarm_item(region, "alarm", counts.count(1))
    if joined := sum(count for count in counts if count > 1):
        yield alarm_item(region, "alarm metric", joined)
    if tracked:
        yield alarm_item(region, "alarm of target tracking", tracked * ALARMS_OF_TARGET_TRACKING)


def composite_alarm_items(region: str, alarm_name: str | None) -> Iterator[BillItem]:
    """Yield the alarm that tells people for all of a workload, where there is one."""
    if alarm_name is not None:
        yield priced_item(region, "CloudWatch", "composite alarm", "composite_alarm", 1, is_fixed=True)


def api_request_items(region: str, access: AccessPlan | None) -> Iterator[BillItem]:
    """Yield what all requests cost through the API before an endpoint."""
    if access is not None and (api := access.api_gateway) is not None:
        yield priced_item(region, "API Gateway", "requests", "rest_request", api.requests_per_month)
