"""The decisions for one inference component: its container, its copies, its alarms and its rollout."""

import math
from collections.abc import Mapping

from sizewell.config.base import MAX_INSTANCE_COUNT
from sizewell.config.scaling import ScheduleMoment
from sizewell.config.working_hours import WorkingHours
from sizewell.facts.deployment_guardrails import wait_intervals
from sizewell.facts.endpoint_metrics import component_dimensions, endpoint_metrics
from sizewell.facts.scaling import CONCURRENT_REQUESTS_PER_COPY, INVOCATIONS_PER_COPY
from sizewell.instance_selection import (
    EndpointRequirements,
    Engine,
    HardwareKind,
)
from sizewell.instance_selection.results import CopyEstimate
from sizewell.kinds.inference_component_endpoint.config import (
    ComponentRollout,
    InferenceComponent,
)
from sizewell.kinds.inference_component_endpoint.plan_model import (
    ComponentPlan,
    ComponentRolloutPlan,
    CopyScalingPlan,
    ScheduledCopiesPlan,
)
from sizewell.planning.alarm_thresholds import (
    CLIENT_ERRORS,
    SERVER_ERRORS,
    error_percent,
    latency_thresholds_ms,
    stated_alarms,
)
from sizewell.planning.endpoint_plan import (
    artifact_size_gib,
    average_requests_per_second_of,
    batching_variables_of,
    startup_timeout_s,
)
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.model_containers import Calls, container_assumptions, plan_model_container
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import Names
from sizewell.planning.queue_scaling import step_from_zero
from sizewell.planning.rollout import (
    batch_percent,
    callbacks,
    execution_timeout_s,
    in_time,
    usual_wait_s,
)
from sizewell.planning.scaling import MAX_OVER_PEAK, three_digits
from sizewell.planning.scaling_policies import (
    MetricPlan,
    ScalingPolicyPlan,
    StepScalingPlan,
    TargetTrackingPlan,
)
from sizewell.planning.scaling_schedules import cron_of
from sizewell.planning.workload_plan import AlarmPlan

#: https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html
_NO_CAPACITY = "NoCapacityInvocationFailures"


def plan_component(
    component_name: str,
    component: InferenceComponent,
    rollout: ComponentRollout,
    copy: CopyEstimate,
    needs: EndpointRequirements,
    kind: HardwareKind,
    names: Names,
    hours: WorkingHours | None = None,
) -> ComponentPlan:
    """Return the plan of a component, of which each copy reserves what ``copy`` says, and none is there outside of ``hours``."""
    average = average_requests_per_second_of(needs, copy.serving)
    alarms, alarms_off = stated_alarms(
        component.alarms,
        {
            "server_error_rate": SERVER_ERRORS,
            "model_error_rate": error_percent(component),
            "client_error_rate": CLIENT_ERRORS,
            **latency_thresholds_ms(component.latency),
        },
        average,
    )
    calls = Calls.of(component.request)
    container = plan_model_container(component.container, kind, names, calls)
    del container["network_isolation"]  # that of the endpoint
    variables, _ = batching_variables_of(component, kind, copy.serving.replicas_per_instance, calls.timeout_s)
    timeout_s = startup_timeout_s(artifact_size_gib(component.container, needs.model))
    return ComponentPlan(
        component_name=component_name,
        **{**container, "environment": dict(sorted((variables | container["environment"]).items()))},
        accelerator_count=copy.accelerator_count,
        cpu_cores=copy.cpu_cores,
        memory_mib=copy.memory_mib,
        initial_copy_count=copy.copies_at_average,
        startup_timeout_s=timeout_s,
        average_requests_per_second=average,
        scaling=_scaling(component_name, component, copy, needs, hours),
        alarms=alarms,
        alarms_off=alarms_off,
        rollout=_rollout(rollout, copy, timeout_s, alarms, average) if needs.min_instances > 1 else None,
    )


def component_assumptions(component: InferenceComponent, kind: HardwareKind) -> tuple[str, ...]:
    """Return what the estimate of a component assumes on this kind of hardware, in sentences."""
    calls = Calls.of(component.request)
    _, of_batching = batching_variables_of(component, kind, 1, calls.timeout_s)
    return (
        *of_batching,
        *model_assumptions(component.model),
        *engine_assumptions(component),
        *container_assumptions(component.container, kind, calls),
    )


