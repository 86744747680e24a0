"""What the number of instances of a real-time endpoint follows: metrics that are kept at a target, and steps.

Both read a signal, which is a word for a metric of the endpoint, or metrics of CloudWatch by their names. What an instance
type publishes, and what follows from its capacity, is known to the plan: ``sizewell.planning.scaling``.
"""

import operator
from collections.abc import Mapping
from itertools import permutations
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, Name, fault, without
from sizewell.config.faults import near_match
from sizewell.config.metric_math import ExpressionError, read_expression
from sizewell.facts.endpoint_metrics import INSTANCE_NAMESPACE, INVOCATION_NAMESPACE, endpoint_metrics
from sizewell.facts.metric_math import Returns
from sizewell.facts.scaling import SIGNAL_METRICS, Signal
from sizewell.facts.serving_modes import Mode, limit

#: A scalable target has at most 50 policies, a step policy at most 20 steps (Application Auto Scaling user guide, "Quotas").
MAX_STEPS = 20
MAX_TRACKED = 50 - MAX_STEPS
#: CloudWatch: an alarm on metric math reads 10 metrics at most ("PutMetricAlarm", Metrics), a metric has 30 dimensions.
MAX_METRICS = 10
MAX_DIMENSIONS = 30
#: The largest value of a signal, in its unit: SageMaker ends a call after 60 seconds.
HIGHEST = {
    **dict.fromkeys((Signal.CPU, Signal.GPU, Signal.GPU_MEMORY), 100.0),
    Signal.LATENCY: limit(Mode.REAL_TIME, "max_processing_s") * 1000,
}
#: Totals of a variant, and statistics that make one: they stay as they are when instances are added.
_TOTALS = frozenset({"Invocations", "Invocation4XXErrors", "Invocation5XXErrors", "InvocationModelErrors"})
_TOTAL_STATISTICS = frozenset({"Sum", "SampleCount"})
_PER_INSTANCE = SIGNAL_METRICS[Signal.INVOCATIONS].name

MetricId = Annotated[
    str,
    Field(
        pattern=r"^[a-z][A-Za-z0-9_]*$",
        max_length=40,
        examples=["queue"],
        description="letters, digits and underscores, first a lower-case letter",
    ),
]
Value = Annotated[float, Field(gt=0, le=1e12)]
Instances = Annotated[int, Field(ge=1, le=10_000)]
_Text = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[!-~]([ -~]*[!-~])?$")]
_DimensionName = Annotated[
    _Text, Field(examples=["Team"], description="ASCII characters, with spaces between others only")
]


class CloudWatchMetric(ConfigModel):
    """A metric of CloudWatch."""

    namespace: Annotated[_Text, Field(examples=["Company/Chat"])]
    """Who publishes it, such as AWS/SageMaker."""
    name: Annotated[_Text, Field(examples=["SessionsPerInstance"])]
    """Its name (MetricName)."""
    statistic: Annotated[
        str,
        Field(
            pattern=r"^(Average|Minimum|Maximum|Sum|SampleCount|p(100|[0-9]{1,2}(\.[0-9]{1,10})?))$",
            examples=["p90"],
        ),
    ] = "Average"
    """How the values of a minute become one: Average, Minimum, Maximum, Sum, SampleCount, or a percentile such as p90."""
    dimensions: Annotated[dict[_DimensionName, _Text], Field(max_length=MAX_DIMENSIONS)] | None = None
    """All that it is published with, letter by letter; by default none, and of SageMaker's metrics those of the variant."""

    @property
    def of_sagemaker(self) -> bool:
        """Whether an endpoint publishes it."""
        return self.namespace in (INVOCATION_NAMESPACE, INSTANCE_NAMESPACE)

    @model_validator(mode="after")
    def _is_published(self) -> Self:
        known = endpoint_metrics()
        if not self.of_sagemaker or (self.dimensions is not None and self.name not in known):
            return self
        if (metric := known.get(self.name)) is None:
            match = near_match(self.name, known)
            raise fault(
                "name",
                f"{self.name} is no metric of an endpoint"
                + (
                    f"; did you mean {match}?"
                    if match
                    else "; state its dimensions where something else publishes it"
                ),
            )
        if metric.namespace != self.namespace:
            raise fault("namespace", f"{self.name} is published in {metric.namespace}; write that")
        if self.dimensions is None and "variant" not in metric.kinds:
            raise fault(
                "dimensions", f"is missing: {self.name} is no metric of a variant; state what it is of"
            )
        if metric.statistics and not metric.allows(self.statistic):
            allowed = ", ".join(metric.statistics)
            raise fault("statistic", f"{self.name} has no {self.statistic}; choose one of {allowed}")
        return self


