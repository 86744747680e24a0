"""How the instances of one variant scale: between which bounds, by which policies, and where their targets come from."""

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, Context
from itertools import pairwise
from typing import TYPE_CHECKING

from sizewell.config.policy import Policy
from sizewell.config.scaling import Scaling
from sizewell.config.scaling_policies import CloudWatchMetric, ScalingStep, TrackedMetric
from sizewell.facts.durations import MINUTE_S
from sizewell.facts.endpoint_metrics import endpoint_metrics, variant_dimensions
from sizewell.facts.metrics import MetricSum, MetricUnit
from sizewell.facts.models import Engine
from sizewell.facts.scaling import SIGNAL_METRICS, Signal
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.endpoint_plan_model import ScalingPlan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.scaling_policies import (
    AnyMetricPlan,
    MetricMathPlan,
    MetricPlan,
    ScalingPolicyPlan,
    StepPlan,
    StepScalingPlan,
    TargetTrackingPlan,
)
from sizewell.planning.scaling_schedules import plan_scheduled_actions
from sizewell.planning.scaling_targets import default_signal, derived_target

if TYPE_CHECKING:
    from sizewell.planning.endpoint_plan import Hosted

#: The fleet may grow this far above what the peak needs, for the day when the peak was wrong.
MAX_OVER_PEAK = 1.5
#: One minute above a step adds; as target tracking itself does, fifteen below one remove (Application Auto Scaling user guide,
#: "How target tracking scaling works": 15 datapoints of a minute to scale in).
MINUTES_TO_ADD, MINUTES_TO_REMOVE = 1, 15
US_PER_MS = 1000
_GPU_SIGNALS = (Signal.GPU, Signal.GPU_MEMORY)
_THREE_DIGITS_DOWN = Context(prec=3, rounding=ROUND_DOWN)
_UNDERIVED = "state target, as a load test of one instance shows it, or track invocations"


def plan_scaling(
    scaling: Scaling,
    hosted: "Hosted",
    policy: Policy,
    *,
    workload: str,
    endpoint_name: str,
    variant_name: str,
) -> ScalingPlan | None:
    """Return how a variant scales; None where the number of its instances is fixed.

    ``workload`` is its name in the configuration. Raises ``PlanError`` with each policy that the hardware, the engine or the
    bounds leave without effect, or without a target.
    """
    needs, at_peak = hosted.needs, hosted.instances_at_peak
    max_instances = scaling.max_instances or max(
        at_peak, min(policy.max_endpoint_instances, math.ceil(at_peak * MAX_OVER_PEAK))
    )
    planner = _Policies(scaling, hosted, ("workloads", workload, "scaling"), endpoint_name, variant_name)
    # RegisterScalableTarget refuses burstable types. With schedules, bounds that are one number by themselves are not fixed.
    if hosted.instance_type.burstable:
        planner.refuse_all(
            f"burstable types cannot be autoscaled, and the pick is {hosted.instance_type.name}",
            "remove it, or write policy.allow_burstable: false",
        )
        return None
    if max_instances <= needs.min_instances and not scaling.schedules:
        planner.refuse_all(
            f"the number of instances is always {max_instances}", "remove it, or raise scaling.max_instances"
        )
        return None
    return ScalingPlan(
        min_instance_count=needs.min_instances,
        max_instance_count=max_instances,
        scheduled_actions=plan_scheduled_actions(scaling.schedules, needs.min_instances, max_instances),
        policies=planner.policies(),
    )


