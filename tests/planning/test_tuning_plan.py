"""The decisions for a tuning job: types, time and money of all its trainings, names, and what it says where nothing will do."""

from typing import Any

import pytest

from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.kinds.tuning_job.config import TuningJob
from sizewell.kinds.tuning_job.plan import plan_tuning_job
from sizewell.kinds.tuning_job.plan_model import TuningJobPlan
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.job_bill import training_line
from sizewell.planning.lock import locked_workload
from sizewell.planning.names import Names
from tests.instance_selection.builders import catalog, gpu_instance, neuron_instance
from tests.planning.builders import NAMES, as_stated, planned_job, policy, training_job

PRICES = {f"ml.g{n}.xlarge": 1.0 + 0.1 * n for n in range(1, 8)}
#: GPU types of the same speed, each a little more expensive than the one before; the second has disks of its own.
MANY = catalog(
    *(
        gpu_instance(name, local_storage_gb=250.0, local_storage_nvme=name == "ml.g2.xlarge")
        for name in PRICES
    ),
    usd_per_hour=PRICES,
)
SEARCH = {
    "objective": {"metric": "loss", "goal": "minimize", "regex": "loss=([0-9.]+)"},
    "ranges": {
        "rate": {"type": "continuous", "min": 1e-5, "max": 0.1, "scaling": "logarithmic"},
        "fast": {"type": "categorical", "values": [True, False]},
    },
    "max_jobs": 10,
    "max_parallel_jobs": 4,
}
SPOT: dict[str, Any] = {"spot": {"enabled": True}, "checkpoint": {"interval_minutes": 15}}


def tuning(search: dict[str, Any] | None = None, **changes: Any) -> TuningJob:
    """Return a tuning of ten trainings, four at a time, each of 24 hours at most."""
    default = training_job().model_dump(exclude_unset=True)
    stated = {**default, "kind": "tuning-job", "search": {**SEARCH, **(search or {})}, **changes}
    return TuningJob.model_validate(stated)


def planned(search: dict[str, Any] | None = None, **changes: Any) -> TuningJobPlan:
    return plan_tuning_job(as_stated("tune", tuning(search, **changes), policy(allow_spot=True), MANY))


def fault(search: dict[str, Any] | None = None, **changes: Any) -> Any:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(search, **changes)
    return no_feasible_fault("tune", tuning(search, **changes), raised.value)


def test_time_and_money_are_of_all_trainings_in_their_waves() -> None:
    plan, one = planned(), planned_job(MANY).selection.chosen.estimate
    assert plan.selection.chosen.estimate == one
    assert plan.duration_hours == pytest.approx(3 * one.duration_hours)
    assert plan.usd_per_run == pytest.approx(10 * (one.usd_per_run or 0))
    assert plan.estimate_of_run.duration_range_hours == pytest.approx(
        [3 * hours for hours in one.duration_range_hours or ()]
    )
    assert plan.selection.assumptions[-2:] == (
        "what is said of a run is of one training: a tuning has 10, 4 at a time",
        f"a tuning takes {plan.duration_hours:,.1f} h at most, 3 trainings one after another, and {plan.usd_per_run:,.2f} USD "
        "at most",
    )


def test_what_early_stopping_saves_is_not_promised() -> None:
    told = "how much less it takes where bad trainings are ended early is not estimated"
    stopped = planned({"early_stopping": True})
    assert told in stopped.selection.assumptions
    assert told not in planned().selection.assumptions
    assert stopped.duration_hours == planned().duration_hours


@pytest.mark.parametrize(("runs", "counted"), [(2.5, 25), (None, 10)])
def test_the_bill_counts_every_training(runs: float | None, counted: int) -> None:
    plan = planned(runs_per_month=runs)
    estimate = plan.selection.chosen.estimate
    instances, volumes, _ = training_line(plan, "eu-west-1").items
    assert instances.usd_per_month == pytest.approx(counted * (estimate.usd_per_run or 0))
    one = training_line(planned_job(MANY, training_job(runs_per_month=1)), "eu-west-1").items[1]
    assert volumes.usd_per_month == pytest.approx(counted * (one.usd_per_month or 0))


def test_types_have_disks_as_the_first_and_are_five_at_most() -> None:
    plan = planned()
    assert plan.instance_pools == tuple(f"ml.g{n}.xlarge" for n in (1, 3, 4, 5, 6))
    assert [(one.encrypt_volume_with_key, one.spot) for one in plan.attempts] == [(True, False)] * 5


def test_a_volume_holds_the_checkpoints_of_all_trainings() -> None:
    """They share one location, and what a training that was stopped has left there comes to each later one."""
    model = {**training_job().model.model_dump(), "parameters_millions": 2**29 / 1e6}
    many, alone = (planned({"max_jobs": n, "max_parallel_jobs": 1}, model=model, **SPOT) for n in (10, 1))
    assert many.attempts[0].volume_size_gib - alone.attempts[0].volume_size_gib == 9 * 3 * 6


