"""Bounds by the clock: how long each holds, what the bill counts, and what the plan makes of them."""

from typing import Any

import pytest

from sizewell.config.scaling import ScalingSchedule
from sizewell.facts.cron import cron_fault
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.scaling_schedules import hours_per_week, schedule_warnings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, planned_endpoint, policy

GPU_ONLY = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})
WORKDAYS = ("MON", "TUE", "WED", "THU", "FRI")
MORNINGS = {"weekdays": WORKDAYS, "at": "06:30", "min_instances": 4}
NIGHTS = {"weekdays": WORKDAYS, "at": "20:00", "max_instances": 3}


def schedules(**given: dict[str, Any]) -> dict[str, ScalingSchedule]:
    return {name: ScalingSchedule.model_validate(one) for name, one in given.items()}


def planned(**scaling: Any) -> EndpointPlan:
    return planned_endpoint(GPU_ONLY, endpoint(scaling=scaling), policy(max_endpoint_instances=20))


def test_a_schedule_holds_until_the_next_one_begins_also_over_the_end_of_the_week() -> None:
    assert hours_per_week(schedules(mornings=MORNINGS, nights=NIGHTS)) == {"mornings": 67.5, "nights": 100.5}
    sunday = {"weekdays": ["SUN"], "at": "23:30"}
    assert hours_per_week(schedules(late=sunday, early={"weekdays": ["MON"], "at": "00:15"})) == {
        "late": 0.75,
        "early": 167.25,
    }
    assert hours_per_week(schedules(only=sunday)) == {"only": 168}


def test_actions_say_the_bounds_that_a_schedule_leaves_out() -> None:
    scaling = planned(
        min_instances=2,
        max_instances=8,
        schedules={"nights": NIGHTS, "mornings": MORNINGS, "noon": {"at": "12:05"}},
    ).scaling
    assert scaling is not None
    found = [
        (a.name, a.schedule, a.min_instance_count, a.max_instance_count) for a in scaling.scheduled_actions
    ]
    assert found == [
        ("mornings", "cron(30 6 ? * MON,TUE,WED,THU,FRI *)", 4, 8),
        ("nights", "cron(0 20 ? * MON,TUE,WED,THU,FRI *)", 2, 3),
        ("noon", "cron(5 12 * * ? *)", 2, 8),
    ]
    assert all(cron_fault(action.schedule[5:-1]) is None for action in scaling.scheduled_actions)
    assert scaling.fewest_instances == 2


def test_days_stand_in_the_order_of_the_week() -> None:
    scaling = planned(
        schedules={"some": {"weekdays": ["SUN", "TUE"], "at": "01:00", "min_instances": 2}}
    ).scaling
    assert scaling is not None
    assert scaling.scheduled_actions[0].schedule == "cron(0 1 ? * TUE,SUN *)"


def test_a_stated_least_number_raises_the_largest_that_nobody_stated() -> None:
    scaling = planned(schedules={"fair": {"at": "09:00", "min_instances": 12}}).scaling
    assert scaling is not None
    assert scaling.max_instance_count < 12
    assert scaling.scheduled_actions[0].max_instance_count == 12


def test_bounds_that_are_one_number_scale_when_a_schedule_widens_them() -> None:
    assert planned(min_instances=2, max_instances=2).scaling is None
    scaling = planned(
        min_instances=2, max_instances=2, schedules={"fair": {"at": "09:00", "max_instances": 6}}
    ).scaling
    assert scaling is not None
    assert (scaling.min_instance_count, scaling.max_instance_count) == (2, 2)


def test_a_rollout_needs_two_instances_at_every_hour() -> None:
    assert (
        planned(min_instances=2, schedules={"days": {"at": "09:00", "min_instances": 4}}).rollout is not None
    )
    assert planned(min_instances=2, schedules={"nights": {"at": "20:00", "min_instances": 1}}).rollout is None


def amounts(**scaling: Any) -> dict[str, float | None]:
    of = environment({"plants": endpoint(scaling=scaling)}, policy=policy(max_endpoint_instances=20))
    line: BillLine = build_plan(of, GPU_ONLY).bill.lines[0]
    return {item.name: item.usd_per_month for item in line.items}


def test_the_bill_counts_the_bounds_of_each_hour() -> None:
    # One instance carries the average: 67.5 hours with four at least, 100.5 with two.
    fixed = amounts(min_instances=1)
    found = amounts(min_instances=2, schedules={"mornings": MORNINGS, "nights": NIGHTS})
    count = (67.5 * 4 + 100.5 * 2) / 168
    assert found["ml.g9.xlarge instances"] == pytest.approx(730 * count)
    assert fixed["endpoint volumes"]
    assert found["endpoint volumes"] == pytest.approx(fixed["endpoint volumes"] * count)


def test_an_upper_bound_below_the_average_load_is_paid_for_as_it_is() -> None:
    busy = {"peak_requests_per_second": 2000, "average_requests_per_second": 1000}
    of = endpoint(
        traffic=busy,
        scaling={
            "min_instances": 1,
            "schedules": {"days": {"at": "08:00"}, "nights": {"at": "20:00", "max_instances": 1}},
        },
    )
    estimate = planned_endpoint(GPU_ONLY, of, policy(max_endpoint_instances=100)).selection.chosen.estimate
    assert estimate.instances_at_average > 1
    assert estimate.instances_paid == pytest.approx((estimate.instances_at_average + 1) / 2)


def test_a_schedule_below_the_peak_is_warned_of_and_none_that_carries_it_is_a_fault() -> None:
    busy = {"peak_requests_per_second": 2000, "average_requests_per_second": 100}
    small = {"at": "20:00", "max_instances": 1}
    of = endpoint(traffic=busy, scaling={"schedules": {"days": {"at": "08:00"}, "nights": small}})
    plan = build_plan(environment({"plants": of}, policy=policy(max_endpoint_instances=100)), GPU_ONLY)
    peak = plan.endpoints[0].selection.chosen.estimate.instances_at_peak
    assert list(schedule_warnings(plan)) == [
        f"plants: nights allows 1 at most, and the peak needs {peak} instances: it must not come in those 84 hours of a week"
    ]
    with pytest.raises(
        Exception, match=f"throughput: {peak} instances carry the peak, at most 1 are allowed"
    ):
        build_plan(
            environment(
                {"plants": endpoint(traffic=busy, scaling={"schedules": {"always": small}})},
                policy=policy(max_endpoint_instances=100),
            ),
            GPU_ONLY,
        )
