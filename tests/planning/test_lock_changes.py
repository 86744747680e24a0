"""What a refresh keeps and what it picks anew, what a check lets pass, and what a plan says of its lock."""

from functools import partial
from typing import Any

import pytest

from sizewell.config.policy import Policy
from sizewell.instance_selection import Catalog
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.lock import LockedEnvironment, lock_of
from sizewell.planning.lock_changes import (
    LockChange,
    Planner,
    check_lock,
    refresh_lock,
    saving_percent,
    worthwhile_savings,
)
from sizewell.planning.lock_notes import lock_summary, lock_warnings
from sizewell.planning.plan import DeploymentPlan
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance
from tests.planning.builders import endpoint, environment, llm_training_job, policy, training_job

GPUS = ("ml.g1.xlarge", "ml.g2.xlarge", "ml.g3.xlarge")
PRICES = {"ml.g1.xlarge": 1.0, "ml.g2.xlarge": 2.0, "ml.g3.xlarge": 3.0}
PLANTS = endpoint()


def market(*names: str, **changed: float) -> Catalog:
    """Return a catalog of GPU types; g1=5 is the price of ml.g1.xlarge."""
    prices = PRICES | {f"ml.{family}.xlarge": price for family, price in changed.items()}
    return catalog(*map(gpu_instance, names or GPUS), usd_per_hour=prices)


def planner(known: Catalog, under: Policy | None = None, **workloads: Any) -> Planner:
    of = environment(workloads or {"plants": PLANTS}, policy=under or policy())
    plan = partial(build_plan, of, known)
    return lambda lock: plan(lock=lock)


def locked(plan: Planner) -> LockedEnvironment:
    return lock_of(plan(None))


def change(plan: Planner, old: LockedEnvironment, percent: float = 10, *update: str) -> LockChange:
    """Return the one change of a refresh."""
    _, (found,) = refresh_lock(plan, old, percent, update)
    return found


OLD = locked(planner(market()))


def test_a_first_lock_takes_the_best_picks() -> None:
    new, (found,) = refresh_lock(planner(market()), None, 10)
    assert new == OLD
    assert (found.before, found.reason, found.changes_pick) == (None, "new", True)
    plants = new.workloads["plants"]
    assert plants.instance_pools == GPUS
    assert (plants.instance_count, plants.peak_instance_count, plants.method) == (1, 1, None)
    assert (plants.usd_per_hour, plants.usd_per_month) == (1.0, 730.0)
    assert (plants.price_basis, plants.price_date) == ("published", "2026-01-31")


@pytest.mark.parametrize(
    ("price", "percent", "pick", "reason"),
    [
        (0.91, 10, "ml.g1.xlarge", "kept: ml.g2.xlarge would save only 9.0 %"),
        (0.9, 10, "ml.g2.xlarge", "saves 10.0 %, at least 10 % is asked"),
        (0.5, 60, "ml.g1.xlarge", "kept: ml.g2.xlarge would save only 50.0 %"),
        (0.99, 0, "ml.g2.xlarge", "saves 1.0 %, at least 0 % is asked"),
        (1.5, 0, "ml.g1.xlarge", "kept: still the best"),
    ],
)
def test_a_price_below_the_threshold_keeps_the_pick(
    price: float, percent: float, pick: str, reason: str
) -> None:
    plan = planner(market(g2=price))
    found = change(plan, OLD, percent)
    assert found.after is not None
    assert (found.after.instance_type, found.reason) == (pick, reason)
    assert check_lock(plan(OLD), OLD) == ()
    savings = worthwhile_savings(plan(OLD), percent)
    assert [s.reason for s in savings] == ([f"ml.g2.xlarge {reason}"] if pick == "ml.g2.xlarge" else [])


def test_a_kept_pick_costs_what_it_costs_today() -> None:
    found = change(planner(market(g1=1.5)), OLD)
    assert found.before is not None
    assert found.after is not None
    assert (found.before.usd_per_month, found.after.usd_per_month) == (730.0, 1095.0)
    assert (found.changes_pick, found.is_notable) == (False, True)