class _OwnMetric(ConfigModel):
    """What a policy reads that is no signal."""

    metrics: Annotated[dict[MetricId, CloudWatchMetric], Field(max_length=MAX_METRICS)] = {}
    """Metrics of CloudWatch, by ids of yours: one is read as it is, several are joined by expression."""
    expression: Annotated[str, Field(min_length=1, max_length=2048, examples=["queue / workers"])] | None = (
        None
    )
    """Metric math on the ids of metrics, with one time series as its result."""

    @model_validator(mode="after")
    def _expression_joins_all_metrics(self) -> Self:
        ids = ", ".join(self.metrics)
        if self.expression is None:
            if len(self.metrics) > 1:
                raise fault("expression", f"is missing: say how {ids} become one value")
            return self
        try:
            read = read_expression(self.expression)
        except ExpressionError as error:
            raise fault("expression", str(error)) from None
        if read.returns is not Returns.SERIES:
            raise fault(
                "expression",
                f"comes to {read.returns}, and instances follow one time series: write for example SUM([a, b]), or a - AVG(a)",
            )
        named = read.ids
        if not self.metrics or not named <= self.metrics.keys():
            unknown = min(named - self.metrics.keys(), default="it")
            raise fault(
                "expression", f"{unknown} is none of metrics ({ids or 'none are stated'}); state it there"
            )
        if not read.reads_all and (lost := min(self.metrics.keys() - named, default=None)):
            raise fault(
                f"metrics.{lost}", f"has no effect: expression does not name it; {without(f'metrics.{lost}')}"
            )
        return self


class TrackedMetric(_OwnMetric):
    """A metric that instances are added and removed for, so that it stays at a target."""

    target: Value | None = None
    """The value to keep: requests in a minute of one instance (invocations), requests in progress on one instance
    (concurrency), percent of all vCPUs, GPUs or GPU memory of an instance (cpu, gpu, gpu-memory), milliseconds (latency), or in
    the unit of your metric. By default what the capacity of an instance and headroom come to, where that is known."""


class ScalingStep(_OwnMetric):
    """Instances that are added above a value of a metric, or removed below one."""

    metric: Signal | None = None
    """invocations, concurrency, cpu, gpu, gpu-memory or latency; or metrics of your own in metrics."""
    above: Value | None = None
    """Add instances where the metric was above this value for a minute, in the unit that target has for it. Of several steps on
    one metric, that with the highest value below the metric counts."""
    add: Instances | None = None
    """How many instances are added; scale_out_cooldown_s is between two times."""
    below: Value | None = None
    """Remove instances where the metric was below this value for 15 minutes."""
    remove: Instances | None = None
    """How many instances are removed; scale_in_cooldown_s is between two times."""

    @property
    def adds(self) -> bool:
        """Whether it adds instances."""
        return self.above is not None

    @model_validator(mode="after")
    def _reads_one_metric(self) -> Self:
        if self.metric is None and not self.metrics:
            raise fault(
                "metric", f"is missing: write one of {', '.join(Signal)}, or metrics of your own in metrics"
            )
        if self.metric is not None and self.metrics:
            raise fault("metrics", f"stand beside metric: {self.metric}; remove one of the two")
        return self

    @model_validator(mode="after")
    def _goes_one_way(self) -> Self:
        stated = [key for key in ("above", "add", "below", "remove") if getattr(self, key) is not None]
        if stated not in (["above", "add"], ["below", "remove"]):
            raise fault(
                stated[-1] if stated else "above",
                f"{' and '.join(stated) or 'nothing'} is stated; a step states above and add, or below and remove",
            )
        highest = HIGHEST.get(self.metric) if self.metric else None
        if highest is not None and self.above is not None and self.above >= highest:
            raise fault("above", f"is {self.above:g}, but {self.metric} is {highest:g} at most; lower it")
        return self


