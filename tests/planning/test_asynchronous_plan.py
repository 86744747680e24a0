"""The decisions for an asynchronous endpoint: sleep, wake-up, the target for its backlog, and what they cost."""

import pytest

from sizewell.config.policy import Policy
from sizewell.instance_selection import (
    Catalog,
    NoFeasibleInstanceError,
    load_catalog,
    select_endpoint_instance,
)
from sizewell.instance_selection.counterfactuals import endpoint_counterfactuals
from sizewell.kinds.asynchronous_endpoint.alarms import asynchronous_alarm_faults
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.kinds.asynchronous_endpoint.needs import asynchronous_requirements
from sizewell.kinds.asynchronous_endpoint.plan import asynchronous_faults, plan_asynchronous_endpoint
from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.endpoint_plan_model import AsynchronousPlan, EndpointPlan, ScalingPlan
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.scaling_policies import MetricPlan, StepScalingPlan, TargetTrackingPlan
from tests.planning.builders import CNN, as_stated, policy
from tests.planning.builders import queue_endpoint as queue
from tests.planning.test_endpoint_plan import BURSTABLE, GPU_ONLY


def planned(
    of: AsynchronousEndpoint | None = None, catalog: Catalog = GPU_ONLY, under: Policy | None = None
) -> EndpointPlan:
    return plan_asynchronous_endpoint(as_stated("plants", of or queue(), under or policy(), catalog))


def parts(plan: EndpointPlan) -> tuple[AsynchronousPlan, ScalingPlan]:
    assert plan.asynchronous is not None
    assert plan.scaling is not None
    return plan.asynchronous, plan.scaling


def faults(of: AsynchronousEndpoint) -> list[tuple[str, str, str | None]]:
    plan = planned(of)
    found = (*asynchronous_faults(of, plan), *asynchronous_alarm_faults(plan))
    return [(".".join(one.key_path), one.reason, one.hint) for one in found]


def test_instances_sleep_where_the_wait_allows_their_start() -> None:
    plan = planned()
    asynchronous, scaling = parts(plan)

    assert asynchronous.sleeps
    assert asynchronous.why.startswith("instances sleep without work: an instance takes 6 minutes to start")
    assert scaling.min_instance_count == 0
    assert plan.initial_instance_count == 1, "the API makes no endpoint without an instance"


def test_a_sleeping_fleet_is_paid_while_it_is_awake() -> None:
    # 263 requests a month wake it 263 times, for 6 minutes of start and 10 of idleness each.
    plan = planned(catalog=load_catalog("us-east-1"))
    hours = 0.0001 * 730 * 3600 * 16 / 60
    assert plan.selection.chosen.estimate.instances_paid == pytest.approx(hours / 730)
    usd_per_hour = plan.selection.chosen.cost.usd_per_hour
    assert usd_per_hour is not None
    assert plan.selection.chosen.cost.usd_per_month == pytest.approx(hours * usd_per_hour)
    assert endpoint_line(plan, "us-east-1").items[0].usd_per_month == pytest.approx(hours * usd_per_hour)


def test_a_fleet_that_is_never_idle_is_paid_like_one_that_runs_all_the_time() -> None:
    busy = queue(traffic={"peak_requests_per_second": 10, "average_requests_per_second": 1})
    assert planned(busy).selection.chosen.estimate.instances_paid == 1
    by_day = {"peak_requests_per_second": 10, "average_requests_per_second": 1, "active_hours_per_day": 8}
    assert planned(queue(traffic=by_day)).selection.chosen.estimate.instances_paid == pytest.approx(1 / 3)


def test_a_wait_shorter_than_the_start_keeps_one_instance_and_says_so() -> None:
    plan = planned(queue(latency={"max_wait_minutes": 5}))
    asynchronous, scaling = parts(plan)

    assert not asynchronous.sleeps
    assert asynchronous.why.startswith(
        "one instance stays without work: an instance takes 6 minutes to start"
    )
    assert (scaling.min_instance_count, plan.selection.chosen.estimate.instances_paid) == (1, 1)
    assert [policy.name for policy in scaling.policies] == ["BacklogPerInstance"], "nothing has to wake"


