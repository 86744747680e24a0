"""The decisions for a processing job: the cheapest type that has what is asked for, what a run costs, and compilations."""

from typing import Any

import pytest

from sizewell.instance_selection import Catalog, NoFeasibleInstanceError, Usage
from sizewell.instance_selection.catalog import PriceRow
from sizewell.kinds.processing_job.bill import processing_line
from sizewell.kinds.processing_job.config import ProcessingJob
from sizewell.kinds.processing_job.plan import plan_processing_job
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.lock import locked_workload
from tests.instance_selection.builders import cpu_instance, gpu_instance, neuron_instance
from tests.planning.builders import IMAGE, NAMES, as_stated, endpoint, environment, policy

PROCESSING = frozenset({Usage.PROCESSING})
TYPES = (
    cpu_instance("ml.c9.xlarge", usages=PROCESSING, memory_gib=8),
    cpu_instance("ml.m9.xlarge", usages=PROCESSING),
    cpu_instance("ml.d9.xlarge", usages=PROCESSING, local_storage_nvme=True, local_storage_gb=150.0),
    cpu_instance("ml.m9.2xlarge", usages=PROCESSING, vcpus=8, memory_gib=32),
    gpu_instance("ml.g9.xlarge", usages=PROCESSING),
)
PRICES = (0.1, 0.2, 0.3, 0.4, 1.0)
CATALOG = Catalog(
    "us-east-1",
    TYPES,
    prices=[
        PriceRow(one.name, Usage.PROCESSING, price, "price-list", "2026-01-31")
        for one, price in zip(TYPES, PRICES, strict=True)
    ],
    listed={one.name: PROCESSING for one in TYPES},
)


def script(**changes: Any) -> ProcessingJob:
    default = {
        "kind": "processing-job",
        "container": {
            "images": {"cpu_x86_64": IMAGE},
            "code": {"prefix": "code/clean/", "command": ["python", "clean.py"]},
            "environment": {"LOG_LEVEL": "info"},
        },
        "inputs": {"orders": {"prefix": "orders/in/"}},
        "outputs": {"clean": {"prefix": "orders/out/"}},
        "vcpus": 4,
        "memory_gib": 16,
        "deadline_hours": 2,
    }
    return ProcessingJob.model_validate({**default, **changes})


def compilation(cores: int = 2) -> ProcessingJob:
    stated = script(
        container={"images": {"neuron": IMAGE}},
        outputs={"compiled": {"prefix": "models/plants"}},
        neuron={"target": "inf2", "cores": cores, "precision": "bf16", "shapes": {"ids": [1, 128]}},
    )
    assert stated.neuron is not None
    # The catalog here has a family of its own.
    return stated.model_copy(update={"neuron": stated.neuron.model_copy(update={"target": "inf9"})})


def planned(of: ProcessingJob | None = None, locked: Any = None, **changes: Any) -> ProcessingJobPlan:
    return plan_processing_job(as_stated("clean", of or script(**changes), policy(), CATALOG, NAMES, locked))


def test_the_cheapest_type_that_has_what_is_asked_comes_first_and_none_has_a_gpu() -> None:
    plan = planned()
    assert [(one.instance_type, one.encrypt_volume_with_key) for one in plan.attempts] == [
        ("ml.m9.xlarge", True),
        ("ml.d9.xlarge", False),
        ("ml.m9.2xlarge", True),
    ]
    rejected = {one.instance_type: (one.filter, one.reason) for one in plan.selection.rejected}
    assert rejected == {
        "ml.c9.xlarge": ("memory", "has 8 GiB of memory, 16 asked"),
        "ml.g9.xlarge": ("image", "no container image for cuda"),
    }


def test_accelerators_are_only_where_they_are_asked_for() -> None:
    plan = planned(accelerators=1, container={"images": {"cuda": IMAGE}})
    assert plan.instance_pools == ("ml.g9.xlarge",)


def test_a_volume_fits_on_the_disks_that_take_its_place() -> None:
    rejected = {one.instance_type: one.reason for one in planned(volume_gib=140).selection.rejected}
    assert rejected["ml.d9.xlarge"] == "has 150 GB on disks of its own, 150.324 asked"
    assert "ml.d9.xlarge" in planned(volume_gib=139).instance_pools


