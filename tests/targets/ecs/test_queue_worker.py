"""What works off a queue in a cluster of ECS: the tasks from zero on, what they scale by, and the stack."""

import json
from typing import Any

import numpy as np
import pytest

from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.scaling_policies import MetricMathPlan, StepScalingPlan, TargetTrackingPlan
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from tests.targets.conftest import Synthesized, of_type, resources
from tests.targets.ecs.builders import NAME, cluster, planned_worker, queued
from tools.benchmarks.alarm_replay.expressions import value_of


def policies(plan: EcsQueueWorkerPlan) -> tuple[TargetTrackingPlan, StepScalingPlan]:
    track, wake = plan.policies
    assert isinstance(track, TargetTrackingPlan)
    assert isinstance(wake, StepScalingPlan)
    return track, wake


def value(policy: TargetTrackingPlan | StepScalingPlan, **counts: float | None) -> float:
    """Return what the metric of a policy is; None is a metric without data."""
    assert isinstance(policy.metric, MetricMathPlan)
    assert policy.metric.metrics.keys() == counts.keys()
    series = {name: np.array([np.nan if one is None else one]) for name, one in counts.items()}
    return float(value_of(policy.metric.expression, series)[0])


def test_tasks_follow_the_backlog_of_each_as_instances_of_sagemaker_do() -> None:
    track, _ = policies(planned_worker(queued()))
    assert value(track, waiting=30, in_progress=2, running=4) == 8
    # Without a task there is no backlog of each: nothing comes or goes, and the other policy wakes the first one.
    assert np.isnan(value(track, waiting=30, in_progress=0, running=0))
    (there,) = build_plan(queued(target=None), load_catalog("us-east-1")).endpoints
    assert there.scaling is not None
    # A minute more goes by until SQS counts.
    assert (
        0
        < track.target_value
        < next(
            policy.target_value for policy in there.scaling.policies if isinstance(policy, TargetTrackingPlan)
        )
    )


@pytest.mark.parametrize(
    ("waiting", "desired", "wakes"),
    [(1, 0, True), (1, None, True), (1, 1, False), (0, 0, False), (None, 0, False)],
)
def test_the_first_request_wakes_one_task(waiting: float | None, desired: float | None, wakes: bool) -> None:
    _, wake = policies(planned_worker(queued()))
    assert (value(wake, waiting=waiting, desired=desired) >= wake.threshold) == wakes
    assert [(step.lower_bound, step.adjustment) for step in wake.steps] == [(0, 1)]


def test_a_fleet_that_never_sleeps_has_nothing_to_wake() -> None:
    plan = planned_worker(queued(latency={"max_wait_minutes": 5}))
    assert [policy.name for policy in plan.policies] == ["BacklogPerTask"]
    assert planned_worker(queued(cluster(), scaling={"min_instances": 1, "max_instances": 1})).policies == ()


def test_tasks_that_nobody_counts_are_refused() -> None:
    with pytest.raises(PlanError) as raised:
        planned_worker(queued(cluster()))
    (fault,) = raised.value.faults
    assert fault.key_path == ("clusters", "web", "container_insights")
    assert fault.reason.startswith(f"is not true, but {NAME} scales by the backlog of each task")


def test_a_deployment_of_no_task_has_room_for_one() -> None:
    plan = planned_worker(queued())
    assert plan.scaling is not None
    assert plan.scaling.min_instance_count == 0
    assert plan.max_tasks == 2 * plan.scaling.max_instance_count


def test_tasks_reach_queue_and_topics_from_a_vpc_of_their_own() -> None:
    network = build_plan(queued(), load_catalog("us-east-1")).foundation.network
    assert {"ecs", "ecs-agent", "sns", "sqs", "logs"} <= {one.service for one in network.interface_endpoints}


@pytest.fixture(scope="module")
def template(synthesized: Synthesized) -> dict[str, Any]:
    return resources(synthesized("ecs-queue-worker", "prod"), "speech-prod-transcribe")


@pytest.mark.cdk
def test_the_worker_ends_before_its_model_and_has_time_for_its_answer(template: dict[str, Any]) -> None:
    (definition,) = of_type(template, "AWS::ECS::TaskDefinition")
    loader, model, worker = definition["ContainerDefinitions"]
    assert (loader["Name"], model["Name"], worker["Name"]) == ("load-model", "model", "worker")
    assert worker["DependsOn"] == [{"Condition": "START", "ContainerName": "model"}]
    assert worker["Image"] == model["Image"]
    assert worker["EntryPoint"] == ["python3", "-c"]
    assert worker["StopTimeout"] == 1800 + 30
    assert [container.get("ReadonlyRootFilesystem") for container in (loader, model, worker)] == [
        True,
        None,
        True,
    ]
    assert "PortMappings" not in worker
    told = {variable["Name"] for variable in worker["Environment"]}
    assert told >= {"QUEUE_URL", "OUTPUT_URI", "AWS_REGION", "MAX_RECEIVES", "ERROR_TOPIC_ARN"}
    # API reference: RegisterTaskDefinition takes 64 KiB.
    assert len(json.dumps(definition)) < 64 * 1024


@pytest.mark.cdk
def test_nobody_calls_the_tasks_and_they_may_be_none(template: dict[str, Any]) -> None:
    (service,) = of_type(template, "AWS::ECS::Service")
    assert "LoadBalancers" not in service
    assert "DesiredCount" not in service
    (target,) = of_type(template, "AWS::ApplicationAutoScaling::ScalableTarget")
    assert target["MinCapacity"] == 0
    assert target["ResourceId"] == "service/company-web/speech-prod-transcribe"
    assert of_type(template, "AWS::ElasticLoadBalancingV2::LoadBalancer") == []