def test_the_target_is_what_is_worked_off_in_time() -> None:
    # 30 minutes less 3 until more are asked for and 6 until they are there.
    plan = planned(queue(scaling={"headroom": 0.5}))
    estimate = plan.selection.chosen.estimate
    (track, _) = parts(plan)[1].policies
    assert isinstance(track, TargetTrackingPlan)
    left_s = 1800 - 540 - estimate.p95_latency_ms / 1000
    assert track.target_value == int(estimate.capacity_requests_per_second * 0.5 * left_s)
    assert "1,800 s of wait less 180 s until more instances are asked for, 360 s" in track.derivation
    assert track.metric == MetricPlan(
        namespace="AWS/SageMaker",
        name="ApproximateBacklogSizePerInstance",
        statistic="Average",
        dimensions={"EndpointName": "demo-dev-plants"},
    )


def test_without_time_the_target_is_what_an_instance_works_on_at_once() -> None:
    plan = planned(queue(latency={"max_wait_minutes": 2}, batching={"max_batch_size": 8, "max_delay_ms": 5}))
    asynchronous, scaling = parts(plan)
    (track,) = scaling.policies
    assert isinstance(track, TargetTrackingPlan)
    at_once = 8 * plan.selection.chosen.estimate.replicas_per_instance
    assert asynchronous.max_concurrent_invocations_per_instance == at_once
    assert track.target_value == at_once
    assert "leave no time for more to stand in the queue" in track.derivation


def test_a_step_wakes_the_first_instance() -> None:
    (_, wake) = parts(planned())[1].policies
    assert isinstance(wake, StepScalingPlan)
    assert isinstance(wake.metric, MetricPlan)
    assert (wake.metric.name, wake.metric.dimensions) == (
        "HasBacklogWithoutCapacity",
        {"EndpointName": "demo-dev-plants"},
    )
    assert (wake.comparison, wake.threshold) == ("GreaterThanOrEqualToThreshold", 1)
    assert [(step.lower_bound, step.adjustment) for step in wake.steps] == [(0, 1)]


def test_a_schedule_keeps_instances_awake_by_the_clock() -> None:
    schedules = {
        "mornings": {"at": "08:00", "min_instances": 1},
        "evenings": {"at": "20:00", "min_instances": 0},
    }
    plan = planned(queue(scaling={"schedules": schedules}))
    asynchronous, scaling = parts(plan)
    assert [one.min_instance_count for one in scaling.scheduled_actions] == [0, 1]
    assert asynchronous.sleeps
    asleep = 0.0001 * 16 * 60
    assert plan.selection.chosen.estimate.instances_paid == pytest.approx((1 + asleep) / 2)


def test_the_peak_sets_the_largest_fleet_and_not_the_type() -> None:
    few = planned(under=policy(max_endpoint_instances=1))
    assert parts(few)[1].max_instance_count == 1, "what comes above waits in the queue"
    many = planned(queue(traffic={"peak_requests_per_second": 5000, "average_requests_per_second": 0.0001}))
    assert parts(many)[1].max_instance_count == policy().max_endpoint_instances


def test_what_callers_state_ends_with_the_wait() -> None:
    asynchronous, _ = parts(planned(queue(latency={"max_wait_minutes": 400})))
    assert (asynchronous.invocation_timeout_s, asynchronous.request_ttl_s) == (3600, 21_600)
    asynchronous, _ = parts(planned(queue(latency={"max_wait_minutes": 0.5})))
    assert (asynchronous.invocation_timeout_s, asynchronous.request_ttl_s) == (30, 60)


def test_zero_instances_that_would_not_wake_in_time_are_a_fault() -> None:
    nights = {"at": "20:00", "min_instances": 0, "max_instances": 1}
    scaling = {"min_instances": 0, "schedules": {"nights": nights}}
    found = faults(queue(latency={"max_wait_minutes": 5}, scaling=scaling))
    assert [path for path, _, _ in found] == [
        "workloads.plants.scaling.min_instances",
        "workloads.plants.scaling.schedules.nights.min_instances",
    ]
    _, reason, hint = found[0]
    assert reason.startswith("is 0, but an instance takes 6 minutes to start and")
    assert reason.endswith("latency.max_wait_minutes is 5")
    assert hint == "write min_instances: 1, or raise latency.max_wait_minutes above 6.1"
    assert faults(queue(scaling=scaling)) == []


