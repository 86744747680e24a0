"""Digests: equal for equal needs and reasons, different for any other, and blind to what is neither."""

import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sizewell.instance_selection import Precision, select_endpoint_instance
from sizewell.planning.digests import needs_digest, reasons_digest
from tests.instance_selection.builders import catalog, endpoint, gpu_instance, limits, training
from tests.synthesis import PROJECT_ROOT

PRICES = {"ml.g1.xlarge": 1.0, "ml.g2.xlarge": 2.0}
PAIR = tuple(map(gpu_instance, PRICES))


@pytest.mark.parametrize(
    "change",
    [
        {"max_p95_latency_ms": 999},
        {"peak_requests_per_second": 11},
        {"min_instances": 2},
        {"limits": limits(denied_families=frozenset({"g5"}))},
        {"model": replace(endpoint().model, precision=Precision.BF16)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_need_is_in_the_digest(change: dict[str, Any]) -> None:
    assert needs_digest(endpoint(**change)) != needs_digest(endpoint())


def test_what_else_the_configuration_says_is_in_the_digest() -> None:
    assert needs_digest(endpoint(), region="us-east-1") != needs_digest(endpoint(), region="us-west-2")


def test_assumptions_and_measurements_are_no_needs() -> None:
    assert needs_digest(training(assumptions=("adapters",))) == needs_digest(training())


def test_how_the_images_are_called_is_no_need() -> None:
    named = endpoint(limits=limits(image_name="pytorch 2.6", cuda=(12, 4)))
    assert needs_digest(named) == needs_digest(endpoint(limits=limits()))


@dataclass(frozen=True)
class Before:
    a: int
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class After:
    new: str = "none"
    more: tuple[str, ...] = field(default_factory=tuple)
    kinds: frozenset[str] = frozenset()
    a: int = 0


def test_a_field_that_a_later_version_adds_changes_no_digest_at_its_default() -> None:
    assert needs_digest(After(a=1)) == needs_digest(Before(a=1))
    assert needs_digest(After(a=1, new="some")) != needs_digest(Before(a=1))


def test_a_stated_default_is_no_other_need() -> None:
    assert needs_digest(endpoint(headroom=0.3)) == needs_digest(endpoint())


def test_digest_does_not_depend_on_the_order_of_a_set() -> None:
    program = (
        "from tests.instance_selection.builders import endpoint; "
        "from sizewell.planning.digests import needs_digest; print(needs_digest(endpoint()))"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=PROJECT_ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {needs_digest(endpoint())}


def reasons(*types: Any, **prices: float) -> str:
    known = catalog(*types, usd_per_hour=PRICES | {f"ml.{k}.xlarge": v for k, v in prices.items()})
    return reasons_digest(select_endpoint_instance(endpoint(), known))


def test_prices_are_no_reasons_as_long_as_the_choice_stays() -> None:
    assert reasons(*PAIR, g1=1.5, g2=9.0) == reasons(*PAIR)
    assert reasons(*PAIR, g1=3.0) != reasons(*PAIR)


def test_another_candidate_rejection_or_estimate_is_another_reason() -> None:
    small = gpu_instance("ml.g2.xlarge", accelerator_memory_gib=0.001)
    changed = {
        reasons(*PAIR),
        reasons(PAIR[0]),
        reasons(PAIR[0], small),
        reasons(replace(PAIR[0], accelerator_memory_gib=30.0), PAIR[1]),
    }
    assert len(changed) == 4


def test_what_follows_from_other_numbers_is_no_reason_of_its_own() -> None:
    # Locks of releases that did not know of it stay as they are.
    selection = select_endpoint_instance(endpoint(), catalog(gpu_instance()))
    estimate = selection.chosen.estimate.model_copy(update={"instances_by_schedule": 1.5})
    chosen = selection.chosen.model_copy(update={"estimate": estimate})
    assert reasons_digest(selection.model_copy(update={"chosen": chosen})) == reasons_digest(selection)
