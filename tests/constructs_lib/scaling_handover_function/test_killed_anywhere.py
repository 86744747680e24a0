"""The whole hand-over against a world that refuses like AWS, with a death at every call there is."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.constructs_lib.scaling_handover_function.cloudformation import STEPS, CloudFormation, Order, Step
from tests.constructs_lib.scaling_handover_function.world import Spec, World, resource_id, spec, wanted

SMALL, LARGE = {"primary": "ml.m5.large"}, {"primary": "ml.c6i.xlarge"}
OLD, NEW = spec("old", bounds=(2, 6)), spec("new", bounds=(1, 3), target=900.0)


def scaled_world(old: Spec = OLD, *, scaling_under_way: bool = False, **more: Any) -> World:
    world = World(configs={"old": SMALL, "new": LARGE}, config="old", **more)
    for target, (bounds, policies) in wanted(old).items():
        world.targets[target] = bounds
        for name, policy in policies.items():
            world.policies[target, name] = {**policy, "ARN": world.next_arn()}
    if scaling_under_way:
        world.begin("Updating", 240.0)
    return world


def check(world: World, surviving: Spec) -> None:
    assert world.config == surviving["EndpointConfigName"]
    assert world.scaling() == wanted(surviving)


def test_one_deployment_changes_the_type() -> None:
    world = scaled_world()
    assert CloudFormation(world, OLD).deploy(NEW)
    check(world, NEW)


def test_the_world_refuses_a_change_of_the_type_of_a_registered_variant() -> None:
    with pytest.raises(Exception, match="primary is a registered scalable target"):
        scaled_world().update_endpoint("new")


@pytest.mark.parametrize("scaling_under_way", [False, True])
@pytest.mark.parametrize("order", ["forward", "reverse"])
@pytest.mark.parametrize("fails_after", [None, *STEPS])
def test_the_surviving_template_holds_wherever_the_function_dies(
    fails_after: Step | None, order: Order, scaling_under_way: bool
) -> None:
    outcomes = set()
    for lambda_repeats, after_effect in itertools.product((True, False), (True, False)):
        for kill_at in _every_call(fails_after, order, scaling_under_way):
            world = scaled_world(
                scaling_under_way=scaling_under_way, kill_at=kill_at, kill_after_effect=after_effect
            )
            stack = CloudFormation(world, OLD, lambda_repeats=lambda_repeats)
            arrived = stack.deploy(NEW, fails_after=fails_after, order=order)
            outcomes.add(arrived)
            check(world, NEW if arrived else OLD)
            assert arrived is (fails_after is None and (lambda_repeats or not stack.rollbacks))

            world.kill_at = None
            if not arrived:
                world.configs["new"] = LARGE
                assert stack.deploy(NEW)
                check(world, NEW)
    assert outcomes == ({True, False} if fails_after is None else {False})


@pytest.mark.parametrize("order", ["forward", "reverse"])
@pytest.mark.parametrize("fails_after", [None, *STEPS])
@pytest.mark.parametrize(
    ("count", "bounds"), [(2, (4, 8)), (5, (1, 3))], ids=["raised minimum", "lowered maximum"]
)
def test_a_new_model_and_new_bounds_are_one_deployment(
    count: int, bounds: tuple[int, int], fails_after: Step | None, order: Order
) -> None:
    world = scaled_world(counts={resource_id("primary"): count})
    world.configs["new"] = SMALL
    new = spec("new", bounds=bounds)
    arrived = CloudFormation(world, OLD).deploy(new, fails_after=fails_after, order=order)
    assert arrived is (fails_after is None)
    check(world, new if arrived else OLD)


@pytest.mark.parametrize("kill_at", [None, *range(10)])
def test_new_bounds_may_take_longer_to_start_than_an_invocation_lasts(kill_at: int | None) -> None:
    world, new = scaled_world(scale_s=2400.0, kill_at=kill_at), spec("old", bounds=(4, 8))
    assert CloudFormation(world, OLD).deploy(new)
    check(world, new)


@pytest.mark.parametrize("kill_at", range(10))
def test_a_rollback_that_meets_a_slow_scale_out_does_not_fail(kill_at: int) -> None:
    world = scaled_world(scale_s=2400.0, kill_at=kill_at)
    stack = CloudFormation(world, OLD, lambda_repeats=False)
    arrived = stack.deploy(spec("old", bounds=(4, 8)))
    assert stack.rollbacks == (0 if arrived else 1)
    assert list(world.targets) == list(wanted(OLD)), "with the bounds of one of both"

    world.pass_time(2400.0)
    world.kill_at = None
    assert stack.deploy(spec("old", bounds=(3, 7)))
    check(world, stack.deployed)


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_a_rollback_in_the_middle_of_a_slow_scale_out_sets_the_bounds_back(order: Order) -> None:
    world = scaled_world(scale_s=1200.0)
    stack = CloudFormation(world, OLD)
    assert not stack.deploy(spec("old", bounds=(4, 8)), fails_after="scaling", order=order)
    assert stack.rollbacks == 1
    check(world, OLD)


def _every_call(fails_after: Step | None, order: Order, scaling_under_way: bool) -> Iterator[int]:
    world = scaled_world(scaling_under_way=scaling_under_way)
    CloudFormation(world, OLD).deploy(NEW, fails_after=fails_after, order=order)
    assert len(world.calls) >= 3
    yield from range(len(world.calls))


CHANGES = st.builds(
    dict,
    types=st.sampled_from((SMALL, LARGE)),
    bounds=st.sampled_from((None, (2, 6), (1, 3), (5, 8))),
    fails_after=st.sampled_from((None, *STEPS)),
    order=st.sampled_from(("forward", "reverse")),
    kill_in=st.none() | st.integers(0, 40),
    kill_after_effect=st.booleans(),
    lambda_repeats=st.booleans(),
    busy_s=st.sampled_from((0.0, 3.0, 240.0)),
)


@given(st.lists(CHANGES, min_size=1, max_size=4))
@settings(max_examples=300)
def test_after_any_history_the_surviving_template_holds(history: list[dict[str, Any]]) -> None:
    world = scaled_world()
    stack = CloudFormation(world, OLD)
    for number, change in enumerate(history):
        config = f"config-{number}"
        world.configs[config] = change["types"]
        if change["busy_s"]:
            world.begin("Updating", change["busy_s"])
        world.kill_at = None if change["kill_in"] is None else len(world.calls) + change["kill_in"]
        world.kill_after_effect = change["kill_after_effect"]
        stack.lambda_repeats, stack.rollbacks = change["lambda_repeats"], 0
        stack.deploy(
            spec(config, bounds=change["bounds"]), fails_after=change["fails_after"], order=change["order"]
        )
        check(world, stack.deployed)