def test_nothing_new_is_not_notable() -> None:
    assert not change(planner(market()), OLD).is_notable


def test_an_unknown_price_saves_nothing_that_is_known() -> None:
    unpriced = catalog(*map(gpu_instance, GPUS), usd_per_hour={"ml.g2.xlarge": 2.0})
    found = change(planner(unpriced), OLD)
    assert (found.changes_pick, found.reason) == (False, "kept: what ml.g2.xlarge would save is unknown")


def test_an_update_takes_the_best_pick_whatever_it_saves() -> None:
    found = change(planner(market(g2=0.99)), OLD, 10, "plants")
    assert found.after is not None
    assert (found.after.instance_type, found.reason) == ("ml.g2.xlarge", "updated")


def test_the_plan_follows_the_lock_and_says_what_that_costs() -> None:
    plan = planner(market(g2=0.91))(OLD)
    (plants,) = plan.endpoints
    assert plants.instance_type == plants.selection.chosen.instance_type == "ml.g1.xlarge"
    assert [c.instance_type for c in plants.selection.runners_up] == ["ml.g2.xlarge", "ml.g3.xlarge"]
    kept = "lock: ml.g1.xlarge is kept; without the lock it would be ml.g2.xlarge"
    assert kept in plants.selection.assumptions
    assert plan.bill.lines[0].items[0].usd_per_month == pytest.approx(730)
    assert plants.lock is not None
    assert (plants.lock.state, plants.lock.best_instance_type) == ("locked", "ml.g2.xlarge")
    assert plants.lock.saving_usd_per_month == pytest.approx(0.09 * 730)
    assert saving_percent(plants) == pytest.approx(9)
    assert lock_warnings(plan) == ()
    assert lock_summary(plan) == (
        "Locked: 1 of 1 workloads; without the lock the total would be 66 USD lower."
    )


def test_assumptions_are_those_of_the_locked_type() -> None:
    unpriced = planner(catalog(*map(gpu_instance, GPUS), usd_per_hour={"ml.g2.xlarge": 2.0}))
    (free,), (plants,) = unpriced(None).endpoints, unpriced(OLD).endpoints
    assert any("prices of 2026-01-31" in line for line in free.selection.assumptions)
    assert any("prices of unknown date" in line for line in plants.selection.assumptions)


def test_without_a_lock_the_plan_says_nothing_of_it() -> None:
    plan = planner(market())(None)
    assert [workload.lock for workload in plan.on_instances] == [None]
    assert (lock_warnings(plan), lock_summary(plan)) == ((), None)


def test_a_type_that_is_gone_is_replaced_and_reported() -> None:
    plan = planner(market("ml.g2.xlarge", "ml.g3.xlarge"))
    under = plan(OLD)
    (plants,) = under.endpoints
    assert plants.lock is not None
    assert (plants.instance_type, plants.lock.state) == ("ml.g2.xlarge", "infeasible")
    assert lock_warnings(under) == (
        "plants is locked on ml.g1.xlarge, which cannot be used (there is no instance type of that name): "
        "planned on ml.g2.xlarge",
        "Run: sizewell lock --env dev",
    )
    (difference,) = check_lock(under, OLD)
    assert difference.reason == "ml.g1.xlarge cannot be used: there is no instance type of that name"
    assert change(plan, OLD).reason == difference.reason


def test_a_pin_in_the_configuration_wins_over_the_lock() -> None:
    pinned = planner(market(), plants=endpoint(instances={"instance_type": "ml.g3.xlarge"}))
    under = pinned(OLD)
    assert under.endpoints[0].instance_type == "ml.g3.xlarge"
    (difference,) = check_lock(under, OLD)
    assert difference.reason.startswith("ml.g1.xlarge cannot be used: pinned: ")


def test_a_pin_that_agrees_with_the_lock_makes_it_stale() -> None:
    pinned = planner(market(), plants=endpoint(instances={"instance_type": "ml.g1.xlarge"}))
    (difference,) = check_lock(pinned(OLD), OLD)
    assert difference.reason == "the configuration has changed since it was locked"