def test_a_payload_beyond_the_queue_is_a_fault() -> None:
    request = {"images": 1, "payload_mb": 1025, "response_mb": 1024}
    assert faults(queue(request=request)) == [
        (
            "workloads.plants.request.payload_mb",
            "is 1025 MB, but an asynchronous endpoint takes 1024 MB at most (1 GB)",
            "split what a request holds, or put the data into S3 and send its place",
        )
    ]


def test_a_wait_that_no_type_keeps_says_the_best_possible() -> None:
    slow = queue(
        model={**CNN, "forward_gflops_per_image": 1e8},
        latency={"max_wait_minutes": 0.5},
    )
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(slow)
    fault = no_feasible_fault("plants", slow, raised.value)
    assert fault.key_path == ("workloads", "plants", "latency", "max_wait_minutes")
    assert fault.hint is not None
    assert "is the least that any type reaches; allow more minutes" in fault.hint


def test_an_invocation_beyond_an_hour_is_not_a_question_of_waiting() -> None:
    slow = queue(model={**CNN, "forward_gflops_per_image": 1e9}, latency={"max_wait_minutes": 400})
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(slow)
    fault = no_feasible_fault("plants", slow, raised.value)
    assert fault.key_path == ("workloads", "plants", "request")
    assert fault.hint is not None
    assert fault.hint.startswith("SageMaker ends an invocation after 60 minutes")


def test_explain_asks_what_twice_the_wait_would_make_of_it() -> None:
    of = queue(latency={"max_wait_minutes": 5})
    needs, catalog = asynchronous_requirements(of, policy()), load_catalog("us-east-1")
    chosen = select_endpoint_instance(needs, catalog).chosen
    found = {one.change.name: one for one in endpoint_counterfactuals(needs, catalog, chosen)}

    assert "twice the latency" not in found
    wait = found["twice the wait"]
    assert (wait.change.key, wait.change.value) == ("latency.max_wait_minutes", 10)
    assert wait.pick is not None
    assert wait.pick.estimate.instances_paid < chosen.estimate.instances_paid == 1, "it may sleep then"


def test_a_burstable_type_neither_sleeps_nor_follows_the_queue() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(catalog=BURSTABLE, under=policy(allow_burstable=True))
    assert [rejection.filter for rejection in raised.value.nearest] == ["autoscaling"]


def test_the_budget_is_that_of_a_fleet_that_sleeps() -> None:
    catalog = load_catalog("us-east-1")
    cheapest = planned(catalog=catalog)
    month = cheapest.selection.chosen.cost.usd_per_month
    assert month is not None
    enough = planned(queue(max_usd_per_month=month * 1.01), catalog)
    assert enough.instance_type == cheapest.instance_type
    with pytest.raises(NoFeasibleInstanceError):
        planned(queue(max_usd_per_month=month * 0.9), catalog)


def test_alarms_follow_from_the_wait_and_may_be_off() -> None:
    plan = planned(queue(alarms={"disk_utilization": {"off_because": "it is small"}}))
    assert plan.alarms_off == {"disk_utilization": "it is small"}
    assert plan.alarms["age_of_oldest_request"].threshold == 1800
    assert plan.alarms["backlog_without_capacity"].evaluation_periods == 12, "twice the minutes of a start"
    assert plan.alarms["expired_requests"].datapoints_to_alarm == 1
    failures = plan.alarms["invocation_failures"]
    assert (failures.threshold, failures.period_s, failures.evaluation_periods) == (2.5, 86_400, 2)


def test_a_rollout_needs_an_alarm_that_calls_it_back() -> None:
    off = {"invocation_failures": {"off_because": "nobody acts on it"}}
    awake = {"min_instances": 2, "max_instances": 4}
    assert [path for path, _, _ in faults(queue(scaling=awake, alarms=off))] == [
        "workloads.plants.alarms.invocation_failures"
    ]
    assert faults(queue(alarms=off)) == [], "all at once, nothing calls back"
