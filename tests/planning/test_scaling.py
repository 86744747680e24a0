"""Policies of a variant: what their targets follow from, and what the hardware, the engine or the bounds rule out."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.config.policy import Policy
from sizewell.facts.scaling import HIGH_RESOLUTION_CONCURRENCY, INVOCATIONS_PER_INSTANCE
from sizewell.instance_selection import Catalog, Measurement
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.real_time_endpoint.plan import plan_endpoint
from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanError
from sizewell.planning.legality import legality_faults
from sizewell.planning.scaling_policies import (
    MetricMathPlan,
    MetricPlan,
    StepPlan,
    StepScalingPlan,
    TargetTrackingPlan,
)
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance, neuron_instance
from tests.planning.builders import (
    DECODER,
    NAMES,
    as_stated,
    endpoint,
    llm_endpoint,
    p95_alone_ms,
    planned_endpoint,
    policy,
)

GPU_ONLY = catalog(gpu_instance(vcpus=8, accelerator_count=4))
CPU_ONLY = catalog(cpu_instance(vcpus=16))
NEURON_ONLY = catalog(neuron_instance())
DIMENSIONS = {"EndpointName": "demo-dev-plants", "VariantName": "primary"}
BUSY = {"peak_requests_per_second": 2000, "average_requests_per_second": 200}


def planned(of: Catalog, stated: RealTimeEndpoint, under: Policy | None = None) -> EndpointPlan:
    return planned_endpoint(of, stated, under or policy(max_endpoint_instances=1000))


def tracked(of: Catalog, stated: RealTimeEndpoint) -> dict[str, TargetTrackingPlan]:
    scaling = planned(of, stated).scaling
    assert scaling is not None
    return {one.name: one for one in scaling.policies if isinstance(one, TargetTrackingPlan)}


def stepped(of: Catalog, steps: Mapping[str, Any], **scaling: Any) -> tuple[StepScalingPlan, ...]:
    plan = planned(of, endpoint(traffic=BUSY, scaling={"steps": steps, **scaling}))
    assert plan.scaling is not None
    return tuple(one for one in plan.scaling.policies if isinstance(one, StepScalingPlan))


def following(**track: Any) -> RealTimeEndpoint:
    return endpoint(
        traffic=BUSY, scaling={"track": {key.replace("_", "-"): one for key, one in track.items()}}
    )


def refused(
    of: Catalog, stated: RealTimeEndpoint, under: Policy | None = None
) -> list[tuple[str, str, str | None]]:
    with pytest.raises(PlanError) as error:
        planned(of, stated, under)
    return [(".".join(one.key_path[2:]), one.reason, one.hint) for one in error.value.faults]


def test_an_llm_engine_follows_the_requests_in_progress() -> None:
    stated = llm_endpoint(traffic={"peak_concurrent_users": 2000})
    estimate = planned(GPU_ONLY, stated).selection.chosen.estimate
    (policy,) = tracked(GPU_ONLY, stated).values()
    assert (policy.name, policy.metric) == ("ConcurrentRequestsPerModel", HIGH_RESOLUTION_CONCURRENCY)
    exact = estimate.capacity_concurrency * 0.7
    assert 0.99 * exact < policy.target_value <= exact
    assert policy.derivation == (
        f"{estimate.capacity_concurrency:,} requests in progress on one instance at its capacity less 30% that stay free"
    )
    assert list(legality_faults(planned(GPU_ONLY, stated), GPU_ONLY)) == []


def test_a_measured_capacity_bounds_the_requests_in_progress() -> None:
    # Little's law: at 2 requests/s, no more than 40 are in progress within the 20 seconds that each may take.
    stated = llm_endpoint(traffic={"peak_requests_per_second": 20, "average_requests_per_second": 5})
    measured = Measurement(
        instance_type="ml.g9.xlarge", max_requests_per_second=2.0, source="load test", date="2026-11-01"
    )
    plan = plan_endpoint(
        as_stated("plants", stated, policy(max_endpoint_instances=100), GPU_ONLY, NAMES, None, (measured,))
    )
    assert plan.selection.chosen.estimate.capacity_concurrency > 40
    assert plan.scaling is not None
    (tracking,) = plan.scaling.policies
    assert isinstance(tracking, TargetTrackingPlan)
    assert tracking.target_value == 28


def test_anything_else_follows_invocations() -> None:
    (tracking,) = tracked(GPU_ONLY, endpoint(traffic=BUSY)).values()
    assert tracking.metric == INVOCATIONS_PER_INSTANCE


def test_gpus_count_together() -> None:
    gpu = tracked(GPU_ONLY, following(gpu={}))["GPUUtilization"]
    assert gpu.metric == MetricPlan(
        namespace="/aws/sagemaker/Endpoints",
        name="GPUUtilization",
        statistic="Average",
        dimensions=DIMENSIONS,
    )
    estimate = planned(GPU_ONLY, following(gpu={})).selection.chosen.estimate
    busy = estimate.capacity_requests_per_second * estimate.service_time_ms / 1000
    assert gpu.target_value == pytest.approx(busy * 100 * 0.7, rel=0.01)
    assert 0 < gpu.target_value <= 400
    assert gpu.derivation.endswith(
        "of the GPUs busy at the capacity of one instance less 30% that stay free, x 4 GPUs"
    )


def test_gpus_that_hold_no_part_of_the_model_stay_idle() -> None:
    # 30 GiB of weights are split over two of three GPUs.
    three = catalog(gpu_instance(accelerator_count=3))
    stated = llm_endpoint(
        engine="eager",
        model={**DECODER, "parameters_millions": 15_000},
        traffic={"peak_concurrent_users": 200},
        latency={"max_p95_ms": 60_000},
        scaling={"track": {"gpu": {}}},
    )
    gpu = tracked(three, stated)["GPUUtilization"]
    assert gpu.derivation.startswith("67% of the GPUs busy")
    assert gpu.target_value == 139  # 2/3 x 70 % x 300, rounded down


def test_a_cpu_computes_on_all_of_its_vcpus() -> None:
    cpu = tracked(CPU_ONLY, following(cpu={}))["CPUUtilization"]
    estimate = planned(CPU_ONLY, following(cpu={})).selection.chosen.estimate
    busy = (
        estimate.capacity_requests_per_second
        * estimate.service_time_ms
        / 1000
        / estimate.replicas_per_instance
    )
    assert cpu.target_value == pytest.approx(100 * busy * 0.7 * 16, rel=0.01)
    assert cpu.derivation.endswith(", x 16 vCPUs")


def test_a_stated_target_says_its_unit_and_metric_math_has_the_variants_dimensions() -> None:
    sessions = {"namespace": "Company/Chat", "name": "Sessions", "statistic": "Maximum"}
    busy = {"namespace": "AWS/SageMaker", "name": "ConcurrentRequestsPerModel", "statistic": "Maximum"}
    own = {"target": 3, "metrics": {"open": sessions, "busy": busy}, "expression": "open / busy"}
    found = tracked(GPU_ONLY, following(gpu_memory={"target": 60}, sessions=own))
    assert {name: (one.target_value, one.derivation) for name, one in found.items()} == {
        "GPUMemoryUtilization": (240, "stated: 60 percent, x 4 GPUs"),
        "sessions": (3, "stated: 3 sessions"),
    }
    assert found["sessions"].metric == MetricMathPlan(
        expression="open / busy",
        metrics={
            "open": MetricPlan(**sessions, dimensions={}),
            "busy": MetricPlan(**busy, dimensions=DIMENSIONS),
        },
    )


def test_latency_follows_the_objective_where_a_lone_request_keeps_it() -> None:
    assert tracked(GPU_ONLY, following(latency={}))["ModelLatency"].target_value == 700_000
    ((key, reason, _),) = refused(GPU_ONLY, following(latency={"target": 1}))
    assert key == "scaling.track.latency"
    assert re.match(
        r"would keep 1 ms, but one request alone takes [\d.]+ ms \(p95\): more instances never", reason
    )


def test_steps_on_one_metric_are_one_policy_from_the_threshold_outwards() -> None:
    steps = {
        "very-slow": {"metric": "latency", "above": 800, "add": 3},
        "slow": {"metric": "latency", "above": 400, "add": 1},
        "busy": {"metric": "cpu", "above": 90, "add": 2},
    }
    latency, cpu = stepped(GPU_ONLY, steps)
    assert (latency.name, latency.comparison, latency.threshold) == ("slow", "GreaterThanThreshold", 400_000)
    assert latency.steps == (
        StepPlan(lower_bound=0, upper_bound=400_000, adjustment=1),
        StepPlan(lower_bound=400_000, upper_bound=None, adjustment=3),
    )
    assert (latency.period_s, latency.datapoints_to_alarm, latency.cooldown_s) == (60, 1, 60)
    assert latency.derivation == "latency above 400 milliseconds adds 1, above 800 milliseconds adds 3"
    assert (cpu.name, cpu.threshold) == ("busy", 720)


def test_steps_alone_also_remove() -> None:
    steps = {
        "up": {"metric": "gpu", "above": 60, "add": 2},
        "down": {"metric": "gpu", "below": 20, "remove": 1},
        "far-down": {"metric": "gpu", "below": 5, "remove": 4},
    }
    up, down = stepped(GPU_ONLY, steps, track={})
    assert (up.threshold, up.comparison) == (240, "GreaterThanThreshold")
    assert (down.threshold, down.comparison, down.datapoints_to_alarm) == (80, "LessThanThreshold", 15)
    assert down.steps == (
        StepPlan(lower_bound=-60, upper_bound=0, adjustment=-1),
        StepPlan(lower_bound=None, upper_bound=-60, adjustment=-4),
    )
    assert down.cooldown_s == 300


def test_each_metric_that_an_alarm_reads_is_paid() -> None:
    one = {"namespace": "Company/Chat", "name": "Sessions"}
    joined = {"metrics": {"a": one, "b": one}, "expression": "a / b"}
    stated = endpoint(
        traffic=BUSY,
        scaling={
            "track": {"invocations": {}, "sessions": {"target": 3, **joined}},
            "steps": {
                "slow": {"metric": "latency", "above": 400, "add": 1},
                "crowd": {"above": 9, "add": 1, **joined},
            },
        },
    )
    plan = planned(GPU_ONLY, stated)
    line = endpoint_line(plan, "us-east-1")
    usd = {item.name: item.usd_per_month for item in line.items if item.service == "CloudWatch"}
    of_alarm = 0.1
    assert usd == pytest.approx(
        {
            "alarm": of_alarm * (len(plan.alarms) - 1),
            # Errors, those of clients, and requests; slow requests and all.
            "alarm metric": of_alarm * (2 + 3 + 2),
            "alarm of target tracking": of_alarm * 2 * (1 + 2),
        }
    )


NO_GPU = "has no NVIDIA GPU, and no metric of one"
FILLED = (
    "an llm-engine reserves GPU memory when it starts and keeps GPUs busy with one request: neither says how much more an "
    "instance can carry"
)


@pytest.mark.parametrize("of", [CPU_ONLY, NEURON_ONLY])
def test_gpu_metrics_need_nvidia_gpus(of: Catalog) -> None:
    stated = endpoint(
        traffic=BUSY,
        scaling={
            "track": {"gpu": {"target": 50}},
            "steps": {"full": {"metric": "gpu-memory", "above": 90, "add": 1}},
        },
    )
    found = refused(of, stated)
    assert [key for key, _, _ in found] == ["scaling.track.gpu", "scaling.steps.full"]
    assert all(reason.endswith(NO_GPU) for _, reason, _ in found)


@pytest.mark.parametrize("signal", ["gpu", "gpu-memory"])
def test_an_llm_engine_fills_gpus(signal: str) -> None:
    stated = llm_endpoint(
        traffic={"peak_concurrent_users": 2000}, scaling={"track": {signal: {"target": 90}}}
    )
    assert refused(GPU_ONLY, stated) == [
        (f"scaling.track.{signal}", f"cannot follow {signal}: {FILLED}", "take concurrency, or invocations")
    ]


@pytest.mark.parametrize(
    ("of", "stated", "key", "words"),
    [
        (GPU_ONLY, following(cpu={}), "cpu", "the accelerators of ml.g9.xlarge compute"),
        (GPU_ONLY, following(gpu_memory={}), "gpu-memory", "a model takes its memory when it is loaded"),
        (CPU_ONLY, following(concurrency={}), "concurrency", "it would be 0.7 requests in progress"),
        (
            GPU_ONLY,
            endpoint(
                traffic=BUSY,
                scaling={"track": {"gpu": {}}},
                batching={"max_batch_size": 8, "max_delay_ms": 5},
            ),
            "gpu",
            "batches fill before they take longer",
        ),
    ],
)
def test_where_nothing_gives_a_target_it_must_be_stated(
    of: Catalog, stated: RealTimeEndpoint, key: str, words: str
) -> None:
    ((found, reason, hint),) = refused(of, stated)
    assert found == f"scaling.track.{key}"
    assert reason.startswith(f"has no target that follows from the plan: {words}")
    assert hint == "state target, as a load test of one instance shows it, or track invocations"


def test_pools_of_types_follow_invocations() -> None:
    two = catalog(gpu_instance(), gpu_instance("ml.g9.2xlarge"))
    llm = {"traffic": {"peak_concurrent_users": 2000}, "instance_pools": {}}
    (tracking,) = tracked(two, llm_endpoint(**llm)).values()
    assert tracking.metric == INVOCATIONS_PER_INSTANCE
    ((key, reason, hint),) = refused(
        two, llm_endpoint(**llm, scaling={"track": {"concurrency": {"target": 8}}})
    )
    assert (key, hint) == ("scaling.track.concurrency", "take invocations, or remove instance_pools")
    assert "where instance_pools mix instance types" in reason


def test_a_fixed_number_of_instances_follows_nothing() -> None:
    steps = {"slow": {"metric": "latency", "above": 400, "add": 1}}
    fixed = endpoint(
        scaling={"min_instances": 2, "max_instances": 2, "track": {"invocations": {}}, "steps": steps}
    )
    found = refused(GPU_ONLY, fixed)
    assert [key for key, _, _ in found] == ["scaling.track.invocations", "scaling.steps.slow"]
    assert {reason for _, reason, _ in found} == {"has no effect: the number of instances is always 2"}


def test_burstable_types_follow_nothing() -> None:
    burstable = catalog(cpu_instance("ml.t2.large", burstable=True))
    stated = endpoint(scaling={"track": {"invocations": {}}})
    ((_, reason, _),) = refused(burstable, stated, policy(allow_burstable=True))
    assert reason == "has no effect: burstable types cannot be autoscaled, and the pick is ml.t2.large"


def test_a_metric_has_one_target() -> None:
    cpu = {"namespace": "/aws/sagemaker/Endpoints", "name": "CPUUtilization"}
    ((key, reason, _),) = refused(
        GPU_ONLY, following(cpu={"target": 50}, ours={"target": 300, "metrics": {"cpu": cpu}})
    )
    assert key == "scaling.track.ours"
    assert reason == "tracks the metric of cpu, and AWS takes one target for a metric"


def test_two_steps_begin_at_two_values() -> None:
    steps = {name: {"metric": "cpu", "above": 60, "add": 1} for name in ("one", "two")}
    ((key, _, _),) = refused(GPU_ONLY, endpoint(traffic=BUSY, scaling={"steps": steps}))
    assert key == "scaling.steps.two"


def test_where_latency_leaves_room_for_one_request_an_llm_engine_follows_invocations() -> None:
    only = catalog(gpu_instance())
    latency = {"max_p95_ms": 1.01 * p95_alone_ms(only)}
    tight = llm_endpoint(latency=latency, traffic={"peak_concurrent_users": 40})
    assert list(tracked(only, tight)) == ["InvocationsPerInstance"]