def test_other_needs_make_the_lock_stale_and_leave_the_pick() -> None:
    plan = planner(market(g2=0.95), plants=endpoint(latency={"max_p95_ms": 900}))
    under = plan(OLD)
    assert under.endpoints[0].instance_type == "ml.g1.xlarge"
    assert lock_warnings(under) == (
        "The configuration has changed since these were locked: plants",
        "Run: sizewell lock --env dev",
    )
    (difference,) = check_lock(under, OLD)
    assert difference.reason == "the configuration has changed since it was locked"
    found = change(plan, OLD)
    assert (found.changes_pick, found.reason) == (
        False,
        "the configuration has changed; kept: ml.g2.xlarge would save only 5.0 %",
    )
    assert found.after is not None
    assert found.before is not None
    assert found.after.needs_digest != found.before.needs_digest


def test_other_needs_take_a_more_expensive_best_type_for_it_is_not_the_cheapest_that_is_asked_for() -> None:
    def planned(lock: LockedEnvironment | None) -> DeploymentPlan:
        plan = planner(market())(lock)
        (plants,) = plan.endpoints
        if plants.lock is None:
            return plan
        more_expensive = plants.lock.model_copy(
            update={"state": state, "best_instance_type": "ml.g3.xlarge", "saving_usd_per_month": -1.0}
        )
        return plan.model_copy(update={"workloads": (plants.model_copy(update={"lock": more_expensive}),)})

    state = "stale"
    assert change(planned, OLD).reason == "the configuration has changed"
    state = "locked"
    assert change(planned, OLD).reason == "kept: ml.g3.xlarge would save nothing"


def test_a_description_and_a_scaling_cooldown_are_no_needs() -> None:
    plan = planner(market(), plants=endpoint(description="Other", scaling={"scale_in_cooldown_s": 600}))
    assert check_lock(plan(OLD), OLD) == ()


def test_another_number_of_instances_does_not_pass() -> None:
    before = OLD.workloads["plants"].model_copy(update={"instance_count": 2, "peak_instance_count": 3})
    old = LockedEnvironment(catalog_version="x", workloads={"plants": before})
    (difference,) = check_lock(planner(market())(old), old)
    assert difference.reason == "2 to 3 of ml.g1.xlarge locked, 1 to 1 planned"


def test_an_alternative_that_is_gone_is_replaced_and_reported() -> None:
    plan = planner(market("ml.g1.xlarge", "ml.g3.xlarge", "ml.g4.xlarge"))
    (plants,) = plan(OLD).endpoints
    assert plants.instance_pools == ("ml.g1.xlarge", "ml.g3.xlarge", "ml.g4.xlarge")
    (difference,) = check_lock(plan(OLD), OLD)
    assert difference.reason == "not feasible any more among its alternatives: ml.g2.xlarge"


def test_a_new_alternative_waits_for_the_next_lock() -> None:
    plan = planner(market(*GPUS, "ml.g4.xlarge", g4=0.95))
    assert plan(None).endpoints[0].instance_pools[0] == "ml.g4.xlarge"
    assert plan(OLD).endpoints[0].instance_pools == GPUS
    assert check_lock(plan(OLD), OLD) == ()


def test_workloads_come_and_go() -> None:
    plan = planner(market(), plants=PLANTS, trees=PLANTS)
    under = plan(OLD)
    assert lock_warnings(under) == ("Not locked yet: trees", "Run: sizewell lock --env dev")
    assert [(d.workload, d.reason) for d in check_lock(under, OLD)] == [("trees", "not locked yet")]
    both, _ = refresh_lock(plan, OLD, 10)
    new, changes = refresh_lock(planner(market()), both, 10)
    assert new == OLD
    assert [(c.workload, c.after is None, c.reason) for c in changes] == [
        ("plants", False, "kept: still the best"),
        ("trees", True, "no such workload any more"),
    ]
    (gone,) = check_lock(planner(market())(both), both)
    assert (gone.workload, gone.reason) == ("trees", "no such workload any more")