class _Policies:
    """Makes the policies of one variant, and collects what is wrong with them."""

    def __init__(
        self,
        scaling: Scaling,
        hosted: "Hosted",
        path: tuple[str, ...],
        endpoint_name: str,
        variant_name: str,
    ) -> None:
        self._scaling, self._hosted, self._path = scaling, hosted, path
        self._dimensions = dict(variant_dimensions(endpoint_name, variant_name))
        self._faults: list[PlanFault] = []

    def refuse_all(self, reason: str, hint: str) -> None:
        """Raise ``PlanError`` for each stated policy of a variant that does not scale."""
        for kind, stated in (("track", self._scaling.track or {}), ("steps", self._scaling.steps)):
            for name in stated:
                self._fault(f"has no effect: {reason}", hint, kind, name)
        self._raise_faults()

    def policies(self) -> tuple[ScalingPolicyPlan, ...]:
        """Return what is tracked, then the steps; raises ``PlanError``."""
        track = self._scaling.track
        if track is None:
            track = {self._default: TrackedMetric()}
        tracked = [self._tracking(name, one) for name, one in track.items()]
        steps = self._steps()
        seen: dict[str, str] = {}
        for name, one in zip(track, tracked, strict=True):
            if one is not None and (other := seen.setdefault(str(one.metric), name)) != name:
                self._fault(
                    f"tracks the metric of {other}, and AWS takes one target for a metric",
                    "keep one of the two",
                    "track",
                    name,
                )
        self._raise_faults()
        return (*(one for one in tracked if one is not None), *steps)

    @property
    def _default(self) -> Signal:
        return Signal.INVOCATIONS if self._has_pools else default_signal(self._hosted)

    @property
    def _has_pools(self) -> bool:
        return len(self._hosted.fleet) > 1

    def _tracking(self, name: str, stated: TrackedMetric) -> TargetTrackingPlan | None:
        signal = Signal(name) if name in set(Signal) else None
        if signal is not None and self._is_refused(signal, "track", name):
            return None
        known = SIGNAL_METRICS[signal] if signal else None
        if stated.target is not None:
            value, derivation = stated.target, f"stated: {stated.target:g} {known.unit if known else name}"
        else:
            assert signal is not None, "a metric of one's own states its target"
            derived = derived_target(signal, self._hosted)
            if isinstance(derived, str):
                self._fault(f"has no target that follows from the plan: {derived}", _UNDERIVED, "track", name)
                return None
            value, derivation = derived
        if signal is Signal.LATENCY and value <= (
            alone := self._hosted.estimate.service_time_ms * SERVICE_TAIL
        ):
            self._fault(
                f"would keep {value:.3g} ms, but one request alone takes {milliseconds(alone)} (p95): more instances never "
                "bring it below",
                "raise target, or track invocations",
                "track",
                name,
            )
        factor, times = self._unit(signal)
        return TargetTrackingPlan(
            name=known.name if known else name,
            metric=(known and known.predefined) or self._metric(signal, stated),
            target_value=three_digits(value * factor) if stated.target is None else value * factor,
            scale_out_cooldown_s=self._scaling.scale_out_cooldown_s,
            scale_in_cooldown_s=self._scaling.scale_in_cooldown_s,
            derivation=derivation + times,
        )

    def _steps(self) -> list[StepScalingPlan]:
        """Return a policy for all steps that go one way by one metric."""
        found: dict[tuple[str, bool], dict[str, ScalingStep]] = {}
        for name, one in self._scaling.steps.items():
            if one.metric is None or not self._is_refused(one.metric, "steps", name):
                found.setdefault((str(self._metric(one.metric, one)), one.adds), {})[name] = one
        return [self._step_scaling(group) for group in found.values()]

    def _step_scaling(self, group: Mapping[str, ScalingStep]) -> StepScalingPlan:
        first = next(iter(group.values()))
        adds, (factor, _) = first.adds, self._unit(first.metric)
        # From the threshold outwards: upwards where instances are added, downwards where they are removed.
        names = sorted(group, key=lambda name: _value(group[name]), reverse=not adds)
        values = [_value(group[name]) * factor for name in names]
        for name, (near, far) in zip(names[1:], pairwise(values), strict=True):
            if near == far:
                self._fault("begins at the value of another step", "keep one of the two", "steps", name)
        distances = [value - values[0] for value in values]
        minutes = MINUTES_TO_ADD if adds else MINUTES_TO_REMOVE
        return StepScalingPlan(
            name=names[0],
            metric=self._metric(first.metric, first),
            comparison="GreaterThanThreshold" if adds else "LessThanThreshold",
            threshold=values[0],
            period_s=MINUTE_S,
            datapoints_to_alarm=minutes,
            evaluation_periods=minutes,
            adjustment_type="ChangeInCapacity",
            steps=tuple(
                StepPlan(
                    lower_bound=near if adds else far,
                    upper_bound=far if adds else near,
                    adjustment=(group[name].add or 0) - (group[name].remove or 0),
                )
                for name, (near, far) in zip(names, pairwise([*distances, None]), strict=True)
            ),
            cooldown_s=self._scaling.scale_out_cooldown_s if adds else self._scaling.scale_in_cooldown_s,
            derivation=_words([group[name] for name in names]),
        )

    def _metric(self, signal: Signal | None, stated: TrackedMetric | ScalingStep) -> AnyMetricPlan:
        if signal is not None:
            known = SIGNAL_METRICS[signal]
            namespace = endpoint_metrics()[known.name].namespace
            return MetricPlan(
                namespace=namespace, name=known.name, statistic=known.statistic, dimensions=self._dimensions
            )
        metrics = {key: self._own(one) for key, one in stated.metrics.items()}
        if stated.expression is None:
            return next(iter(metrics.values()))
        return MetricMathPlan(expression=stated.expression, metrics=metrics)

    def _own(self, stated: CloudWatchMetric) -> MetricPlan:
        default = self._dimensions if stated.of_sagemaker else {}
        return MetricPlan(
            namespace=stated.namespace,
            name=stated.name,
            statistic=stated.statistic,
            dimensions=default if stated.dimensions is None else stated.dimensions,
        )

    def _unit(self, signal: Signal | None) -> tuple[float, str]:
        """Return what makes a value of the configuration one of the metric, and the words for it."""
        if signal is None:
            return 1, ""
        metric = endpoint_metrics()[SIGNAL_METRICS[signal].name]
        if metric.unit is MetricUnit.MICROSECONDS:
            return US_PER_MS, f", x {US_PER_MS:,} microseconds"
        if metric.summed_over is MetricSum.VCPUS:
            count = self._hosted.vcpu_count
            return count, f", x {count} vCPUs"
        if metric.summed_over is MetricSum.GPUS:
            count = self._hosted.gpu_count
            return count, f", x {count} GPU{'' if count == 1 else 's'}"
        return 1, ""

    def _is_refused(self, signal: Signal, *where: str) -> bool:
        """Tell whether nothing can follow a signal here, and note why."""
        hosted = self._hosted
        if signal in _GPU_SIGNALS and not hosted.gpu_count:
            reason = f"{hosted.instance_type.name} has no NVIDIA GPU, and no metric of one"
            hint = "take another metric, or ask for GPUs in instances.allowed_families"
        elif signal in _GPU_SIGNALS and hosted.needs.engine is Engine.LLM_ENGINE:
            reason = (
                "an llm-engine reserves GPU memory when it starts and keeps GPUs busy with one request: neither says how much "
                "more an instance can carry"
            )
            hint = "take concurrency, or invocations"
        elif signal is Signal.CONCURRENCY and self._has_pools:
            reason = "no page of AWS says what it counts where instance_pools mix instance types"
            hint = "take invocations, or remove instance_pools"
        elif signal is Signal.CONCURRENCY and hosted.needs.models:
            reason = "it counts by model, and no page of AWS says what that is where an instance has many"
            hint = "take invocations"
        elif signal is Signal.GPU_MEMORY and hosted.needs.models:
            reason = "models stay until others need the room: a full memory is healthy"
            hint = "take another metric, or invocations"
        else:
            return False
        self._fault(f"cannot follow {signal}: {reason}", hint, *where)
        return True

    def _fault(self, reason: str, hint: str, *where: str) -> None:
        self._faults.append(PlanFault((*self._path, *where), reason, hint))

    def _raise_faults(self) -> None:
        if self._faults:
            raise PlanError(tuple(self._faults))


def _value(step: ScalingStep) -> float:
    return step.above or step.below or 0.0


def _words(steps: Sequence[ScalingStep]) -> str:
    """Return what steps on one metric do, in the units of the configuration."""
    first = steps[0]
    what = first.metric or first.expression or next(iter(first.metrics.values())).name
    unit = f" {SIGNAL_METRICS[first.metric].unit}" if first.metric else ""
    told = [
        f"above {one.above:g}{unit} adds {one.add}"
        if one.adds
        else f"below {one.below:g}{unit} removes {one.remove}"
        for one in steps
    ]
    return f"{what} {', '.join(told)}"


def three_digits(value: float) -> float:
    """Round down to three significant digits: a target is an estimate, and must not promise more than it."""
    return float(_THREE_DIGITS_DOWN.create_decimal(str(value)))
