"""The decisions for an endpoint: count, scaling, time-outs, image."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanError
from sizewell.planning.scaling import three_digits
from sizewell.planning.scaling_policies import TargetTrackingPlan
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance, neuron_instance
from tests.planning.builders import (
    IMAGE,
    container,
    endpoint,
    environment,
    llm_endpoint,
    planned_endpoint,
    policy,
)

GPU_ONLY = catalog(gpu_instance())
BURSTABLE = catalog(cpu_instance("ml.t2.large", burstable=True))


def busy_endpoint(peak: float = 2000, average: float = 200, **scaling: object) -> RealTimeEndpoint:
    """Return an endpoint whose peak needs several instances."""
    traffic = {"peak_requests_per_second": peak, "average_requests_per_second": average}
    return endpoint(traffic=traffic, scaling=scaling)


def test_target_is_the_capacity_of_a_minute_without_the_headroom_rounded_down() -> None:
    plan = planned_endpoint(GPU_ONLY, busy_endpoint(headroom=0.25), policy(max_endpoint_instances=100))
    exact = plan.selection.chosen.estimate.capacity_requests_per_second * 60 * 0.75
    assert plan.scaling is not None
    (tracking,) = plan.scaling.policies
    assert isinstance(tracking, TargetTrackingPlan)
    assert tracking.derivation.endswith("of one instance less 25% that stay free, x 60 s")
    target = tracking.target_value
    assert 0.99 * exact < target <= exact
    assert target == float(f"{target:.3g}")


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_rounding_down_loses_less_than_one_percent_and_never_gains(value: float) -> None:
    rounded = three_digits(value)
    assert 0.99 * value < rounded <= value
    assert three_digits(rounded) == rounded


@pytest.mark.parametrize(
    ("value", "rounded"), [(2.3, 2.3), (1239.9, 1230.0), (0.12345, 0.123), (999.9, 999.0)]
)
def test_three_digits(value: float, rounded: float) -> None:
    assert three_digits(value) == rounded


def test_fleet_starts_at_average_load_and_may_grow_half_above_its_peak() -> None:
    plan = planned_endpoint(GPU_ONLY, busy_endpoint(), policy(max_endpoint_instances=100))
    estimate = plan.selection.chosen.estimate
    assert estimate.instances_at_peak > estimate.instances_at_average
    assert plan.initial_instance_count == estimate.instances_at_average
    assert plan.scaling is not None
    assert plan.scaling.max_instance_count == math.ceil(1.5 * estimate.instances_at_peak)
    assert plan.scaling.min_instance_count == 1


def test_policy_caps_the_fleet() -> None:
    peak = planned_endpoint(
        GPU_ONLY, busy_endpoint(), policy(max_endpoint_instances=100)
    ).selection.chosen.estimate.instances_at_peak
    plan = planned_endpoint(GPU_ONLY, busy_endpoint(), policy(max_endpoint_instances=peak))
    assert plan.scaling is not None
    assert plan.scaling.max_instance_count == peak


def test_stated_maximum_is_kept() -> None:
    plan = planned_endpoint(GPU_ONLY, endpoint(scaling={"max_instances": 9}))
    assert plan.scaling is not None
    assert plan.scaling.max_instance_count == 9


def test_stated_maximum_below_the_peak_is_rejected() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned_endpoint(GPU_ONLY, busy_endpoint(max_instances=1))
    assert [rejection.filter for rejection in raised.value.nearest] == ["throughput"]


def test_least_number_of_instances_runs_from_the_start() -> None:
    plan = planned_endpoint(GPU_ONLY, under=policy(min_endpoint_instances=3))
    assert plan.initial_instance_count == 3
    assert plan.scaling is not None
    assert plan.scaling.min_instance_count == 3


def test_equal_bounds_fix_the_number_of_instances() -> None:
    plan = planned_endpoint(GPU_ONLY, endpoint(scaling={"min_instances": 2, "max_instances": 2}))
    assert plan.scaling is None
    assert plan.initial_instance_count == 2


def test_burstable_type_runs_at_its_peak_count_without_scaling() -> None:
    workload = endpoint(
        traffic={"peak_requests_per_second": 20, "average_requests_per_second": 0.1},
        latency={"max_p95_ms": 30_000},
    )
    plan = planned_endpoint(BURSTABLE, workload, policy(allow_burstable=True, max_endpoint_instances=100))
    assert plan.scaling is None
    assert plan.initial_instance_count == plan.selection.chosen.estimate.instances_at_peak > 1


def test_burstable_type_with_a_range_of_instances_is_rejected() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned_endpoint(BURSTABLE, endpoint(scaling={"max_instances": 3}), policy(allow_burstable=True))
    assert [rejection.filter for rejection in raised.value.nearest] == ["autoscaling"]


def test_cooldowns_are_those_of_the_workload() -> None:
    plan = planned_endpoint(GPU_ONLY, endpoint(scaling={"scale_out_cooldown_s": 5, "scale_in_cooldown_s": 7}))
    assert plan.scaling is not None
    (tracking,) = plan.scaling.policies
    assert isinstance(tracking, TargetTrackingPlan)
    assert (tracking.scale_out_cooldown_s, tracking.scale_in_cooldown_s) == (5, 7)


def test_pinned_type_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownInstanceTypeError) as raised:
        planned_endpoint(GPU_ONLY, endpoint(instances={"instance_type": "ml.g9.xlrage"}))
    assert raised.value.near_matches == ("ml.g9.xlarge",)


@pytest.mark.parametrize(
    ("size_gib", "timeout_s"), [(0.1, 1801), (50, 2300), (400, 3600)], ids=["small", "large", "at the limit"]
)
def test_time_outs_grow_with_the_artifact_up_to_the_limit(size_gib: float, timeout_s: int) -> None:
    artifact = {"key": "model/", "compression": "none", "size_gib": size_gib}
    plan = planned_endpoint(GPU_ONLY, endpoint(container=container(artifact=artifact)))
    assert plan.model_data_download_timeout_s == timeout_s
    assert plan.container_startup_health_check_timeout_s == timeout_s


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ({}, ("least-outstanding-requests", True)),
        ({"routing": "random", "detailed_metrics": False}, ("random", False)),
    ],
)
def test_routing_and_metrics_are_as_stated(stated: dict[str, object], found: tuple[str, bool]) -> None:
    plan = planned_endpoint(GPU_ONLY, endpoint(**stated))
    assert (plan.routing, plan.detailed_metrics) == found
    is_paid_by_use = "CloudWatch detailed metrics" in endpoint_line(plan, "us-east-1").paid_by_use
    assert is_paid_by_use is plan.detailed_metrics


def test_image_is_the_one_for_the_chosen_hardware() -> None:
    images = {"cpu_x86_64": {**IMAGE, "tag": "cpu"}, "cuda": {**IMAGE, "tag": "gpu"}}
    workload = endpoint(container=container(images=images, artifact={"key": "model.tar.gz"}))
    on_cpu = planned_endpoint(catalog(cpu_instance()), workload)
    on_gpu = planned_endpoint(GPU_ONLY, workload)
    assert on_cpu.image is not None
    assert on_cpu.image.uri.endswith("/pytorch-inference:cpu")
    assert on_gpu.image is not None
    assert on_gpu.image.uri.endswith("/pytorch-inference:gpu")


def test_only_nvidia_gpus_are_counted() -> None:
    four = gpu_instance("ml.g9.12xlarge", accelerator_count=4)
    bert = endpoint(
        model={
            "architecture": "encoder",
            "parameters_millions": 110,
            "layers": 12,
            "hidden_size": 768,
        },
        request={"input_tokens": 128},
    )
    assert planned_endpoint(catalog(four), bert).gpu_count == 4
    assert planned_endpoint(catalog(neuron_instance()), bert).gpu_count == 0


def test_llm_engine_on_a_gpu_has_no_alarm_on_the_gpu() -> None:
    plan = planned_endpoint(GPU_ONLY, llm_endpoint())
    assert plan.alarms_off.keys() >= {"gpu_utilization", "gpu_memory_utilization"}
    assert not plan.alarms.keys() & plan.alarms_off.keys()


def test_environment_variables_are_sorted() -> None:
    variables = {"B": "2", "A": "1"}
    workload = endpoint(container=container(artifact={"key": "model.tar.gz"}, environment=variables))
    assert list(planned_endpoint(GPU_ONLY, workload).environment) == ["A", "B"]


def test_reservation_is_passed_through() -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"
    instance_type = gpu_instance()
    reserved = endpoint(capacity_reservation_arn=arn, instances={"instance_type": instance_type.name})
    assert planned_endpoint(catalog(instance_type), reserved).capacity_reservation_arn == arn
    assert planned_endpoint(catalog(instance_type)).capacity_reservation_arn is None


BATCHING = {"max_batch_size": 8, "max_delay_ms": 5}


def batched(repository: str) -> EndpointPlan:
    images = {"cuda": {**IMAGE, "repository": repository}}
    served = container(images=images, artifact={"key": "models/a.tar.gz"}, environment={"LOG_LEVEL": "info"})
    four = catalog(gpu_instance(accelerator_count=4))
    return planned_endpoint(four, endpoint(batching=BATCHING, container=served))


@pytest.mark.parametrize(
    ("repository", "variables"),
    [
        (
            "pytorch-inference",
            {
                "SAGEMAKER_TS_BATCH_SIZE": "8",
                "SAGEMAKER_TS_MAX_BATCH_DELAY": "5",
                "SAGEMAKER_TS_MAX_WORKERS": "4",
                "SAGEMAKER_TS_MIN_WORKERS": "4",
            },
        ),
        (
            "tensorflow-inference",
            {
                "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "60",
                "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "5000",
                "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
                "SAGEMAKER_TFS_MAX_BATCH_SIZE": "8",
                "SAGEMAKER_TFS_NUM_BATCH_THREADS": "4",
            },
        ),
        ("djl-inference", {"SERVING_BATCH_SIZE": "8", "SERVING_MAX_BATCH_DELAY": "5"}),
        ("sagemaker-tritonserver", {}),
    ],
)
def test_server_of_an_image_is_told_how_to_batch(repository: str, variables: dict[str, str]) -> None:
    plan = batched(repository)
    assert plan.environment == {"LOG_LEVEL": "info", **variables}
    assert list(plan.environment) == sorted(plan.environment)
    assumed = " ".join(plan.selection.assumptions)
    assert "up to 8 requests in one pass; the first waits 5 ms for others" in assumed
    assert "the handler of the model computes a batch in one pass" in assumed
    assert ("sagemaker-tritonserver is told to batch in the artifact" in assumed) == (not variables)


def test_pools_are_the_ranked_alternatives_and_scale_by_the_slowest() -> None:
    known = catalog(
        gpu_instance("ml.g1.xlarge"),
        gpu_instance("ml.g2.xlarge"),
        gpu_instance("ml.g3.xlarge"),
        usd_per_hour={"ml.g1.xlarge": 1.0, "ml.g2.xlarge": 2.0, "ml.g3.xlarge": 3.0},
    )

    def planned(**changes: Any) -> EndpointPlan:
        stated = environment({"plants": endpoint(scaling={"max_instances": 9}, **changes)})
        (plan,) = build_plan(stated, known).endpoints
        return plan

    plain, pooled = planned(), planned(instance_pools={"max_types": 2, "provision_timeout_s": 600})
    assert plain.provisioned_pools is None
    assert pooled.provisioned_pools is not None
    assert pooled.provisioned_pools.instance_types == plain.instance_pools[:2] == pooled.instance_pools[:2]
    assert pooled.provisioned_pools.provision_timeout_s == 600
    assert [name for _, name, _ in pooled.quotas] == [
        *(f"{name} for endpoint usage" for name in pooled.provisioned_pools.instance_types),
        "Number of instances across active endpoints",
    ]
    assert pooled.scaling is not None
    slowest = min(
        candidate.estimate.capacity_requests_per_second
        for candidate in (pooled.selection.chosen, *pooled.selection.runners_up)
        if candidate.instance_type in pooled.provisioned_pools.instance_types
    )
    (policy,) = pooled.scaling.policies
    assert isinstance(policy, TargetTrackingPlan)
    assert policy.target_value == pytest.approx(slowest * 60 * 0.7, rel=0.01)


def test_a_pool_of_one_is_refused() -> None:
    stated = endpoint(instance_pools={}, instances={"instance_type": "ml.g1.xlarge"})
    with pytest.raises(PlanError) as raised:
        build_plan(environment({"plants": stated}), catalog(gpu_instance("ml.g1.xlarge")))
    (fault,) = raised.value.faults
    assert fault.key_path == ("workloads", "plants", "instance_pools")
    assert "ml.g1.xlarge is the only type" in fault.reason


def test_pools_do_not_go_with_a_reservation() -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"
    stated = endpoint(
        instance_pools={}, instances={"instance_type": "ml.g1.xlarge"}, capacity_reservation_arn=arn
    )
    with pytest.raises(PlanError) as raised:
        build_plan(environment({"plants": stated}), catalog(gpu_instance("ml.g1.xlarge")))
    reasons = [fault.reason for fault in raised.value.faults]
    assert any("instance pools does not go with capacity reservation" in reason for reason in reasons)
