"""Transform jobs: how long a run takes, on how many instances, and what no type can do."""

from dataclasses import replace
from typing import Any

import pytest

from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import (
    Catalog,
    NoFeasibleInstanceError,
    Objective,
    TransformEstimate,
    TransformRequirements,
    Usage,
    select_transform_instance,
)
from sizewell.instance_selection.catalog import InstanceType, PriceRow
from sizewell.instance_selection.requirements import one_after_the_other
from tests.instance_selection.builders import cpu_instance, decoder_endpoint, endpoint, gpu_instance

START_HOURS = limit(Mode.BATCH, "start_minutes") / 60
TRANSFORM = frozenset({Usage.TRANSFORM})


def catalog(*instance_types: InstanceType, usd_per_hour: float = 1.0) -> Catalog:
    return Catalog(
        "us-east-1",
        instance_types,
        prices=[
            PriceRow(one.name, Usage.TRANSFORM, usd_per_hour, "price-list", "2026-01-31")
            for one in instance_types
        ],
        listed={one.name: frozenset(one.usages) for one in instance_types},
    )


def gpu(name: str = "ml.g9.xlarge", **changes: Any) -> InstanceType:
    return gpu_instance(name, **({"usages": TRANSFORM} | changes))


def run(serving: Any = None, **changes: Any) -> TransformRequirements:
    """Return a run of 1.8 million images, 2 ms each on a ``GPU``: an hour of work."""
    default = TransformRequirements(
        serving=one_after_the_other((serving or endpoint()).with_only_latency_bound(3_600_000)),
        rows=1_800_000,
        objects=12,
        rows_per_request=1,
        rows_in_turn=1,
        row_mb=0.0,
        payload_mb=1,
        deadline_hours=24,
        max_instances=1,
    )
    return replace(default, **changes)


def estimate(needs: TransformRequirements, *instance_types: InstanceType) -> TransformEstimate:
    return select_transform_instance(needs, catalog(*(instance_types or (gpu(),)))).chosen.estimate


def work_hours(found: TransformEstimate) -> float:
    return found.duration_hours - START_HOURS


def test_a_run_is_start_and_work_and_both_are_paid() -> None:
    found = estimate(run())
    alone_h = found.request_time_ms / 1000 * 1_800_000 / 3600
    assert work_hours(found) == pytest.approx(alone_h)
    assert found.usd_per_run == pytest.approx(found.duration_hours)
    assert found.rows_per_second == pytest.approx(1000 / found.request_time_ms)


def test_more_instances_come_with_the_deadline() -> None:
    hours = work_hours(estimate(run()))
    found = estimate(run(deadline_hours=START_HOURS + hours / 2.5, max_instances=12))
    assert found.instance_count == 3
    assert work_hours(found) == pytest.approx(hours / 3)


def test_the_instance_with_the_most_objects_ends_last() -> None:
    whole = work_hours(estimate(run(objects=3)))
    # Of three objects one of two instances has two.
    found = estimate(run(objects=3, max_instances=2, deadline_hours=START_HOURS + whole * 0.7))
    assert found.instance_count == 2
    assert work_hours(found) == pytest.approx(whole * 2 / 3)


def test_the_fastest_run_uses_what_it_may() -> None:
    serving = endpoint(objective=Objective.LEAST_LATENCY)
    assert estimate(run(serving, max_instances=12)).instance_count == 12
    assert estimate(run(max_instances=12)).instance_count == 1


def test_rows_that_no_type_finishes_say_the_best_hours_and_instances() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        estimate(run(rows=1e9, deadline_hours=1, max_instances=4))
    nearest = raised.value.nearest[0]
    assert nearest.filter == "deadline"
    assert "on 4 instances, 1 h asked" in nearest.reason
    assert nearest.shortfall is not None
    assert nearest.shortfall > 1
    # What it says can be had.
    estimate(run(rows=1e9, deadline_hours=nearest.shortfall * 1.001, max_instances=4))


def test_the_margin_must_be_left_to_the_deadline() -> None:
    hours = estimate(run()).duration_hours
    assert estimate(run(deadline_hours=hours * 1.05)).instance_count == 1
    with pytest.raises(NoFeasibleInstanceError):
        estimate(run(endpoint(margin=0.1), deadline_hours=hours * 1.05))


