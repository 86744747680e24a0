"""What was measured reaches the selection of its workload, and of no other."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurements import Measurements
from sizewell.instance_selection import Measurement
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from sizewell.planning import build_plan, endpoint_plan, training_method
from sizewell.planning.lock import lock_of
from sizewell.planning.measurements import measurements_by_workload
from sizewell.planning.translate import training_requirements
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, policy, training_job

MEASUREMENT = Measurement(instance_type="ml.gpu.xlarge", p95_latency_ms=40, source="load test")


def test_entries_become_measurements_of_the_selection() -> None:
    entry = MeasuredInstance(
        instance_type="ml.g5.xlarge",
        concurrency=8,
        p95_latency_ms=40,
        max_requests_per_second=90,
        peak_accelerator_memory_gib=3.5,
        date="2026-11-03",
        source="load test",
    )
    found = measurements_by_workload(Measurements({"plants": (entry,), "gone": (entry,)}), environment())
    assert found == {
        "plants": (
            Measurement(
                instance_type="ml.g5.xlarge",
                concurrency=8,
                p95_latency_ms=40,
                max_requests_per_second=90,
                peak_accelerator_memory_gib=3.5,
                date="2026-11-03",
                source="load test",
            ),
        )
    }


def test_what_is_left_out_is_not_measured() -> None:
    entry = MeasuredInstance(instance_type="ml.g5.xlarge", training_units_per_second=9, instance_count=4)
    (found,) = measurements_by_workload(Measurements({"plants": (entry,)}), environment())["plants"]
    assert found == Measurement(instance_type="ml.g5.xlarge", training_units_per_second=9, instance_count=4)


def test_requirements_carry_the_measurements() -> None:
    assert endpoint_requirements(endpoint(), policy(), (MEASUREMENT,)).measurements == (MEASUREMENT,)
    assert endpoint_requirements(endpoint(), policy()).measurements == ()
    needs = training_requirements(training_job(), policy(), "full", measurements=(MEASUREMENT,))
    assert needs.measurements == (MEASUREMENT,)


@pytest.mark.parametrize("measured", ["plants", "plants-train"])
def test_plan_hands_them_to_the_selection_of_their_workload(
    measured: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def watch(module: Any, function: str, workload: str) -> None:
        select = getattr(module, function)

        def watched(needs: Any, of: Any) -> Any:
            seen[workload] = needs.measurements
            return select(needs, of)

        monkeypatch.setattr(module, function, watched)

    watch(endpoint_plan, "select_endpoint_instance", "plants")
    watch(training_method, "select_training_instance", "plants-train")
    workloads = {"plants": endpoint(), "plants-train": training_job()}
    build_plan(environment(workloads), catalog(gpu_instance()), measurements={measured: (MEASUREMENT,)})
    assert seen == {"plants": (), "plants-train": (), measured: (MEASUREMENT,)}


def test_a_measurement_scales_a_type_that_only_the_lock_keeps() -> None:
    of = environment({"plants": endpoint()}, policy=policy())
    market = partial(catalog, *(gpu_instance(f"ml.g{n}.xlarge") for n in (1, 2, 3)))
    plan = partial(
        build_plan, of, measurements={"plants": (replace(MEASUREMENT, instance_type="ml.g3.xlarge"),)}
    )
    locked = lock_of(plan(market(usd_per_hour={"ml.g1.xlarge": 1, "ml.g2.xlarge": 2, "ml.g3.xlarge": 3})))
    dearer = market(usd_per_hour={"ml.g1.xlarge": 3, "ml.g2.xlarge": 1, "ml.g3.xlarge": 2})

    (free,), (kept,) = plan(dearer).endpoints, plan(dearer, lock=locked).endpoints
    (free_g1,) = (other for other in free.selection.runners_up if other.instance_type == "ml.g1.xlarge")
    assert free_g1.estimate.scaled_by == ("ml.g3.xlarge",)
    assert kept.selection.chosen == free_g1
    assert [other.instance_type for other in kept.selection.runners_up] == ["ml.g2.xlarge", "ml.g3.xlarge"]
