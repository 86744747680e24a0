"""What is decided for a model whose pods work off a queue: the queue, the pods from zero on, and what the cluster must have."""

from typing import Any

import pytest

from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.scaling_policies import TargetTrackingPlan
from tests.targets.eks.builders import NAME, auto_mode, cluster, planned_worker, queued

ACCOUNT_TOPIC = "arn:aws:sns:us-east-1:111122223333:answers"


def faults(*args: Any, **kwargs: Any) -> list[str]:
    with pytest.raises(PlanError) as raised:
        planned_worker(queued(*args, **kwargs))
    return [f"{'.'.join(fault.key_path)}: {fault.reason}" for fault in raised.value.faults]


def on_sagemaker(**workload: Any) -> DeploymentPlan:
    return build_plan(queued(**workload, target=None), load_catalog("us-east-1"))


def test_pods_sleep_where_the_wait_allows_their_start() -> None:
    plan = planned_worker(queued())
    assert plan.queue.sleeps
    assert plan.scaling is not None
    assert plan.scaling.min_instance_count == 0
    assert not plan.runs_at_all_hours
    awake = planned_worker(queued(latency={"max_wait_minutes": 5}))
    assert not awake.queue.sleeps
    assert awake.scaling is not None
    assert awake.scaling.min_instance_count == 1


def test_the_same_needs_take_the_same_hardware_and_as_many() -> None:
    here, (there,) = planned_worker(queued()), on_sagemaker().endpoints
    assert there.instance_type == f"ml.{here.instance_type}"
    assert there.scaling is not None
    assert here.scaling is not None
    assert there.asynchronous is not None
    bounds = (here.scaling.min_instance_count, here.scaling.max_instance_count)
    assert bounds == (there.scaling.min_instance_count, there.scaling.max_instance_count)
    assert here.queue.invocation_timeout_s == there.asynchronous.invocation_timeout_s
    assert here.queue.output_prefix == there.asynchronous.output_prefix
    assert here.max_concurrent_requests == there.asynchronous.max_concurrent_invocations_per_instance


def test_a_pod_gets_what_it_works_off_in_time() -> None:
    plan = planned_worker(queued(scaling={"headroom": 0.5, "scale_out_cooldown_s": 30}))
    candidates = (plan.selection.chosen, *plan.selection.runners_up)
    rate = min(  # of the slowest type that the pool may launch
        candidate.estimate.capacity_requests_per_second
        for candidate in candidates
        if candidate.instance_type in plan.node_pool.instance_types
    )
    # 30 minutes, less a minute until SQS counts, twice 15 seconds and the cooldown until a pod is asked for, and 6 minutes.
    left_s = 1800 - (60 + 30 + 30) - 360 - plan.selection.chosen.estimate.p95_latency_ms / 1000
    assert plan.scaling is not None
    assert plan.scaling.signal == "backlog"
    assert plan.scaling.target_value == int(rate * 0.5 * left_s)


def test_without_time_a_pod_gets_what_it_works_on_at_once() -> None:
    plan = planned_worker(
        queued(latency={"max_wait_minutes": 2}, batching={"max_batch_size": 8, "max_delay_ms": 5})
    )
    (there,) = on_sagemaker(
        latency={"max_wait_minutes": 2}, batching={"max_batch_size": 8, "max_delay_ms": 5}
    ).endpoints
    assert there.scaling is not None
    assert plan.scaling is not None
    (track,) = there.scaling.policies
    assert isinstance(track, TargetTrackingPlan)
    assert plan.scaling.target_value == track.target_value == plan.max_concurrent_requests


def test_a_node_is_paid_until_it_goes() -> None:
    # 263 requests a month wake it 263 times: 6 minutes of start, 10 of an idle pod, and 5 of an empty node.
    estimate = planned_worker(queued()).selection.chosen.estimate
    assert estimate.instances_paid == pytest.approx(0.0001 * 3600 * (6 + 10 + 5) / 60, rel=0.001)


