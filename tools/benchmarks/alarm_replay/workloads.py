"""The workloads of a synthesized platform: what of each publishes in which trace."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.deployment_guardrails import wait_intervals
from sizewell.facts.endpoint_metrics import (
    component_dimensions,
    configuration_dimensions,
    queue_dimensions,
    variant_dimensions,
)
from sizewell.facts.lambda_functions import alias_dimensions
from sizewell.facts.metrics import service_dimensions
from tools.benchmarks.alarm_replay import publishing
from tools.benchmarks.alarm_replay.events import job_traces, queue_traces, worker_traces
from tools.benchmarks.alarm_replay.held_out_traces import held_out_traces
from tools.benchmarks.alarm_replay.loads import day_and_night
from tools.benchmarks.alarm_replay.series import Series
from tools.benchmarks.alarm_replay.template_alarms import (
    Metric,
    Published,
    TemplateAlarm,
    alarms_of,
    rollback_alarms_of,
)
from tools.benchmarks.alarm_replay.traces import Trace, serving_traces

Plan = Mapping[str, Any]
#: Nobody need hear of what the plan has no alarm on for a reason: a multi-model endpoint fills its memory on purpose.
_ALARM_OF_TRACE = {"memory is full": "memory_utilization", "disk is full": "disk_utilization"}


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What one trace happens to: a variant, a component, a function or a job; ``publish`` are the metrics of the whole stack."""

    kind: str
    name: str
    alarms: Mapping[str, TemplateAlarm]
    rollback_alarms: frozenset[str]
    bake_minutes: int
    traces: tuple[Trace, ...]
    publish: Callable[[Trace], Published]


def watched(assembly: Path) -> Iterator[Watched]:
    """Yield whatever has alarms in a synthesized platform."""
    for plan in json.loads((assembly / "plan.json").read_text("utf-8"))["workloads"]:
        path = assembly / f"{plan['stack_name']}.template.json"
        if not path.exists():
            continue
        template = json.loads(path.read_text("utf-8"))
        if alarms_of(template):
            yield from _of_kind(plan, template)


def _of_kind(plan: Plan, template: Mapping[str, Any]) -> Iterator[Watched]:
    match plan["kind"]:
        case "real-time-endpoint" | "multi-model-endpoint":
            yield from _endpoint(plan, template)
        case "inference-component-endpoint":
            yield from _components(plan, template)
        case "serverless-endpoint":
            yield _serverless(plan, template)
        case "lambda-function":
            yield _function(plan, template)
        case "ecs-service":
            yield _service(plan, template)
        case "asynchronous-endpoint":
            yield _queue(plan, template)
        case "eks-queue-worker" | "ecs-queue-worker":
            yield _worker(plan, template)
        case "notebook":
            return
        case _:
            yield _job(plan, template)


def _watched(plan: Plan, template: Mapping[str, Any], **given: Any) -> Watched:
    return Watched(
        **{
            "kind": plan["kind"],
            "name": plan["name"],
            "bake_minutes": 0,
            "alarms": alarms_of(template),
            "rollback_alarms": rollback_alarms_of(template),
            **given,
        }
    )


