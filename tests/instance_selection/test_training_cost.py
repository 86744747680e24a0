from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    NoFeasibleInstanceError,
    PriceBasis,
    SpotRequirements,
    TrainingEstimate,
    TrainingRequirements,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType, SpotHistory
from sizewell.instance_selection.requirements import START_UP_HOURS
from sizewell.instance_selection.results import Candidate
from tests.instance_selection.builders import (
    GPU,
    LLAMA_3_8B,
    catalog,
    cpu_instance,
    decoder_training,
    gpu_instance,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

NAME = "ml.g9.xlarge"
CHECKPOINT_HOURLY = SpotRequirements(checkpoint_interval_hours=1.0)


def chosen(
    needs: TrainingRequirements,
    instance_type: InstanceType | None = None,
    *,
    usd_per_hour: float | None = 1.0,
    spot: SpotHistory | None = None,
) -> Candidate[TrainingEstimate]:
    known = catalog(
        instance_type or gpu_instance(NAME),
        usd_per_hour={} if usd_per_hour is None else {NAME: usd_per_hour},
        spot={NAME: spot} if spot else {},
    )
    return select_training_instance(needs, known).chosen


def history(savings_percent: int, band: str) -> SpotHistory:
    return SpotHistory(savings_percent=savings_percent, interruption_band=band, as_of="2026-01-31")


def efa_cluster(**changes: Any) -> InstanceType:
    return gpu_instance(NAME, accelerator_count=8, efa_supported=True, network_baseline_gbps=400, **changes)


def test_a_run_lasts_its_work_after_ten_minutes_of_start_up_and_all_of_it_is_paid_for() -> None:
    # 600,000 images of 3 x 10^10 operations at 5 x 10^12 per second are an hour.
    found = chosen(training(), usd_per_hour=3)

    assert found.estimate.duration_hours == pytest.approx(1 + 1 / 6)
    assert found.estimate.units_per_second == pytest.approx(600_000 / 3600)
    assert found.estimate.usd_per_run == pytest.approx(3.5)
    assert found.cost.usd_per_month == pytest.approx(3.5)
    assert found.cost.basis is PriceBasis.PUBLISHED


def test_runs_per_month_multiply_the_cost_of_a_run() -> None:
    found = chosen(training(runs_per_month=30.4), usd_per_hour=3)

    assert found.estimate.usd_per_run == pytest.approx(3.5)
    assert found.cost.usd_per_month == pytest.approx(3.5 * 30.4)


def test_without_a_number_of_runs_the_month_is_one_run_and_says_so() -> None:
    selection = select_training_instance(training(), catalog(gpu_instance()))

    assert selection.assumptions[0] == "one run per month; on-demand prices of unknown date"


def test_the_share_of_peak_arithmetic_is_that_of_the_efficiency_on_one_accelerator() -> None:
    assert chosen(training()).estimate.utilization == pytest.approx(0.5)


def test_accelerators_of_an_instance_share_the_work() -> None:
    found = chosen(training(), gpu_instance(NAME, accelerator_count=8))

    assert found.estimate.units_per_second == pytest.approx(8 / 6e-3)
    assert found.estimate.utilization == pytest.approx(0.5)


def test_more_instances_are_taken_only_to_end_in_time() -> None:
    # One instance of eight takes 100 / 8 = 12.5 hours.
    long = training(units=60e6, max_instances=4)

    at_leisure = chosen(replace(long, deadline_hours=24), efa_cluster()).estimate
    in_a_hurry = chosen(replace(long, deadline_hours=8), efa_cluster()).estimate

    assert (at_leisure.instance_count, in_a_hurry.instance_count) == (1, 2)
    assert in_a_hurry.accelerator_count == 16
    assert in_a_hurry.duration_hours < 8


def test_more_than_one_instance_needs_efa() -> None:
    long = training(units=60e6, max_instances=4, deadline_hours=20)

    without = replace(efa_cluster(), efa_supported=False)

    assert chosen(long, without).estimate.instance_count == 1
    assert chosen(replace(long, min_accelerators=16), efa_cluster()).estimate.instance_count == 2


def test_the_least_number_of_accelerators_decides_the_least_number_of_instances() -> None:
    counts = {
        least: chosen(
            training(min_accelerators=least, max_instances=4), efa_cluster()
        ).estimate.instance_count
        for least in (1, 8, 9, 16, 17, 32)
    }

    assert counts == {1: 1, 8: 1, 9: 2, 16: 2, 17: 3, 32: 4}


def test_without_a_price_the_fewest_instances_are_taken() -> None:
    found = chosen(training(max_instances=4), efa_cluster(), usd_per_hour=None)

    assert found.estimate.instance_count == 1
    assert found.estimate.usd_per_run is None


def test_spot_saves_what_the_advisor_published_and_makes_the_cost_an_estimate() -> None:
    found = chosen(training(spot=CHECKPOINT_HOURLY), spot=history(60, "<5%"))

    assert found.estimate.spot_savings_pct == 60
    assert found.estimate.usd_per_run == pytest.approx(0.4 * found.estimate.duration_hours)
    assert found.cost.usd_per_hour == 1.0
    assert found.cost.basis is PriceBasis.ESTIMATED
    assert found.cost.note == "on-demand price less the published EC2 Spot saving of the region"


def test_each_interruption_costs_a_start_up_and_half_a_checkpoint_interval() -> None:
    # At most 5 % of instances are interrupted in the 730 hours of a month.
    found = chosen(training(spot=CHECKPOINT_HOURLY), spot=history(60, "<5%"))

    lost_hours = 1 * 0.05 / 730 * (1 / 6 + 0.5)
    assert found.estimate.duration_hours == pytest.approx(1 + 1 / 6 + lost_hours)


def test_interruptions_cost_more_the_more_frequent_they_are_and_the_rarer_the_checkpoints() -> None:
    rare = CHECKPOINT_HOURLY
    seldom_saved = replace(rare, checkpoint_interval_hours=4)

    durations = [
        chosen(training(spot=spot, units=6e6), spot=history(60, band)).estimate.duration_hours
        for spot, band in (
            (None, ">20%"),
            (rare, "<5%"),
            (rare, "5-10%"),
            (rare, "10-15%"),
            (rare, "15-20%"),
            (rare, ">20%"),
            (seldom_saved, ">20%"),
        )
    ]

    assert durations == sorted(durations)
    assert len(set(durations)) == len(durations)


def test_any_instance_of_a_cluster_may_be_interrupted() -> None:
    needs = training(spot=CHECKPOINT_HOURLY, min_accelerators=32, max_instances=4)

    found = chosen(needs, efa_cluster(), spot=history(60, ">20%")).estimate

    work_hours = 600_000 / found.units_per_second / 3600
    lost_hours = work_hours * 4 * 0.5 / 730 * (1 / 6 + 0.5)
    assert found.duration_hours == pytest.approx(1 / 6 + work_hours + lost_hours, rel=1e-9)


def test_a_spot_price_above_on_demand_saves_nothing_and_costs_nothing() -> None:
    dear = chosen(training(spot=CHECKPOINT_HOURLY), spot=history(-20, "<5%")).estimate

    assert dear.spot_savings_pct == 0
    assert dear.usd_per_run == pytest.approx(dear.duration_hours)


def test_without_spot_history_nothing_is_saved_and_interruptions_are_taken_as_frequent() -> None:
    unknown = chosen(training(spot=CHECKPOINT_HOURLY))
    frequent = chosen(training(spot=CHECKPOINT_HOURLY), spot=history(0, ">20%"))

    assert unknown.estimate.spot_savings_pct is None
    assert unknown.estimate.duration_hours == frequent.estimate.duration_hours
    assert unknown.estimate.usd_per_run == pytest.approx(unknown.estimate.duration_hours)
    assert unknown.cost.basis is PriceBasis.PUBLISHED


def test_an_on_demand_job_neither_saves_nor_is_interrupted() -> None:
    found = chosen(training(), spot=history(60, ">20%")).estimate

    assert found.spot_savings_pct is None
    assert found.duration_hours == pytest.approx(START_UP_HOURS + 1)


def test_adapters_train_faster_than_all_weights() -> None:
    roomy = gpu_instance(
        NAME, accelerator=replace(GPU, memory_gib=200), accelerator_memory_gib=200.0, memory_gib=512
    )
    full = decoder_training(model=LLAMA_3_8B, deadline_hours=48)
    lora = replace(full, method="lora", lora_parameters=40e6)

    fast, slow = (chosen(needs, roomy).estimate.units_per_second for needs in (lora, full))

    assert fast == pytest.approx(1.5 * slow)


def test_a_cpu_may_train_a_small_model() -> None:
    found = chosen(training(deadline_hours=48), cpu_instance(NAME)).estimate

    assert (found.accelerator_count, found.instance_count) == (0, 1)
    # 600,000 images of 3 x 10^10 operations at 2 x 10^11 per second.
    assert found.duration_hours == pytest.approx(25 + 1 / 6)


def in_turn(deadline_hours: float, **spot: Any) -> TrainingEstimate:
    """Return a run of one hour of work and ten minutes of start, on Spot that saves 60 % and is hardly interrupted."""
    asked = SpotRequirements(**{"checkpoint_interval_hours": 0.25, **spot})
    return chosen(training(spot=asked, deadline_hours=deadline_hours), spot=history(60, "<5%")).estimate


ON_DEMAND_HOURS = 1 + 1 / 6


def test_spot_gives_way_when_a_run_on_demand_would_just_meet_the_deadline() -> None:
    patient, pressed = in_turn(2.5), in_turn(1.75)

    assert patient.spot_hours == pytest.approx(patient.duration_hours)
    window = 1.75 - ON_DEMAND_HOURS
    assert pressed.spot_hours == pytest.approx(window)
    # What is left is done on demand, with another start and half of a checkpoint interval again.
    left = 1 - window / patient.duration_hours
    assert pressed.duration_hours == pytest.approx(window + left + 1 / 6 + 0.125)
    assert pressed.duration_hours <= 1.75 + 0.125
    paid = pressed.duration_hours - 0.6 * window
    assert pressed.usd_per_run == pytest.approx(paid)
    assert pressed.interruptions < patient.interruptions


def test_a_stated_wait_ends_spot_earlier() -> None:
    assert in_turn(10, max_wait_hours=0.5).spot_hours == pytest.approx(0.5)
    assert in_turn(1.75, max_wait_hours=1.5).spot_hours == pytest.approx(1.75 - ON_DEMAND_HOURS)


def test_without_time_for_a_start_and_a_checkpoint_the_whole_run_is_on_demand() -> None:
    tight = in_turn(ON_DEMAND_HOURS + 0.4)

    assert (tight.spot_hours, tight.interruptions) == (0, 0)
    assert tight.duration_hours == pytest.approx(ON_DEMAND_HOURS)
    assert tight.usd_per_run == pytest.approx(ON_DEMAND_HOURS)


def test_the_deadline_is_that_of_a_run_that_finds_no_spot_capacity() -> None:
    with pytest.raises(NoFeasibleInstanceError):
        in_turn(ON_DEMAND_HOURS - 0.01)
    assert in_turn(ON_DEMAND_HOURS).on_demand_hours == pytest.approx(ON_DEMAND_HOURS)


def test_without_a_fallback_spot_has_the_whole_deadline() -> None:
    alone = in_turn(1.3, on_demand_fallback=False)
    assert alone.spot_hours == alone.duration_hours > ON_DEMAND_HOURS