def test_burstable_types_are_no_alternatives_of_an_autoscaled_endpoint() -> None:
    known = catalog(
        gpu_instance("ml.g1.xlarge"),
        gpu_instance("ml.t3.xlarge", burstable=True),
        usd_per_hour={"ml.g1.xlarge": 1, "ml.t3.xlarge": 2},
    )
    plan = planner(known, policy(allow_burstable=True))(None)
    assert plan.endpoints[0].instance_pools == ("ml.g1.xlarge",)


def test_alternatives_run_the_same_image_and_are_five_at_most() -> None:
    known = catalog(
        cpu_instance("ml.c1.xlarge"),
        *(gpu_instance(f"ml.g{n}.xlarge") for n in range(1, 9)),
        usd_per_hour={"ml.c1.xlarge": 1.5} | {f"ml.g{n}.xlarge": float(n) for n in range(1, 9)},
    )
    (plants,) = planner(known)(None).endpoints
    assert isinstance(plants, EndpointPlan)
    assert plants.selection.runners_up[0].instance_type == "ml.c1.xlarge"
    assert plants.instance_pools == tuple(f"ml.g{n}.xlarge" for n in range(1, 6))


SMALL = gpu_instance("ml.g1.xlarge", accelerator_memory_gib=10.0)
LARGE = gpu_instance("ml.g2.xlarge", accelerator_memory_gib=80.0)
AUTO = llm_training_job(method="auto")


def test_a_larger_type_does_not_turn_locked_adapters_into_the_training_of_all_weights() -> None:
    old = locked(planner(catalog(SMALL, usd_per_hour=PRICES), tune=AUTO))
    assert old.workloads["tune"].method == "lora"
    plan = planner(catalog(SMALL, LARGE, usd_per_hour=PRICES), tune=AUTO)
    assert plan(None).of(TrainingJobPlan)[0].method == "full"
    (tune,) = plan(old).of(TrainingJobPlan)
    assert (tune.method, tune.attempts[0].instance_type) == ("lora", "ml.g1.xlarge")
    assert "method: adapters, as the lock says" in tune.selection.assumptions
    assert check_lock(plan(old), old) == ()
    found = change(plan, old, 10, "tune")
    assert found.after is not None
    assert found.after.method == "full"


def test_adapters_whose_type_is_gone_are_thought_over() -> None:
    old = locked(planner(catalog(SMALL, usd_per_hour=PRICES), tune=AUTO))
    (tune,) = planner(catalog(LARGE, usd_per_hour=PRICES), tune=AUTO)(old).of(TrainingJobPlan)
    assert tune.method == "full"
    assert tune.lock is not None
    assert tune.lock.state == "infeasible"


def test_the_training_of_all_weights_does_not_silently_become_adapters() -> None:
    old = locked(planner(catalog(SMALL, LARGE, usd_per_hour=PRICES), tune=AUTO))
    assert (old.workloads["tune"].method, old.workloads["tune"].instance_type) == ("full", "ml.g2.xlarge")
    shrunk = gpu_instance("ml.g2.xlarge", accelerator_memory_gib=10.0)
    plan = planner(catalog(SMALL, shrunk, usd_per_hour=PRICES), tune=AUTO)
    (tune,) = plan(old).of(TrainingJobPlan)
    # It would do for adapters, but nobody has decided that it shall.
    assert (tune.method, tune.selection.chosen.instance_type) == ("lora", "ml.g1.xlarge")
    (difference,) = check_lock(plan(old), old)
    assert difference.reason.startswith(
        "ml.g2.xlarge cannot be used: no type trains all weights; the nearest"
    )


def test_the_ladder_of_a_job_keeps_its_locked_rungs() -> None:
    job = training_job(spot={"enabled": True}, checkpoint={"interval_minutes": 15}, deadline_hours=4)
    allowed = policy(allow_spot=True)
    old = locked(planner(market(), allowed, train=job))
    cheaper = planner(market(*GPUS, "ml.g4.xlarge", g4=0.95), allowed, train=job)
    (train,) = cheaper(old).of(TrainingJobPlan)
    assert train.instance_pools == GPUS
    assert {attempt.instance_type for attempt in train.attempts} <= set(GPUS)