def test_a_type_of_another_use_is_rejected() -> None:
    hosting = gpu(usages=frozenset({Usage.HOSTING}))
    with pytest.raises(NoFeasibleInstanceError) as raised:
        estimate(run(), hosting)
    assert raised.value.nearest[0].filter == "use"


def test_requests_at_a_time_share_a_hundred_megabytes() -> None:
    many = gpu(accelerator_count=8)
    assert estimate(run(), many).concurrent_requests == 8
    narrow = estimate(run(payload_mb=20), many)
    assert narrow.concurrent_requests == 5
    assert work_hours(narrow) == pytest.approx(work_hours(estimate(run(), many)) * 8 / 5)


def test_an_llm_engine_works_on_several_requests() -> None:
    serving = decoder_endpoint(output_tokens=300)
    one = estimate(run(serving, rows=10_000, max_concurrent_transforms=1))
    many = estimate(run(serving, rows=10_000))
    assert many.concurrent_requests > 10
    assert work_hours(many) < work_hours(one) / 5


def test_rows_of_a_text_request_are_computed_in_turn() -> None:
    serving = decoder_endpoint()
    one = estimate(run(serving, rows=10_000, max_concurrent_transforms=1))
    ten = estimate(
        run(serving, rows=10_000, rows_per_request=10, rows_in_turn=10, max_concurrent_transforms=1)
    )
    assert ten.request_time_ms == pytest.approx(10 * one.request_time_ms)
    assert ten.duration_hours == pytest.approx(one.duration_hours)


def test_a_request_must_be_answered_in_time() -> None:
    serving = decoder_endpoint()
    with pytest.raises(NoFeasibleInstanceError) as raised:
        estimate(run(serving, rows=1e5, rows_per_request=100_000, rows_in_turn=100_000))
    assert raised.value.nearest[0].filter == "timeout"


def test_the_volume_of_a_transform_job_has_one_size() -> None:
    large = endpoint(artifact_gib=40.0)
    with pytest.raises(NoFeasibleInstanceError) as raised:
        estimate(run(large))
    assert raised.value.nearest[0].filter == "disk"
    with_disks = gpu(local_storage_gb=250.0, local_storage_nvme=True)
    assert estimate(run(large), with_disks).instance_count == 1


def test_the_budgets_are_of_a_run_and_of_a_month() -> None:
    usd = estimate(run()).usd_per_run or 0.0
    for needs in (
        run(max_usd_per_run=usd * 0.9),
        run(endpoint(max_usd_per_month=usd * 9), runs_per_month=10),
    ):
        with pytest.raises(NoFeasibleInstanceError) as raised:
            estimate(needs)
        assert raised.value.nearest[0].filter == "budget"
    found = select_transform_instance(run(runs_per_month=10), catalog(gpu())).chosen
    assert found.cost.usd_per_month == pytest.approx(10 * usd)


def test_a_cheaper_type_wins_though_it_is_slower() -> None:
    slow = cpu_instance(usages=TRANSFORM)
    known = Catalog(
        "us-east-1",
        (slow, gpu()),
        prices=[
            PriceRow(name, Usage.TRANSFORM, price, "price-list", "2026-01-31")
            for name, price in ((slow.name, 0.01), ("ml.g9.xlarge", 10.0))
        ],
        listed={one.name: TRANSFORM for one in (slow, gpu())},
    )
    picked = select_transform_instance(run(deadline_hours=600), known)
    assert picked.chosen.instance_type == slow.name
    assert picked.chosen.estimate.duration_hours > picked.runners_up[0].estimate.duration_hours


def test_rows_come_through_the_network_of_an_instance() -> None:
    # 10 Gbit/s are 1,192 MB (2^20 bytes) a second; 2 ms for an image are 500 images a second.
    narrow = estimate(run(row_mb=10.0, rows=100_000))
    assert narrow.rows_per_second == pytest.approx(10e9 / 8 / 2**20 / 10)
    assert estimate(run(row_mb=0.1)).rows_per_second == estimate(run()).rows_per_second