def test_on_spot_every_training_has_all_of_its_time_and_no_part_on_demand() -> None:
    plan = planned(**SPOT)
    assert {(one.spot, one.ends_after_s) for one in plan.attempts} == {(True, 24 * 3600)}
    assert (plan.deadline_s, plan.search.max_runtime_s) == (24 * 3600, 3 * 24 * 3600)
    hours = plan.selection.chosen.estimate.duration_hours
    tight = planned(**{**SPOT, "checkpoint": {"interval_minutes": 1}}, deadline_hours=1.05 * hours, margin=0)
    assert tight.selection.chosen.estimate.spot_hours == tight.selection.chosen.estimate.duration_hours


def test_types_are_of_one_kind_of_hardware() -> None:
    neuron = neuron_instance("ml.trn9.xlarge")
    mixed = catalog(*MANY.instance_types, neuron, usd_per_hour={**PRICES, neuron.name: 1.15})
    assert neuron.name in planned_job(mixed).instance_pools
    plan = plan_tuning_job(as_stated("tune", tuning(), policy(), mixed))
    assert {(one.hardware, one.image.uri) for one in plan.attempts} == {("cuda", plan.image.uri)}


@pytest.mark.parametrize(
    ("search", "changes", "seconds"),
    [
        ({}, {}, 3 * 24 * 3600),
        ({"max_jobs": 400}, {}, 30 * 24 * 3600),
        ({}, {"total_deadline_hours": 30.5}, 109_800),
    ],
)
def test_a_tuning_ends_by_its_deadline(search: dict[str, Any], changes: dict[str, Any], seconds: int) -> None:
    assert planned(search, **changes).search.max_runtime_s == seconds


def test_ranges_are_texts_as_a_request_takes_them() -> None:
    shape, rate = planned().search.ranges
    assert (shape.name, shape.kind, shape.values) == ("fast", "Categorical", ("true", "false"))
    assert (rate.name, rate.values, rate.scaling_type) == ("rate", ("1e-05", "0.1"), "Logarithmic")


def test_hyperband_knows_the_epochs_of_a_training() -> None:
    dataset = {**training_job().dataset.model_dump(exclude_none=True), "epochs": 9}
    assert planned({"strategy": "hyperband"}, dataset=dataset).search.hyperband_max_resource == 9
    assert planned(dataset=dataset).search.hyperband_max_resource is None


def test_names_of_tuning_jobs_are_short() -> None:
    assert planned().job_name_prefix == "demo-dev-tune"
    long = Names("demo-platfrm", "staging", "111122223333", "us-east-1")
    prefix = plan_tuning_job(
        as_stated("tune-the-images-of-all", tuning(), policy(), MANY, long)
    ).job_name_prefix
    other = Names("demo-platfrm", "prod", "111122223333", "us-east-1").tuning_job("tune-the-images-of-all")
    assert prefix.startswith("tune-the-images-")
    assert len(prefix) <= 23
    assert prefix != other


def test_what_is_locked_is_kept() -> None:
    locked = locked_workload(planned(instances={"instance_type": "ml.g4.xlarge"}))
    plan = plan_tuning_job(as_stated("tune", tuning(), policy(), MANY, NAMES, locked))
    assert plan.attempts[0].instance_type == "ml.g4.xlarge"
    assert locked_workload(plan).instance_pools == plan.instance_pools


def test_each_training_must_fit_its_part_of_the_whole() -> None:
    hours = planned().selection.chosen.estimate.duration_hours
    total = 2.5 * hours
    found = fault(total_deadline_hours=total, deadline_hours=0.9 * total)
    assert found.key_path == ("workloads", "tune", "total_deadline_hours")
    assert "is the least that any type reaches; each of 3 trainings one after another may take" in found.hint
    assert "raise search.max_parallel_jobs" in found.hint
    assert planned({"max_parallel_jobs": 5}, total_deadline_hours=total, deadline_hours=0.9 * total)


def test_a_single_training_that_is_too_slow_is_a_fault_of_its_own_deadline() -> None:
    assert fault(deadline_hours=0.02).key_path == ("workloads", "tune", "deadline_hours")


def test_a_budget_is_of_the_whole_tuning() -> None:
    usd = planned().usd_per_run or 0
    assert planned(max_usd_per_run=1.01 * usd)
    # A type that may miss the deadline is up to a tenth cheaper.
    found = fault(max_usd_per_run=0.9 * usd)
    assert found.key_path == ("workloads", "tune", "max_usd_per_run")
    assert "max_usd_per_run: " in found.hint
    assert "each of 10 trainings has an equal part of it" in found.hint


def test_trainings_side_by_side_each_use_up_the_quota() -> None:
    plan = planned()
    counts = {name: count for _, name, count in plan.quotas}
    assert counts[f"{plan.attempts[0].instance_type} for training job usage"] == 4
    assert counts["Number of instances across all training jobs"] == 4
