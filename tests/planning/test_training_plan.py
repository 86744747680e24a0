"""The decisions for a training job: ladder, method, schedule, hyperparameters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.instance_selection.catalog.catalog import SpotHistory
from sizewell.kinds.training_job.plan import spot_faults
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.build import build_plan
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan
from sizewell.planning.training_plan_model import FileSystemPlan
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance
from tests.planning.builders import (
    container,
    environment,
    llm_training_job,
    planned_job,
    policy,
    training_job,
)

PRICES = {f"ml.g{n}.xlarge": 1.0 + 0.1 * n for n in range(1, 9)}
#: Eight GPU types of the same speed, each a little more expensive than the one before.
MANY = catalog(*(gpu_instance(name) for name in PRICES), usd_per_hour=PRICES)
#: Enough memory for adapters of the decoder, too little for the states of all its weights.
SMALL_GPU = gpu_instance(accelerator_memory_gib=10.0)


def test_ladder_has_five_rungs_cheapest_first() -> None:
    attempts = planned_job(MANY).attempts
    assert [attempt.instance_type for attempt in attempts] == [f"ml.g{n}.xlarge" for n in range(1, 6)]


def test_ladder_goes_down_the_ranking_across_kinds_of_hardware_each_with_its_image() -> None:
    mixed = catalog(
        gpu_instance("ml.g1.xlarge"),
        cpu_instance("ml.c9.xlarge"),
        gpu_instance("ml.g2.xlarge"),
        usd_per_hour={"ml.g1.xlarge": 1, "ml.c9.xlarge": 5, "ml.g2.xlarge": 100},
    )
    plan = planned_job(mixed)
    assert [c.instance_type for c in plan.selection.runners_up] == ["ml.c9.xlarge", "ml.g2.xlarge"]
    asked = [(one.instance_type, one.hardware, one.image.uri.rpartition("/")[2]) for one in plan.attempts]
    gpu, cpu = (container()["images"][kind] for kind in ("cuda", "cpu_x86_64"))
    assert asked == [
        ("ml.g1.xlarge", "cuda", f"{gpu['repository']}:{gpu['tag']}"),
        ("ml.c9.xlarge", "cpu_x86_64", f"{cpu['repository']}:{cpu['tag']}"),
        ("ml.g2.xlarge", "cuda", f"{gpu['repository']}:{gpu['tag']}"),
    ]


def test_ladder_of_a_pinned_type_has_one_rung() -> None:
    plan = planned_job(MANY, training_job(instances={"instance_type": "ml.g3.xlarge"}))
    assert [attempt.instance_type for attempt in plan.attempts] == ["ml.g3.xlarge"]


SPOT = {"spot": {"enabled": True}, "checkpoint": {"interval_minutes": 15}}
#: Long enough for every Spot attempt that the ladder has room for.
PATIENT: dict[str, Any] = {"deadline_hours": 40, **SPOT}
ALLOWED = policy(allow_spot=True)


def rungs(plan: TrainingJobPlan) -> list[tuple[str, bool]]:
    return [(attempt.instance_type, attempt.spot) for attempt in plan.attempts]


def test_spot_ladder_ends_on_demand_on_the_two_best_types_that_are_cheapest_there() -> None:
    spot = {
        f"ml.g{n}.xlarge": SpotHistory(
            savings_percent=90 - 10 * n, interruption_band="<5%", as_of="2026-01-01"
        )
        for n in range(1, 9)
    }
    dear_first = catalog(
        *(gpu_instance(name) for name in PRICES),
        usd_per_hour={f"ml.g{n}.xlarge": 2.0 - 0.01 * n for n in range(1, 9)},
        spot=spot,
    )
    assert rungs(planned_job(dear_first, training_job(**PATIENT), ALLOWED)) == [
        ("ml.g1.xlarge", True),
        ("ml.g2.xlarge", True),
        ("ml.g3.xlarge", True),
        ("ml.g5.xlarge", False),
        ("ml.g4.xlarge", False),
    ]


def test_spot_ladder_of_one_candidate_tries_it_on_spot_and_then_on_demand() -> None:
    job = training_job(instances={"instance_type": "ml.g3.xlarge"}, **SPOT)
    assert rungs(planned_job(MANY, job, ALLOWED)) == [("ml.g3.xlarge", True), ("ml.g3.xlarge", False)]


def test_spot_ladder_without_fallback_has_five_rungs_and_none_on_demand() -> None:
    job = training_job(**PATIENT | {"spot": {"enabled": True, "on_demand_fallback": False}})
    assert rungs(planned_job(MANY, job, ALLOWED)) == [(f"ml.g{n}.xlarge", True) for n in range(1, 6)]


def test_ladder_without_spot_is_on_demand_throughout() -> None:
    assert not any(spot for _, spot in rungs(planned_job(MANY)))


def test_auto_trains_all_weights_where_they_fit() -> None:
    plan = planned_job(catalog(gpu_instance(accelerator_memory_gib=80.0)), llm_training_job(method="auto"))
    assert plan.method == "full"
    assert plan.hyperparameters["sizewell_method"] == "full"
    assert any(line.startswith("method: all weights") for line in plan.selection.assumptions)


def test_auto_falls_back_to_adapters_and_says_why() -> None:
    plan = planned_job(catalog(SMALL_GPU), llm_training_job(method="auto"))
    assert plan.method == "lora"
    assert plan.hyperparameters["sizewell_method"] == "lora"
    (why,) = (line for line in plan.selection.assumptions if line.startswith("method:"))
    assert why.startswith(
        "method: adapters, because no type trains all weights; the nearest, ml.g9.xlarge: memory: needs"
    )


def test_stated_method_is_not_replaced() -> None:
    with pytest.raises(NoFeasibleInstanceError):
        planned_job(catalog(SMALL_GPU), llm_training_job(method="full"))


@pytest.mark.parametrize(
    ("schedule", "expression"),
    [
        ({"every": "day", "at": "23:05"}, "cron(5 23 * * ? *)"),
        ({"every": "week", "weekday": "SAT", "at": "02:00"}, "cron(0 2 ? * SAT *)"),
        ({"every": "month", "day_of_month": 28}, "cron(0 3 28 * ? *)"),
    ],
    ids=["day", "week", "month"],
)
def test_schedule_is_a_cron_expression_of_six_fields(schedule: dict[str, object], expression: str) -> None:
    plan = planned_job(MANY, training_job(schedule=schedule)).schedule
    assert plan is not None
    assert plan.expression == expression
    assert len(expression.removeprefix("cron(").split()) == 6


def test_schedule_keeps_its_time_zone_and_switch() -> None:
    schedule = {"every": "day", "time_zone": "Europe/Berlin", "enabled": False}
    plan = planned_job(MANY, training_job(schedule=schedule)).schedule
    assert plan is not None
    assert (plan.time_zone, plan.enabled) == ("Europe/Berlin", False)


def test_job_without_a_schedule_is_started_by_people() -> None:
    assert planned_job(MANY).schedule is None


def test_hyperparameters_are_sorted_texts() -> None:
    stated = {"lr": 0.0001, "epochs": 90, "amp": True, "name": "Plants"}
    job = training_job(container=container(hyperparameters=stated), batch_size_per_accelerator=128)
    assert list(planned_job(MANY, job).hyperparameters.items()) == [
        ("amp", "true"),
        ("batch_size_per_accelerator", "128"),
        ("epochs", "90"),
        ("lr", "0.0001"),
        ("name", "Plants"),
        ("sizewell_method", "full"),
    ]


def test_what_the_user_states_wins() -> None:
    job = training_job(container=container(hyperparameters={"batch_size_per_accelerator": 7}))
    assert planned_job(MANY, job).hyperparameters["batch_size_per_accelerator"] == "7"


@pytest.mark.parametrize("prefix", ["datasets/plants", "datasets/plants/"])
def test_dataset_prefix_has_no_trailing_slash(prefix: str) -> None:
    dataset = {"prefix": prefix, "size_gib": 1, "examples": 1000}
    assert planned_job(MANY, training_job(dataset=dataset)).channels == {"training": "datasets/plants"}


def test_attempts_on_demand_share_the_deadline() -> None:
    plan = planned_job(MANY, training_job(deadline_hours=1.5))
    assert (plan.spot, plan.deadline_s, plan.checkpoint) == (False, 5400, None)
    assert {attempt.ends_after_s for attempt in plan.attempts} == {5400}


@given(st.floats(1, 28 * 24), st.none() | st.floats(0.5, 600), st.booleans(), st.floats(0, 1))
def test_attempts_end_in_turn_and_leave_a_run_on_demand_its_time_before_the_deadline(
    deadline_hours: float, max_wait_hours: float | None, fallback: bool, margin: float
) -> None:
    spot: dict[str, Any] = {"enabled": True, "on_demand_fallback": fallback}
    if fallback and max_wait_hours is not None and max_wait_hours < deadline_hours:
        spot["max_wait_hours"] = max_wait_hours
    job = training_job(**{**SPOT, "spot": spot}, deadline_hours=deadline_hours, margin=margin)
    plan = planned_job(MANY, job, ALLOWED)
    ends_s = [attempt.ends_after_s for attempt in plan.attempts]
    estimate = plan.selection.chosen.estimate
    assert ends_s == sorted(ends_s)
    assert ends_s[-1] == plan.deadline_s <= deadline_hours * 3600
    on_spot_s = [attempt.ends_after_s for attempt in plan.attempts if attempt.spot]
    if fallback:
        assert estimate.on_demand_hours is not None
        run_s = estimate.on_demand_hours * (1 + margin) * 3600
        assert on_spot_s[-1] <= plan.deadline_s - run_s + 1
        assert on_spot_s[-1] <= spot.get("max_wait_hours", deadline_hours) * 3600
        assert len(on_spot_s) == 1 or on_spot_s[0] >= run_s - 1, "or no attempt could end"
    else:
        assert on_spot_s == ends_s


def test_a_deadline_that_leaves_no_time_for_spot_is_a_fault() -> None:
    estimate = planned_job(MANY, training_job(**PATIENT), ALLOWED).selection.chosen.estimate
    assert estimate.on_demand_hours is not None
    tight = planned_job(
        MANY, training_job(**SPOT, deadline_hours=estimate.on_demand_hours + 0.4, margin=0), ALLOWED
    )
    (fault,) = spot_faults(tight)
    assert fault.key_path == ("workloads", "plants-train", "spot", "enabled")
    assert fault.reason.endswith("and Spot 0.4 h for its start and a first checkpoint")
    assert list(spot_faults(planned_job(MANY, training_job(**PATIENT), ALLOWED))) == []


def test_checkpoints_are_kept_below_the_name_of_the_job() -> None:
    plan = planned_job(MANY, training_job(**PATIENT), ALLOWED)
    assert plan.checkpoint is not None
    assert (plan.checkpoint.prefix, plan.checkpoint.interval_minutes) == ("plants-train", 15)


def test_job_without_code_runs_the_entry_point_of_its_image() -> None:
    assert planned_job(MANY).code is None


def test_code_names_a_prefix_without_a_trailing_slash_and_a_command() -> None:
    code = {"prefix": "code/plants/", "command": ["bash", "launch.sh"]}
    plan = planned_job(MANY, training_job(container=container(code=code))).code
    assert plan is not None
    assert (plan.prefix, plan.command) == ("code/plants", ("bash", "launch.sh"))


@pytest.mark.parametrize("command", [[], ["x"] * 97, ["x" * 257], [""], ["$HOME/train.py"], ["a\nb"]])
def test_command_that_an_entry_point_cannot_hold_is_refused(command: list[str]) -> None:
    with pytest.raises(ValidationError, match="command"):
        training_job(container=container(code={"prefix": "code", "command": command}))


def test_assumptions_say_how_fast_the_dataset_must_be_streamed() -> None:
    dataset = {"prefix": "data", "size_gib": 10, "examples": 1000, "epochs": 3}
    selection = planned_job(MANY, training_job(dataset=dataset)).selection
    hours = selection.chosen.estimate.duration_hours
    assert selection.assumptions[-1] == (
        f"Amazon S3 streams the dataset at {10 * 1024 * 3 / (hours * 3600):,.1f} MiB/s (10 GiB x 3 in {hours:,.1f} h)"
    )


def test_more_channels_are_prefixes_by_name() -> None:
    job = training_job(channels={"validation": "datasets/held-out/", "labels": "datasets/labels"})
    plan = planned_job(MANY, job)
    assert list(plan.channels.items())[1:] == [
        ("labels", "datasets/labels"),
        ("validation", "datasets/held-out"),
    ]


LUSTRE = {
    "type": "fsx-lustre",
    "id": "fs-01234567",
    "directory": "/fsx/plants",
    "security_group_id": "sg-01234567",
    "subnet_id": "subnet-0123abcd",
}
EFS = {**LUSTRE, "type": "efs", "id": "fs-0123456789abcdef0", "directory": "/", "subnet_id": None}


def test_file_systems_are_channels_whose_groups_let_training_in_once() -> None:
    dataset = {"file_system": LUSTRE, "size_gib": 10, "examples": 1000}
    network = {"mode": "existing", "vpc_id": "vpc-0123abcd", "subnet_ids": ["subnet-0123abcd"]}
    job = training_job(dataset=dataset, channels={"b": "b/"}, file_systems={"a": EFS, "c": LUSTRE})
    plan = build_plan(environment({"one": job, "two": job}, network=network), MANY)
    (one, _) = plan.of(TrainingJobPlan)
    assert list(one.channels) == ["training", "a", "b", "c"]
    assert one.channels["training"] == FileSystemPlan(
        type="FSxLustre", id="fs-01234567", directory="/fsx/plants", subnet_id="subnet-0123abcd"
    )
    assert one.channels["b"] == "b"
    assert one.selection.assumptions[-1].startswith("the file system fs-01234567 must give the dataset at ")
    assert isinstance(plan.foundation.network, ExistingNetworkPlan)
    assert [dict(group) for group in plan.foundation.network.mounted_groups] == [
        {"type": "EFS", "security_group_id": "sg-01234567"},
        {"type": "FSxLustre", "security_group_id": "sg-01234567"},
    ]