def check_policies(track: Mapping[str, TrackedMetric] | None, steps: Mapping[str, ScalingStep]) -> None:
    """Raise the fault of policies that AWS refuses, that never act, or that work against each other."""
    for name, tracked in (track or {}).items():
        _check_tracked(name, tracked)
        if name in steps:
            raise fault(f"steps.{name}", "has the name of a tracked metric; give one of them another name")
    removing = [name for name, one in steps.items() if not one.adds]
    if track != {} and removing:
        raise fault(
            f"steps.{removing[0]}.remove",
            "works against target tracking, which removes instances as well and does not stop a step that does so too early "
            "(PutScalingPolicy); remove the step, or write track: {} to scale by steps alone",
        )
    if track == {} and not 0 < len(removing) < len(steps):
        lacking = "adds" if len(removing) == len(steps) else "removes"
        raise fault(
            "track", f"is empty, and no step {lacking} instances; state one in steps, or remove track"
        )
    for (one_name, one), (other_name, other) in permutations(steps.items(), 2):
        if (one.metric, one.metrics, one.expression) == (other.metric, other.metrics, other.expression):
            _check_steps(one_name, one, other_name, other)


def _check_steps(name: str, step: ScalingStep, other_name: str, other: ScalingStep) -> None:
    """Raise the fault of a step that contradicts another one on the same metric."""
    if step.below is not None and other.above is not None and step.below > other.above:
        raise fault(
            f"steps.{name}.below",
            f"is {step.below:g}, but {other_name} adds instances above {other.above:g}: between the two, instances would be "
            f"added and removed at once; write {other.above:g} at most",
        )
    for bound, change, worse in (("above", "add", operator.gt), ("below", "remove", operator.lt)):
        value, count = getattr(step, bound), getattr(step, change)
        milder, more = getattr(other, bound), getattr(other, change)
        if None not in (value, milder) and worse(value, milder) and count < more:
            raise fault(
                f"steps.{name}.{change}",
                f"is {count}, but {other_name} {change}s {more} from {milder:g} on: a value beyond would {change} fewer; "
                f"write {more} at least",
            )


def _check_tracked(name: str, tracked: TrackedMetric) -> None:
    path = f"track.{name}"
    if name not in set(Signal):
        if not tracked.metrics:
            match = near_match(name, list(Signal))
            raise fault(
                path,
                f"is none of {', '.join(Signal)}, and has no metrics of its own"
                + (f"; did you mean {match}?" if match else "; state them in metrics"),
            )
        if tracked.target is None:
            raise fault(
                f"{path}.target", "is missing: nothing is known of a metric of your own that it follows from"
            )
        if tracked.expression is None:
            (metric,) = tracked.metrics.values()
            _check_falls(f"{path}.metrics", metric)
        return
    if tracked.metrics:
        raise fault(
            f"{path}.metrics", f"{name} is a metric of the endpoint; give metrics of your own another name"
        )
    highest = HIGHEST.get(Signal(name))
    if highest is not None and tracked.target is not None and tracked.target > highest:
        raise fault(f"{path}.target", f"is {tracked.target:g}, but {name} is {highest:g} at most")


def _check_falls(path: str, metric: CloudWatchMetric) -> None:
    total = metric.name in _TOTALS or (metric.statistic in _TOTAL_STATISTICS and metric.name != _PER_INSTANCE)
    if metric.of_sagemaker and total:
        raise fault(
            path,
            f"the {metric.statistic} of {metric.name} is a total over all instances, and does not fall when instances are "
            "added: they would be added up to max_instances; track invocations, or divide it in an expression",
        )


#: By name: a signal, or a name of yours.
Tracked = Annotated[dict[Name, TrackedMetric], Field(max_length=MAX_TRACKED)]
Steps = Annotated[dict[Name, ScalingStep], Field(max_length=MAX_STEPS)]