def _endpoint(plan: Plan, template: Mapping[str, Any]) -> Iterator[Watched]:
    variants = [plan, *plan["other_variants"], *([plan["shadow_variant"]] if plan["shadow_variant"] else [])]
    rollout = plan["rollout"]
    share = (rollout["first_share_percent"] or 100) / 100 if rollout else None
    configuration = next(
        f"{name}.EndpointConfigName"
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::SageMaker::EndpointConfig"
    )

    def publish_for(tested: Plan) -> Callable[[Trace], Published]:
        def publish(trace: Trace) -> Published:
            found: dict[Metric, Series] = {}
            for variant in variants:
                per_minute = variant["average_requests_per_second"] * 60
                its_trace = (
                    trace
                    if variant is tested
                    else Trace(name="", load=day_and_night(per_minute, trace.load.minutes // 1440))
                )
                found.update(
                    _variant(plan["endpoint_name"], variant, its_trace, configuration, plan["multi_model"])
                )
            return found

        return publish

    for variant in variants:
        is_shadow = variant is plan["shadow_variant"]
        yield _watched(
            plan,
            template,
            name=f"{plan['name']}/{variant['variant_name']}",
            bake_minutes=_bake_minutes(rollout),
            traces=tuple(
                trace
                for trace in _serving_traces(
                    variant["average_requests_per_second"] * 60,
                    instances=True,
                    rollout=None if is_shadow else share,
                )
                if _ALARM_OF_TRACE.get(trace.name) not in variant["alarms_off"]
            ),
            publish=publish_for(variant),
        )


def _serving_traces(per_minute: float, *, instances: bool, rollout: float | None) -> Iterator[Trace]:
    yield from serving_traces(per_minute, instances=instances, rollout=rollout)
    yield from held_out_traces(per_minute, instances=instances, rollout=rollout)


def _bake_minutes(rollout: Plan | None) -> int:
    if rollout is None:
        return 0
    waits = wait_intervals(rollout["strategy"], rollout["first_share_percent"])
    last_s = rollout["termination_wait_s"] or 0
    return int(waits * rollout["wait_interval_s"] + last_s) // 60


def _variant(
    endpoint_name: str, variant: Plan, trace: Trace, configuration: str, multi_model: Plan | None
) -> Iterator[tuple[Metric, Series]]:
    names = (endpoint_name, variant["variant_name"])
    objective_ms = variant["alarms"]["model_latency_p95"]["threshold"]
    new, old = _fleets(trace)
    dimensions = variant_dimensions(*names)
    yield from publishing.invocations(
        new if old is None else new + old, dimensions, objective_ms, kind="variant"
    )
    yield from publishing.invocations(
        new, configuration_dimensions(*names, configuration), objective_ms, kind="configuration"
    )
    yield from publishing.instances(
        trace.load,
        dimensions,
        count=variant["initial_instance_count"],
        vcpus=variant["vcpu_count"],
        gpus=variant["gpu_count"],
    )
    if multi_model is not None and (loaded := multi_model["loaded"]):
        yield from publishing.models(
            new if old is None else new + old,
            dimensions,
            miss_share=loaded["miss_share"],
            load_s=loaded["load_s"],
        )


def _fleets(trace: Trace) -> tuple[publishing.Requests, publishing.Requests | None]:
    """Return the requests of the fleet that the configuration describes, and of the one that it takes over from."""
    if trace.rolls_back is None:
        return publishing.requests_of(trace.load), None
    share = np.zeros(trace.load.minutes)
    # The rest of the requests follows after half an hour at the latest: whoever rolls back does so before.
    share[trace.starts :] = trace.share
    share[trace.starts + 30 :] = 1
    healthy = trace.load.during(
        0, trace.load.minutes, failed=0, hung=0, refused=0, slow=0, exact=0, exact_failed=0
    )
    return (
        publishing.requests_of(publishing.shared(trace.load, share, seed=1)),
        publishing.requests_of(publishing.shared(healthy, 1 - share, seed=3)),
    )


def _components(plan: Plan, template: Mapping[str, Any]) -> Iterator[Watched]:
    components = list(plan["components"].values())

    def publish_for(tested: Plan) -> Callable[[Trace], Published]:
        def publish(trace: Trace) -> Published:
            found: dict[Metric, Series] = {}
            for component in components:
                per_minute = component["average_requests_per_second"] * 60
                days = trace.load.minutes // 1440
                its_trace = (
                    trace if component is tested else Trace(name="", load=day_and_night(per_minute, days))
                )
                new, old = _fleets(its_trace)
                found.update(
                    publishing.invocations(
                        new if old is None else new + old,
                        component_dimensions(component["component_name"]),
                        component["alarms"]["model_latency_p95"]["threshold"],
                        kind="component",
                    )
                )
            found.update(
                publishing.instances(
                    trace.load,
                    variant_dimensions(plan["endpoint_name"], plan["variant_name"]),
                    count=plan["initial_instance_count"],
                    vcpus=1,
                    gpus=0,
                )
            )
            return found

        return publish

    for name, component in plan["components"].items():
        rollout = component["rollout"]
        yield _watched(
            plan,
            template,
            name=f"{plan['name']}/{name}",
            bake_minutes=rollout["wait_interval_s"] * -(-100 // rollout["share_percent"]) // 60,
            traces=tuple(
                trace
                for trace in _serving_traces(
                    component["average_requests_per_second"] * 60,
                    instances=True,
                    rollout=rollout["share_percent"] / 100,
                )
                # Instances are shared: their processors belong to no component, and no alarm watches them.
                if trace.name != "processors are full"
            ),
            publish=publish_for(component),
        )


def _serverless(plan: Plan, template: Mapping[str, Any]) -> Watched:
    dimensions = variant_dimensions(plan["endpoint_name"], plan["variant_name"])
    has_provisioned = bool(plan["provisioned_concurrency"])

    def publish(trace: Trace) -> Published:
        requests = publishing.requests_of(trace.load)
        objective_ms = plan["alarms"]["model_latency_p95"]["threshold"]
        return {
            # A serverless endpoint publishes no InvocationModelErrors.
            metric: series
            for metric, series in (
                *publishing.invocations(requests, dimensions, objective_ms, kind="variant"),
                *publishing.cold_starts(
                    requests, dimensions, cold_start_s=plan["cold_start_s"], has_provisioned=has_provisioned
                ),
            )
            if metric[1] != "InvocationModelErrors"
        }

    return _watched(
        plan,
        template,
        traces=tuple(
            trace
            for trace in _serving_traces(_per_minute(plan), instances=False, rollout=None)
            # No metric of a serverless endpoint says so.
            if trace.name != "all requests hang"
        ),
        publish=publish,
    )


def _function(plan: Plan, template: Mapping[str, Any]) -> Watched:
    rollout = plan["rollout"]
    version = next(
        (
            f"{name}.Version"
            for name, resource in template["Resources"].items()
            if resource["Type"] == "AWS::Lambda::Version"
        ),
        None,
    )

    def publish(trace: Trace) -> Published:
        new, old = _fleets(trace)
        objective_ms = plan["alarms"]["duration_p95"]["threshold"]
        has_provisioned = bool(plan["provisioned_concurrency"])
        name = plan["function_name"]
        return dict(
            (
                *publishing.function(
                    new if old is None else new + old,
                    alias_dimensions(name),
                    objective_ms,
                    has_provisioned=has_provisioned,
                ),
                *publishing.function(
                    new, alias_dimensions(name, version), objective_ms, has_provisioned=has_provisioned
                ),
            )
        )

    return _watched(
        plan,
        template,
        bake_minutes=rollout["shift_s"] // 60 if rollout else 0,
        traces=tuple(
            _serving_traces(
                _per_minute(plan),
                instances=False,
                rollout=rollout["share_percent"] / 100 if rollout else None,
            )
        ),
        publish=publish,
    )


def _service(plan: Plan, template: Mapping[str, Any]) -> Watched:
    dimensions = tuple(
        (dimension, f"{name}.{attribute}")
        for dimension, attribute in (
            ("LoadBalancer", "LoadBalancerFullName"),
            ("TargetGroup", "TargetGroupFullName"),
        )
        for name, resource in template["Resources"].items()
        if resource["Type"] == f"AWS::ElasticLoadBalancingV2::{dimension}"
    )
    objective_ms = plan["alarms"]["model_latency_p95"]["threshold"]
    return _watched(
        plan,
        template,
        traces=tuple(
            _serving_traces(plan["average_requests_per_second"] * 60, instances=False, rollout=None)
        ),
        publish=lambda trace: dict(publishing.target_group(trace.load, dimensions, objective_ms)),
    )


def _per_minute(plan: Plan) -> float:
    return float(plan["requests_per_month"]) / SECONDS_PER_MONTH * 60


def _queue(plan: Plan, template: Mapping[str, Any]) -> Watched:
    traces = queue_traces(
        queue_dimensions(plan["endpoint_name"]),
        variant_dimensions(plan["endpoint_name"], plan["variant_name"]),
        requests_per_minute=plan["average_requests_per_second"] * 60,
        max_wait_minutes=plan["asynchronous"]["max_wait_s"] / 60,
        sleeps=plan["asynchronous"]["sleeps"],
    )
    return _of_events(plan, template, traces)


def _worker(plan: Plan, template: Mapping[str, Any]) -> Watched:
    (dead_letters,) = (
        f"{name}.QueueName"
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::SQS::Queue" and "RedrivePolicy" not in resource["Properties"]
    )
    queue, service = plan["queue"], plan.get("service_name")
    traces = worker_traces(
        queue["name"],
        dead_letters,
        (_name_of(queue["answers_topic_arn"]), _name_of(queue["failures_topic_arn"])),
        service_dimensions(plan["cluster"]["name"], service) if service else None,
        max_wait_minutes=queue["max_wait_s"] / 60,
        sleeps=queue["sleeps"],
    )
    return _of_events(plan, template, traces)


def _name_of(topic_arn: str) -> str:
    return topic_arn.rpartition(":")[2]


def _job(plan: Plan, template: Mapping[str, Any]) -> Watched:
    resources = template["Resources"]
    machine = next(
        name for name, resource in resources.items() if resource["Type"] == "AWS::StepFunctions::StateMachine"
    )
    queues = tuple(
        f"{name}.QueueName" for name, resource in resources.items() if resource["Type"] == "AWS::SQS::Queue"
    )
    return _of_events(plan, template, job_traces(machine, queues, is_training=plan["kind"] == "training-job"))


def _of_events(plan: Plan, template: Mapping[str, Any], traces: Iterator[tuple[Trace, Published]]) -> Watched:
    published = list(traces)
    by_name = {trace.name: series for trace, series in published}
    return _watched(
        plan,
        template,
        traces=tuple(trace for trace, _ in published),
        publish=lambda trace: by_name[trace.name],
    )