def _scaling(
    component_name: str,
    component: InferenceComponent,
    copy: CopyEstimate,
    needs: EndpointRequirements,
    hours: WorkingHours | None,
) -> CopyScalingPlan | None:
    stated, least = component.scaling, needs.min_instances
    most = stated.max_copies or min(MAX_INSTANCE_COUNT, math.ceil(copy.copies_at_peak * MAX_OVER_PEAK))
    actions = _actions(hours, least, max(least, most)) if hours else ()
    if most <= least:
        if not actions:
            return None
        return CopyScalingPlan(
            min_copy_count=least, max_copy_count=least, policies=(), scheduled_actions=actions
        )
    estimate, free = copy.serving, 1 - needs.headroom
    # The guide scales to zero by invocations; of the other metric nobody says what it is without copies.
    by_concurrency = needs.engine is Engine.LLM_ENGINE and least > 0
    if by_concurrency:
        target = estimate.capacity_concurrency * free
        derivation = f"{estimate.capacity_concurrency} requests at a time in one copy less {needs.headroom:.0%} that stay free"
    else:
        target = estimate.capacity_requests_per_second * 60 * free
        derivation = (
            f"{estimate.capacity_requests_per_second:.3g} requests/s of one copy less {needs.headroom:.0%} that stay "
            "free, x 60 s"
        )
    policies: tuple[ScalingPolicyPlan, ...] = (
        TargetTrackingPlan(
            name="ConcurrentRequestsPerCopy" if by_concurrency else "InvocationsPerCopy",
            metric=CONCURRENT_REQUESTS_PER_COPY if by_concurrency else INVOCATIONS_PER_COPY,
            target_value=three_digits(target),
            scale_out_cooldown_s=stated.scale_out_cooldown_s,
            scale_in_cooldown_s=stated.scale_in_cooldown_s,
            derivation=derivation,
        ),
    )
    if least == 0:
        policies += (_wake(component_name),)
    return CopyScalingPlan(
        min_copy_count=least, max_copy_count=most, policies=policies, scheduled_actions=actions
    )


def _actions(hours: WorkingHours, least: int, most: int) -> tuple[ScheduledCopiesPlan, ...]:
    """Return what stops the copies as working hours end, and lets them come back as they begin."""
    return tuple(
        ScheduledCopiesPlan(
            name=f"working-hours-{moment}",
            schedule=cron_of(ScheduleMoment(weekdays=hours.weekdays, at=at, time_zone=hours.time_zone)),
            time_zone=hours.time_zone,
            min_copy_count=bounds[0],
            max_copy_count=bounds[1],
        )
        for moment, at, bounds in (("begin", hours.start, (least, most)), ("end", hours.end, (0, 0)))
    )


def _wake(component_name: str) -> StepScalingPlan:
    """Return the step from no copy to component: without copies there is nothing that target tracking could track."""
    metric = MetricPlan(
        namespace=endpoint_metrics()[_NO_CAPACITY].namespace,
        name=_NO_CAPACITY,
        statistic="Maximum",
        dimensions=dict(component_dimensions(component_name)),
    )
    return step_from_zero(metric, "the metric counts requests that failed because no copy was there")


def _rollout(
    stated: ComponentRollout,
    copy: CopyEstimate,
    timeout_s: int,
    alarms: Mapping[str, AlarmPlan],
    average_requests_per_second: float,
) -> ComponentRolloutPlan:
    share = stated.share_percent or batch_percent(copy.copies_at_average)
    # Their metrics are of all copies, old and new.
    watched = callbacks(alarms, average_requests_per_second)
    batches = wait_intervals("rolling", share)
    wait_interval_s = stated.wait_interval_s
    if wait_interval_s is None:
        wait_interval_s = usual_wait_s(watched, batches)
    return ComponentRolloutPlan(
        share_percent=share,
        wait_interval_s=wait_interval_s,
        # The artifact, then the container.
        max_execution_timeout_s=execution_timeout_s(batches * (2 * timeout_s + wait_interval_s)),
        alarms=in_time(watched, batches * wait_interval_s),
    )