def test_an_address_is_known_before_the_queue_is() -> None:
    queue = planned_worker(queued()).queue
    assert queue.url == "https://sqs.us-east-1.amazonaws.com/111122223333/demo-dev-plants"
    assert queue.answers_topic_arn == "arn:aws:sns:us-east-1:111122223333:demo-dev-plants-answers"
    assert queue.failures_topic_arn == "arn:aws:sns:us-east-1:111122223333:demo-dev-plants-failures"


def test_a_topic_of_the_account_is_told_in_place_of_ours() -> None:
    queue = planned_worker(queued(notifications={"success_topic_arn": ACCOUNT_TOPIC})).queue
    assert queue.answers_topic_arn == queue.success_topic_arn == ACCOUNT_TOPIC
    assert queue.error_topic_arn is None


def test_a_fixed_number_of_pods_needs_no_scaler() -> None:
    bare = cluster(has=["pod-identity-agent", "nvidia-device-plugin", "network-policies"], prometheus=None)
    plan = planned_worker(queued(bare, scaling={"min_instances": 2, "max_instances": 2}))
    assert plan.scaling is None
    assert plan.initial_instance_count == 2
    assert plan.node_pool.max_nodes == 3


def test_what_the_cluster_lacks_is_told_with_the_reason() -> None:
    found = faults(cluster(has=[], prometheus=None), instances={"allowed_families": ["g5"]})
    assert [fault.partition(", which")[0] for fault in found] == [
        "clusters.main.has: lacks pod-identity-agent",
        "clusters.main.has: lacks nvidia-device-plugin",
        "clusters.main.has: lacks network-policies",
        "clusters.main.has: lacks keda",
    ]
    assert planned_worker(queued(auto_mode(has=["keda", "network-policies"], prometheus=None))).alarms


def test_zero_pods_that_would_not_wake_in_time_are_refused() -> None:
    (fault,) = faults(latency={"max_wait_minutes": 5}, scaling={"min_instances": 0})
    assert fault.startswith(f"workloads.{NAME}.scaling.min_instances: is 0, but an instance takes 6 minutes")


def test_alarms_are_those_that_a_queue_has_metrics_for() -> None:
    alarms = planned_worker(queued(alarms={"age_of_oldest_request": {"above_minutes": 20}})).alarms
    assert {name: alarm.threshold for name, alarm in alarms.items()} == {
        "age_of_oldest_request": 1200,
        "backlog_without_capacity": 0,
        "invocation_failures": 2.5,
    }
    assert faults(alarms={"expired_requests": {"above_count": 3}}) == [
        f"workloads.{NAME}.alarms.expired_requests: has no effect in a cluster: no metric of it is there"
    ]


@pytest.mark.parametrize("topic", ["success_topic_arn", "error_topic_arn"])
def test_a_topic_that_others_may_publish_to_counts_no_failures(topic: str) -> None:
    shared = {"notifications": {topic: ACCOUNT_TOPIC}}
    assert "invocation_failures" not in planned_worker(queued(**shared)).alarms
    (fault,) = faults(**shared, alarms={"invocation_failures": {"above_percent": 5}})
    assert fault.startswith(f"workloads.{NAME}.alarms.invocation_failures: has no effect")


def test_the_cheapest_place_may_be_a_queue_in_a_cluster() -> None:
    busy = {"peak_requests_per_second": 10, "average_requests_per_second": 1}
    (plan,) = build_plan(queued(target="cheapest", traffic=busy), load_catalog("us-east-1")).workloads
    assert plan.kind == "eks-queue-worker"


def test_requests_and_answers_expire_as_those_of_an_endpoint_do() -> None:
    here, there = (build_plan(queued(target=target), load_catalog("us-east-1")) for target in ("main", None))
    assert here.foundation.inference_data_expiry_days == there.foundation.inference_data_expiry_days
    assert here.foundation.inference_data_expiry_days is not None
