"""The decisions for a batch transform: ladder, requests, limits, and what it says where nothing will do."""

import re
from typing import Any

import pytest

from sizewell.instance_selection import Catalog, NoFeasibleInstanceError, Usage
from sizewell.instance_selection.catalog import PriceRow
from sizewell.kinds.batch_transform.bill import transform_line
from sizewell.kinds.batch_transform.config import BatchTransform
from sizewell.kinds.batch_transform.plan import plan_batch_transform
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.legality import legality_faults
from sizewell.planning.lock import locked_workload
from tests.instance_selection.builders import cpu_instance, gpu_instance
from tests.planning.builders import CNN, NAMES, as_stated, container, policy

TRANSFORM = frozenset({Usage.TRANSFORM})
TYPES = (
    gpu_instance("ml.g1.xlarge", usages=TRANSFORM),
    gpu_instance("ml.g2.xlarge", usages=TRANSFORM, local_storage_gb=250.0, local_storage_nvme=True),
    cpu_instance("ml.c9.xlarge", usages=TRANSFORM),
)
MANY = Catalog(
    "us-east-1",
    TYPES,
    prices=[
        PriceRow(one.name, Usage.TRANSFORM, 1.0 + n / 10, "price-list", "2026-01-31")
        for n, one in enumerate(TYPES)
    ],
    listed={one.name: TRANSFORM for one in TYPES},
)


def transform(**changes: Any) -> BatchTransform:
    """Return a batch transform of a million images, two milliseconds each on a GPU."""
    default = {
        "kind": "batch-transform",
        "model": CNN,
        "container": container(artifact={"key": "models/plants/model.tar.gz"}),
        "request": {"images": 1},
        "data": {
            "prefix": "photos/in/",
            "rows_per_run": 1_000_000,
            "kb_per_row": 100,
            "content_type": "application/x-image",
            "split": "none",
        },
        "deadline_hours": 2,
    }
    return BatchTransform.model_validate({**default, **changes})


def planned(catalog: Catalog = MANY, **changes: Any) -> BatchTransformPlan:
    return plan_batch_transform(as_stated("plants", transform(**changes), policy(), catalog))


def test_ladder_is_of_one_kind_of_hardware_and_keys_go_to_volumes_only() -> None:
    attempts = planned().attempts
    assert [(one.instance_type, one.encrypt_volume_with_key) for one in attempts] == [
        ("ml.g1.xlarge", True),
        ("ml.g2.xlarge", False),
    ]
    assert [one.invocation_timeout_s for one in attempts] == [600, 600]


def test_results_lie_in_a_prefix_of_their_own() -> None:
    assert planned().output_prefix == "transform/plants"
    assert planned(output_prefix="photos/out/").output_prefix == "photos/out"


def test_objects_that_are_not_split_have_no_strategy() -> None:
    plan = planned()
    assert (plan.strategy, plan.max_payload_mb, plan.deadline_s) == (None, 1, 7200)


def test_joined_results_have_the_format_of_the_rows() -> None:
    rows = {
        "prefix": "rows",
        "rows_per_run": 1000,
        "kb_per_row": 1,
        "content_type": "text/csv",
        "split": "line",
    }
    assert planned(data=rows, join="input").accept == "text/csv"
    assert planned(data=rows).accept is None


def test_a_month_is_billed_by_its_runs() -> None:
    daily = planned(schedule={"every": "day"})
    chosen = daily.selection.chosen
    line = transform_line(daily, "us-east-1")
    assert line.items[0].name == "ml.g1.xlarge transform"
    assert line.items[0].usd_per_month == pytest.approx((chosen.estimate.usd_per_run or 0) * 365 / 12)
    assert [item.name for item in line.items[1:]] == ["alarm"]
    assert "Step Functions state transitions" in line.paid_by_use


def test_what_is_locked_is_kept() -> None:
    locked = locked_workload(planned(instances={"instance_type": "ml.g2.xlarge"}))
    plan = plan_batch_transform(as_stated("plants", transform(), policy(), MANY, NAMES, locked))
    assert plan.attempts[0].instance_type == "ml.g2.xlarge"
    assert plan.lock is not None
    assert (plan.lock.state, plan.lock.best_instance_type) == ("stale", "ml.g1.xlarge")


def fault(**changes: Any) -> Any:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(**changes)
    return no_feasible_fault("plants", transform(**changes), raised.value)


def test_a_deadline_that_no_type_keeps_names_the_best() -> None:
    found = fault(deadline_hours=0.2)
    assert found.key_path == ("workloads", "plants", "deadline_hours")
    assert "is the least that any type reaches" in found.hint
    assert re.search(r"ml\.g1\.xlarge: deadline: [\d.]+ h on 1 instance, 0\.2 h asked", found.reason)


def test_a_type_without_an_image_is_refused_at_its_key() -> None:
    images = {"cuda": container()["images"]["cuda"]}
    only_gpu = {**container(artifact={"key": "models/plants/model.tar.gz"}), "images": images}
    found = fault(container=only_gpu, instances={"instance_type": "ml.c9.xlarge"})
    assert found.key_path == ("workloads", "plants", "instances", "instance_type")
    assert "no container image for" in found.reason


def test_what_no_transform_job_has_is_refused_by_the_tables() -> None:
    plain = container(artifact={"key": "models/plants/", "compression": "none"})
    plan = planned(container=plain).model_copy(update={"network_isolation": False})
    (found,) = legality_faults(plan, MANY)
    assert found.key_path == ("workloads", "plants", "container", "artifact", "compression")
    assert found.reason.startswith(
        "batch has no uncompressed artifact: a transform job takes no uncompressed artifact"
    )


def test_each_rung_has_a_quota_and_one_runs_at_a_time() -> None:
    plan = planned()
    counts = {rung.instance_type: rung.instance_count for rung in plan.attempts}
    assert {name: count for _, name, count in plan.quotas} == {
        **{f"{name} for transform job usage": count for name, count in counts.items()},
        "Number of instances across all transform jobs": max(counts.values()),
    }