@pytest.mark.parametrize(
    ("changes", "hours"), [({}, 2.0), ({"expected_hours": 0.5}, 0.5)], ids=["deadline", "expected"]
)
def test_a_run_is_paid_for_as_long_as_is_said(changes: dict[str, Any], hours: float) -> None:
    plan = planned(instance_count=3, runs_per_month=10, **changes)
    line = processing_line(plan, "us-east-1")
    assert [item.name for item in line.items] == ["ml.m9.xlarge processing", "processing volumes", "alarm"]
    assert line.usd_per_month == pytest.approx(0.2 * 3 * hours * 10 + 3 * 0.1)
    said = f"{hours:g} h that are stated" if changes else "its whole deadline of 2 h"
    assert any(said in one for one in plan.selection.assumptions)


def test_what_is_locked_is_kept() -> None:
    locked = locked_workload(planned(instances={"instance_type": "ml.m9.2xlarge"}))
    plan = planned(locked=locked)
    assert plan.attempts[0].instance_type == "ml.m9.2xlarge"
    assert plan.lock is not None
    assert (plan.lock.state, plan.lock.best_instance_type) == ("stale", "ml.m9.xlarge")


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        ({"vcpus": 16}, "vcpus", "ml.m9.2xlarge: vcpus: has 8 vCPU(s), 16 asked (2.00 times)"),
        (
            {"memory_gib": 64},
            "memory_gib",
            "ml.m9.2xlarge: memory: has 32 GiB of memory, 64 asked (2.00 times)",
        ),
        ({"max_usd_per_run": 0.3}, "max_usd_per_run", "a run costs 0.40 USD, the budget is 0.30"),
        (
            {"accelerators": 2, "container": {"images": {"cuda": IMAGE}}},
            "accelerators",
            "ml.g9.xlarge: accelerators: has 1 accelerator(s), 2 asked",
        ),
    ],
)
def test_what_no_type_has_is_said_at_its_key(changes: dict[str, Any], key: str, reason: str) -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(**changes)
    fault = no_feasible_fault("clean", script(**changes), raised.value)
    assert fault.key_path == ("workloads", "clean", key)
    assert reason in fault.reason


def test_a_compilation_runs_on_cpus_and_tells_the_script_what_for() -> None:
    plan = planned(compilation())
    assert plan.instance_pools[0] == "ml.m9.xlarge"
    assert plan.environment == {
        "SIZEWELL_NEURON_CORES": "2",
        "SIZEWELL_NEURON_PRECISION": "bf16",
        "SIZEWELL_NEURON_SHAPES": '{"ids":[1,128]}',
        "SIZEWELL_NEURON_TARGET": "inf9",
    }


HOSTING = frozenset({Usage.HOSTING})
ALL = (
    *TYPES[:4],
    gpu_instance("ml.g9.xlarge", usages=HOSTING),
    neuron_instance("ml.inf9.xlarge", usages=HOSTING),
)
BOTH = Catalog(
    "us-east-1",
    ALL,
    prices=[PriceRow(one.name, "processing", 1.0, "price-list", "2026-01-31") for one in ALL],
    listed={one.name: frozenset(one.usages) for one in ALL},
)


@pytest.mark.parametrize(
    ("family", "cores", "reason"),
    [
        ("g9", 2, "ml.g9.xlarge is chosen, but compile-plants compiles the artifact for inf9"),
        ("inf9", 8, "ml.inf9.xlarge has 2 NeuronCores, but compile-plants spreads the model over 8"),
        ("inf9", 2, None),
    ],
)
def test_an_endpoint_runs_on_what_its_artifact_is_compiled_for(
    family: str, cores: int, reason: str | None
) -> None:
    plants = endpoint(instances={"allowed_families": [family]})
    where = environment({"plants": plants, "compile-plants": compilation(cores)})
    if reason is None:
        assert build_plan(where, BOTH).endpoints[0].instance_type == "ml.inf9.xlarge"
        return
    with pytest.raises(PlanError) as raised:
        build_plan(where, BOTH)
    (fault,) = raised.value.faults
    assert (fault.key_path, fault.reason) == (("workloads", "plants", "instances"), reason)


def test_each_rung_has_a_quota_and_one_runs_at_a_time() -> None:
    plan = planned()
    counts = {rung.instance_type: rung.instance_count for rung in plan.attempts}
    assert {name: count for _, name, count in plan.quotas} == {
        **{f"{name} for processing job usage": count for name, count in counts.items()},
        "Number of instances across all processing jobs": max(counts.values()),
    }
