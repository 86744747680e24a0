"""Laws of the lock: it is stable, it never holds a plan on what is not feasible, and a plan without it is as ever."""

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.config.environment import Environment
from sizewell.instance_selection import Catalog
from sizewell.planning import build_plan, plan_to_json
from sizewell.planning.lock import LockedEnvironment, SelectionLock, lock_of
from sizewell.planning.lock_changes import Planner, check_lock, pick_of, refresh_lock
from sizewell.planning.lock_text import lock_text
from sizewell.planning.workload_plan import InstanceWorkloadPlan
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance, neuron_instance
from tests.planning.builders import endpoint, environment, policy, training_job

TYPES = (
    *(gpu_instance(f"ml.g{n}.xlarge") for n in range(1, 8)),
    cpu_instance("ml.c1.xlarge"),
    neuron_instance("ml.inf1.xlarge"),
)
NAMES = tuple(one.name for one in TYPES)
WORKLOADS: dict[str, Any] = {
    "plants": endpoint(),
    "plants-train": training_job(spot={"enabled": True}, checkpoint={"interval_minutes": 15}),
    "plants-daily": training_job(),
}
PRICES = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, st.floats(0.1, 100)))
#: At least one GPU, because nothing is known of training on the others.
OFFERED = st.sets(st.sampled_from(NAMES)).map(lambda names: names | {"ml.g7.xlarge"})
#: Each example plans three workloads several times.
FEW = settings(derandomize=True, max_examples=25, database=None)
THRESHOLDS = st.sampled_from([0.0, 5.0, 10.0, 50.0, 100.0])


def market(prices: dict[str, float], offered: set[str] | None = None) -> Catalog:
    listed = None
    if offered is not None:
        listed = {one.name: frozenset(one.usages) for one in TYPES if one.name in offered}
        prices = {name: price for name, price in prices.items() if name in offered}
    return catalog(*TYPES, usd_per_hour=prices, listed=listed)


def planner(prices: dict[str, float], offered: set[str] | None = None) -> Planner:
    of: Environment = environment(WORKLOADS, policy=policy(allow_spot=True))
    plan = partial(build_plan, of, market(prices, offered))
    return lambda lock: plan(lock=lock)


def text(locked: LockedEnvironment) -> str:
    return lock_text(SelectionLock(environments={"dev": locked}))


@FEW
@given(PRICES)
def test_a_plan_under_its_own_lock_is_the_plan(prices: dict[str, float]) -> None:
    plan = planner(prices)
    free = plan(None)
    assert all(workload.lock is None for workload in free.on_instances)
    under = plan(lock_of(free))
    assert all(workload.lock and workload.lock.state == "locked" for workload in under.on_instances)
    unlocked = under.model_copy(
        update={
            "workloads": tuple(w.model_copy(update={"lock": None}) for w in under.on_instances),
        }
    )
    assert plan_to_json(unlocked) == plan_to_json(free)


@FEW
@given(PRICES, PRICES, THRESHOLDS)
def test_locking_twice_gives_the_same_bytes_and_passes_the_check(
    old_prices: dict[str, float], new_prices: dict[str, float], threshold: float
) -> None:
    old, _ = refresh_lock(planner(old_prices), None, threshold)
    plan = planner(new_prices)
    once, _ = refresh_lock(plan, old, threshold)
    twice, changes = refresh_lock(plan, once, threshold)
    assert text(twice) == text(once)
    assert not any(change.changes_pick for change in changes)
    assert check_lock(plan(once), once) == ()


@FEW
@given(PRICES, PRICES, THRESHOLDS)
def test_prices_alone_change_a_pick_only_for_the_saving_that_is_asked(
    old_prices: dict[str, float], new_prices: dict[str, float], threshold: float
) -> None:
    old, _ = refresh_lock(planner(old_prices), None, threshold)
    plan = planner(new_prices)
    assert check_lock(plan(old), old) == ()
    new, changes = refresh_lock(plan, old, threshold)
    for change in changes:
        before, after = old.workloads[change.workload], new.workloads[change.workload]
        now = {w.name: w for w in plan(old).on_instances}[change.workload]
        assert now.lock is not None
        saving, cost = now.lock.saving_usd_per_month, now.selection.chosen.cost.usd_per_month
        pays = bool(saving and cost and saving > 0 and saving / cost * 100 >= threshold)
        if pays:
            assert after.instance_type == now.lock.best_instance_type
        else:
            assert pick_of(after) == pick_of(before)


@FEW
@given(PRICES, OFFERED, THRESHOLDS)
def test_an_infeasible_type_is_never_used(
    prices: dict[str, float], offered: set[str], threshold: float
) -> None:
    old, _ = refresh_lock(planner(prices), None, threshold)
    plan = planner(prices, offered)
    under = plan(old)
    failing = {difference.workload for difference in check_lock(under, old)}
    for workload in under.workloads:
        assert isinstance(workload, InstanceWorkloadPlan)
        locked = old.workloads[workload.name]
        assert {workload.selection.chosen.instance_type, *workload.instance_pools} <= offered
        assert workload.lock is not None
        if locked.instance_type in offered:
            assert workload.selection.chosen.instance_type == locked.instance_type
        else:
            assert workload.lock.state == "infeasible"
            assert "region" in workload.lock.reason
        assert (workload.name in failing) is not (set(locked.instance_pools) <= offered)
    again, _ = refresh_lock(plan, old, threshold)
    assert check_lock(plan(again), again) == ()


@FEW
@given(PRICES, PRICES)
def test_an_update_takes_the_free_picks(old_prices: dict[str, float], new_prices: dict[str, float]) -> None:
    old, _ = refresh_lock(planner(old_prices), None, 100)
    plan = planner(new_prices)
    new, _ = refresh_lock(plan, old, 100, update=tuple(WORKLOADS))
    assert new == lock_of(plan(None))
