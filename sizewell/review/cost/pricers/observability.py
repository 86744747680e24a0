"""CloudWatch: alarms, dashboards and logs."""

from collections.abc import Iterator

from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.review.cost.charges import Amounts, Charge, Count, by_count, by_use, unknown
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import is_given, mapping, maps, number

SERVICE = "CloudWatch"
#: Periods below a minute are high resolution.
_STANDARD_PERIOD_S = 60
#: The metric, and the upper and the lower bound of its band (https://aws.amazon.com/cloudwatch/pricing/).
_METRICS_OF_ANOMALY_DETECTION = 3


@prices("AWS::CloudWatch::Alarm")
def alarm(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what an alarm costs: each metric that it reads."""
    properties = resource.written
    periods = [number(properties.get("Period"))]
    metrics = 1
    if "Metrics" in properties:
        read = [mapping(query.get("MetricStat")) for _, query in maps(properties["Metrics"])]
        periods = [number(metric.get("Period")) for metric in read if metric]
        metrics = len(periods)
    if not metrics:
        yield from unknown(SERVICE, "alarm on a query")
        return
    if is_given(properties, "ThresholdMetricId"):
        metrics *= _METRICS_OF_ANOMALY_DETECTION
    fine = any(period is not None and period < _STANDARD_PERIOD_S for period in periods)
    name = ("high-resolution " if fine else "") + ("alarm" if metrics == 1 else "alarm metric")
    price = stack.price(SERVICE, "high_resolution_alarm" if fine else "alarm")
    yield from by_count(SERVICE, name, Count(Amounts.fixed(metrics), name), price)


@prices("AWS::CloudWatch::CompositeAlarm")
def composite_alarm(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what an alarm on other alarms costs."""
    yield from _one(stack, "composite alarm", "composite_alarm")


@prices("AWS::CloudWatch::Dashboard")
def dashboard(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what a dashboard costs."""
    yield from _one(stack, "dashboard", "dashboard")


@prices("AWS::Logs::MetricFilter")
def metric_filter(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield the custom metrics that a filter makes while logs match."""
    yield from by_use(SERVICE, "custom metrics", stack.price(SERVICE, "metric"))


@prices("AWS::Logs::LogGroup")
def log_group(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what is paid for the data that a log group takes and keeps."""
    standard = resource.written.get("LogGroupClass", "STANDARD") == "STANDARD"
    price = stack.price(SERVICE, "log_ingestion_gb") if standard else None
    yield from by_use(SERVICE, "log ingestion" if standard else "log ingestion, other class", price)
    yield from by_use(SERVICE, "log storage", stack.price(SERVICE, "log_storage_gb_month"))


@prices("AWS::ApplicationAutoScaling::ScalingPolicy")
def scaling_policy(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield the alarms that Application Auto Scaling makes for target tracking: of metric math, each metric is one."""
    if resource.written.get("PolicyType") == "TargetTrackingScaling":
        name = "alarm of target tracking"
        tracking = mapping(resource.written.get("TargetTrackingScalingPolicyConfiguration"))
        customized = mapping(tracking.get("CustomizedMetricSpecification"))
        read = sum("MetricStat" in query for _, query in maps(customized.get("Metrics"))) or 1
        count = Count(Amounts.fixed(ALARMS_OF_TARGET_TRACKING * read), name)
        yield from by_count(SERVICE, name, count, stack.price(SERVICE, "alarm"))


def _one(stack: PlannedStack, name: str, price: str) -> Iterator[Charge]:
    yield from by_count(SERVICE, name, Count(Amounts.fixed(1), name), stack.price(SERVICE, price))
