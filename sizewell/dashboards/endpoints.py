"""Graphs of endpoints of SageMaker: of each variant, side by side."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sizewell.dashboards.graph import Graph, Limit, Reading, Series
from sizewell.dashboards.lines import (
    USUAL_LATENCY,
    alarm_limits,
    alarm_limits_of_several,
    line,
    reading,
    requests_graph,
)
from sizewell.facts.endpoint_metrics import (
    CLIENT_ERRORS_AMONG,
    INSTANCE_NAMESPACE,
    INVOCATION_NAMESPACE,
    endpoint_metrics,
    queue_dimensions,
    variant_dimensions,
)
from sizewell.facts.metrics import Dimensions, metrics
from sizewell.facts.scaling import (
    CONCURRENT_REQUESTS_PER_COPY,
    HIGH_RESOLUTION_CONCURRENCY,
    INVOCATIONS_PER_COPY,
    INVOCATIONS_PER_INSTANCE,
)
from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.scaling_policies import MetricPlan, ScalingPolicyPlan, TargetTrackingPlan
from sizewell.planning.workload_plan import AlarmPlan

#: The metric and the statistic that each predefined metric of Application Auto Scaling is.
_PREDEFINED = {
    INVOCATIONS_PER_INSTANCE: ("InvocationsPerInstance", "Sum"),
    HIGH_RESOLUTION_CONCURRENCY: ("ConcurrentRequestsPerModel", "Maximum"),
    INVOCATIONS_PER_COPY: ("InvocationsPerCopy", "Sum"),
    CONCURRENT_REQUESTS_PER_COPY: ("ConcurrentRequestsPerCopy", "Maximum"),
}
ERRORS = {
    "server_error_rate": ("5xx", "Invocation5XXErrors"),
    "model_error_rate": ("5xx and broken", "InvocationModelErrors"),
    "client_error_rate": ("4xx", "Invocation4XXErrors"),
}
_LATENCY_ALARMS = {"model_latency_p95": "p95", "model_latency_p99": "p99"}
_UTILIZATION = {
    "cpu_utilization": "CPU",
    "gpu_utilization": "GPU",
    "gpu_memory_utilization": "GPU memory",
    "memory_utilization": "memory",
    "disk_utilization": "disk",
}


@dataclass(frozen=True, kw_only=True)
class Answering:
    """What answers requests under one name of CloudWatch: a variant, or an inference component."""

    label: str
    """Its name where there are several, followed by a space; else nothing."""
    dimensions: Dimensions
    requests_per_second: float
    p95_latency_ms: float
    alarms: Mapping[str, AlarmPlan]
    policies: tuple[ScalingPolicyPlan, ...] = ()

    def reading(self, name: str, statistic: str) -> Reading:
        """Return a metric of endpoints."""
        return reading(endpoint_metrics()[name].namespace, name, statistic, self.dimensions)


def answering_variants(plan: EndpointPlan) -> tuple[Answering, ...]:
    """Return the variants of an endpoint on instances."""
    return tuple(
        Answering(
            label=_label(plan, variant),
            dimensions=variant_dimensions(plan.endpoint_name, variant.variant_name),
            requests_per_second=variant.average_requests_per_second,
            p95_latency_ms=variant.selection.chosen.estimate.p95_latency_ms,
            alarms=variant.alarms,
            policies=variant.scaling.policies if variant.scaling else (),
        )
        for variant in plan.variants
    )


def endpoint_graphs(plan: EndpointPlan) -> tuple[Graph, ...]:
    """Return the graphs of an endpoint on instances that answers at once."""
    answering = answering_variants(plan)
    return (
        traffic(answering),
        errors(answering),
        latency(answering),
        *scaling(answering),
        utilization(plan),
        instances(plan),
    )


def traffic(answering: tuple[Answering, ...]) -> Graph:
    """Return the requests that come in."""
    return requests_graph(
        "requests",
        [
            (model.label, model.reading("Invocations", "Sum"), model.requests_per_second)
            for model in answering
        ],
    )


def errors(answering: tuple[Answering, ...], rates: Mapping[str, tuple[str, str]] = ERRORS) -> Graph:
    """Return the shares of the requests that failed, beside what the alarms allow."""
    return Graph(
        title="Errors",
        unit="% of requests",
        series=tuple(_share(model, label, name) for model in answering for label, name in rates.values()),
        limits=_limits(answering, {name: label for name, (label, _) in rates.items()}),
    )


def _share(model: Answering, label: str, name: str) -> Series:
    readings = {"m": model.reading(name, "Average")}
    expression = "100 * m"
    if less := CLIENT_ERRORS_AMONG.get(name):
        readings["less"] = model.reading(less, "Average")
        expression = "100 * (m - less)"
    return Series(label=f"{model.label}{label}", expression=expression, readings=readings, usual=0.1)


def latency(
    answering: tuple[Answering, ...],
    percentiles: tuple[str, ...] = ("p50", "p95", "p99"),
    unit: Literal["ms", "s"] = "ms",
) -> Graph:
    """Return the time in the model, beside what the alarms allow: the objective, unless one states a threshold."""
    in_unit = {"ms": 1000, "s": 1_000_000}[unit]
    return Graph(
        title="Model latency",
        unit=unit,
        series=tuple(
            line(
                f"{model.label}{percentile}",
                model.reading("ModelLatency", percentile),
                model.p95_latency_ms * USUAL_LATENCY[percentile] * 1000 / in_unit,
                expression=f"m / {in_unit}",
            )
            for model in answering
            for percentile in percentiles
        ),
        limits=_limits(
            answering, {name: label for name, label in _LATENCY_ALARMS.items() if label in percentiles}
        ),
    )


def scaling(answering: tuple[Answering, ...]) -> Iterator[Graph]:
    """Yield what each policy of target tracking follows, beside its target; what is no metric of the catalog is not drawn."""
    graphs: dict[str, list[tuple[Series, Limit]]] = {}
    for model in answering:
        for policy in model.policies:
            followed = _followed(policy, model)
            if isinstance(policy, TargetTrackingPlan) and followed is not None:
                sums = followed.statistic == "Sum"
                series = line(
                    f"{model.label}{followed.statistic.lower()}",
                    followed,
                    0.6 * policy.target_value,
                    expression="m * 60 / PERIOD(m)" if sums else "m",
                    swing=0.3,
                )
                limit = Limit("target of scaling", policy.target_value)
                graphs.setdefault(followed.metric.name, []).append((series, limit))
    for name, drawn in graphs.items():
        yield Graph(
            title=f"Scaling: {name}",
            unit="in a minute" if drawn[0][0].expression != "m" else "",
            series=tuple(series for series, _ in drawn),
            limits=tuple(dict.fromkeys(limit for _, limit in drawn)),
        )


def utilization(plan: EndpointPlan) -> Graph:
    """Return how full the instances are: on average what scaling answers, of the fullest what one runs out of."""
    return Graph(
        title="Utilization",
        unit="% of an instance",
        series=tuple(series for variant in plan.variants for series in _utilization(plan, variant)),
        limits=_limits(answering_variants(plan), _UTILIZATION),
    )


def instances(plan: EndpointPlan) -> Graph:
    """Return how many instances report, and what they cost in an hour where their price is known."""
    return instances_graph(
        (
            _label(plan, variant),
            variant_dimensions(plan.endpoint_name, variant.variant_name),
            variant.selection.chosen.estimate.instances_paid,
            variant.selection.chosen.cost.usd_per_hour,
        )
        for variant in plan.variants
    )


def instances_graph(fleets: Iterable[tuple[str, Dimensions, float, float | None]]) -> Graph:
    """Return the instances and the cost of fleets, each with its label, dimensions, usual number and USD per hour.

    Each instance publishes a datum of its memory every minute.
    """
    series: list[Series] = []
    for label, dimensions, count, usd_per_hour in fleets:
        source = reading(INSTANCE_NAMESPACE, "MemoryUtilization", "SampleCount", dimensions)
        each = "m * 60 / PERIOD(m)"
        series.append(line(f"{label}instances", source, count, expression=each, swing=0))
        if usd_per_hour is not None:
            series.append(
                line(
                    f"{label}USD per hour",
                    source,
                    count * usd_per_hour,
                    expression=f"{usd_per_hour:g} * {each}",
                    swing=0,
                    on_right_axis=True,
                )
            )
    priced = any(drawn.on_right_axis for drawn in series)
    return Graph(
        title="Instances and their cost" if priced else "Instances",
        unit="instances",
        right_unit="USD per hour" if priced else None,
        series=tuple(series),
    )


def queue_graphs(plan: EndpointPlan) -> tuple[Graph, Graph, Graph]:
    """Return the queue of an asynchronous endpoint, its age, and what of it was lost."""
    dimensions = queue_dimensions(plan.endpoint_name)

    def of_queue(name: str) -> Reading:
        return reading(INVOCATION_NAMESPACE, name, "Maximum", dimensions)

    lost = {
        "failed": "InvocationFailures",
        "expired": "ExpiredRequests",
        "not written": "ResponseUploadFailures",
        "not notified": "NotificationFailures",
    }
    return (
        Graph(
            title="Queue",
            unit="requests",
            series=(
                line("waiting", of_queue("ApproximateBacklogSize"), 4, swing=0.6),
                line("waiting without an instance", of_queue("HasBacklogWithoutCapacity"), 0),
            ),
        ),
        Graph(
            title="Age of the oldest request",
            unit="s",
            series=(line("oldest request", of_queue("ApproximateAgeOfOldestRequest"), 30, swing=0.6),),
            limits=alarm_limits(plan.alarms, {"age_of_oldest_request": "age"}),
        ),
        Graph(
            title="Lost requests",
            unit="in a minute",
            series=tuple(
                line(
                    f"{variant.label}{label}",
                    variant.reading(name, "Sum"),
                    0,
                    expression="m * 60 / PERIOD(m)",
                )
                for variant in answering_variants(plan)
                for label, name in lost.items()
            ),
        ),
    )


def _label(plan: EndpointPlan, variant: VariantPlan) -> str:
    return f"{variant.variant_name} " if len(plan.variants) > 1 else ""


def _limits(answering: tuple[Answering, ...], labels: Mapping[str, str]) -> tuple[Limit, ...]:
    return alarm_limits_of_several({model.label: model.alarms for model in answering}, labels)


def _followed(policy: ScalingPolicyPlan, model: Answering) -> Reading | None:
    """Return what a policy follows; None where the catalog does not have it."""
    if isinstance(policy.metric, str):
        name, statistic = _PREDEFINED[policy.metric]
        return model.reading(name, statistic)
    if not isinstance(policy.metric, MetricPlan):
        return None
    stated = policy.metric
    known = metrics().get((stated.namespace, stated.name))
    if known is None or not (known.allows(stated.statistic) and known.has_dimensions(stated.dimensions)):
        return None
    return Reading(metric=known, statistic=stated.statistic, dimensions=tuple(stated.dimensions.items()))


def _utilization(plan: EndpointPlan, variant: VariantPlan) -> Iterator[Series]:
    dimensions = variant_dimensions(plan.endpoint_name, variant.variant_name)
    label, usual = _label(plan, variant), variant.selection.chosen.estimate.utilization * 100
    read = [("CPU", "CPUUtilization", "Average", variant.vcpu_count)]
    if variant.gpu_count:
        read += [
            ("GPU", "GPUUtilization", "Average", variant.gpu_count),
            ("GPU memory", "GPUMemoryUtilization", "Maximum", variant.gpu_count),
        ]
    read += [("memory", "MemoryUtilization", "Maximum", 1), ("disk", "DiskUtilization", "Maximum", 1)]
    for index, (what, name, statistic, parts) in enumerate(read):
        yield line(
            f"{label}{what}",
            reading(INSTANCE_NAMESPACE, name, statistic, dimensions),
            usual * (1 - 0.15 * index),
            expression="m" if parts == 1 else f"m / {parts}",
        )


def endpoint_text(noun: str, plan: EndpointPlan) -> str:
    """Return what stands above the graphs of an endpoint; ``noun`` is its kind, in words."""
    types = ", ".join(dict.fromkeys(variant.instance_type for variant in plan.variants))
    return f"{noun} {plan.endpoint_name} on {types}."
