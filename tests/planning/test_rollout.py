"""A new fleet in production: halves, quarters or a canary, by what it runs on."""

import pytest
from pydantic import ValidationError

from sizewell.config.rollout import Rollout
from sizewell.instance_selection.catalog import load_catalog
from sizewell.planning.endpoint_plan_model import RolloutPlan
from sizewell.planning.rollout import plan_rollout, rollout_faults

CATALOG = load_catalog("us-east-1")


@pytest.mark.parametrize(
    ("instance_type", "count", "expected"),
    [
        # Two batches of half, there and back, each with 300 s to start and 600 s to watch.
        ("ml.g5.xlarge", 2, ("rolling", 50, 2 * 2 * 900)),
        ("ml.g5.xlarge", 5, ("rolling", 25, 2 * 4 * 900)),
        ("ml.inf2.xlarge", 2, ("rolling", 50, 2 * 2 * 900)),
        ("ml.c7i.xlarge", 2, ("canary", 50, 2 * 2 * 900)),
        ("ml.c7i.xlarge", 12, ("canary", 10, 2 * 2 * 900)),
    ],
)
def test_scarce_types_are_exchanged_in_batches_and_others_tried_by_a_canary(
    instance_type: str, count: int, expected: tuple[str, int, int]
) -> None:
    found = plan_rollout(CATALOG.get(instance_type), count, startup_timeout_s=300)
    assert found == RolloutPlan(
        strategy=expected[0],  # type: ignore[arg-type]
        first_share_percent=expected[1],
        wait_interval_s=600,
        max_execution_timeout_s=expected[2],
    )


def test_inferentia_1_has_no_guardrails() -> None:
    assert plan_rollout(CATALOG.get("ml.inf1.xlarge"), 2, startup_timeout_s=300) is None


def test_the_time_of_a_large_model_ends_at_what_sagemaker_takes() -> None:
    found = plan_rollout(CATALOG.get("ml.p5.48xlarge"), 8, startup_timeout_s=3600)
    assert found is not None
    assert found.max_execution_timeout_s == 28_800


def test_what_is_stated_comes_before_what_fits() -> None:
    stated = Rollout(strategy="linear", share_percent=20, wait_interval_s=60, termination_wait_s=30)
    found = plan_rollout(CATALOG.get("ml.g5.xlarge"), 8, 300, stated)
    # Five steps there and back, each with 300 s to start and 60 s to watch.
    assert found == RolloutPlan(
        strategy="linear",
        first_share_percent=20,
        wait_interval_s=60,
        max_execution_timeout_s=2 * 5 * 360,
        termination_wait_s=30,
    )


def test_all_at_once_goes_with_one_instance_and_the_others_do_not() -> None:
    at_once = plan_rollout(CATALOG.get("ml.m5.large"), 1, 300, Rollout(strategy="all-at-once"))
    assert at_once is not None
    assert at_once.first_share_percent is None
    assert list(rollout_faults("it", Rollout(strategy="all-at-once"), 1)) == []
    (fault,) = rollout_faults("it", Rollout(strategy="canary"), 1)
    assert fault.key_path == ("workloads", "it", "rollout", "strategy")


@pytest.mark.parametrize(
    ("stated", "key"),
    [
        ({"strategy": "all-at-once", "share_percent": 50}, "share_percent"),
        ({"strategy": "linear", "share_percent": 5}, "share_percent"),
        ({"strategy": "rolling", "termination_wait_s": 5}, "termination_wait_s"),
    ],
)
def test_keys_without_an_effect_are_refused(stated: dict[str, object], key: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Rollout.model_validate(stated)
    assert raised.value.errors()[0]["ctx"]["key"] == key
