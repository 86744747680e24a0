"""Who meets a need, at what cost, and who is picked."""

import math
import re
from dataclasses import replace

import pytest

from sizewell.instance_selection import HardwareKind, PriceBasis, select_endpoint_instance
from sizewell.instance_selection.estimation.queueing import service_tail
from sizewell.serving_modes import Mode, ModeComparison, ModeNeeds, compare_modes
from sizewell.serving_modes.function_modes import CpuEstimate, estimate_on_cpu
from tests.instance_selection.builders import (
    BERT_BASE,
    ROUND_CNN,
    catalog,
    cpu_instance,
    decoder_endpoint,
    gpu_instance,
    limits,
)
from tests.serving_modes.builders import (
    CPU_ONLY,
    CPU_USD,
    EVERY_USE,
    MONTH_S,
    SMALL,
    in_region,
    needs,
)


def first_miss(comparison: ModeComparison, mode: Mode) -> str | None:
    misses = comparison.option(mode).misses
    return misses[0].requirement if misses else None


def estimated(wanted: ModeNeeds) -> CpuEstimate:
    cpu = estimate_on_cpu(wanted, SMALL)
    assert isinstance(cpu, CpuEstimate)
    return cpu


def test_real_time_costs_what_the_selection_says() -> None:
    wanted = needs()
    chosen = select_endpoint_instance(wanted.endpoint, SMALL).chosen
    option = compare_modes(wanted, SMALL).option(Mode.REAL_TIME)
    assert option.usd_per_month == pytest.approx(chosen.cost.usd_per_month)
    assert option.p95_latency_ms == chosen.estimate.p95_latency_ms
    assert option.runs_on == f"1 x {chosen.instance_type}"


def test_a_savings_plan_takes_its_share_off_all_that_is_paid_by_the_hour() -> None:
    load = {"max_wait_minutes": 600.0, "similar_models": 3}
    listed, discounted = (
        compare_modes(needs(savings_plan_discount_pct=percent, **load), SMALL) for percent in (0.0, 20.0)
    )
    real_time = select_endpoint_instance(needs(savings_plan_discount_pct=20.0).endpoint, SMALL).chosen
    assert discounted.option(Mode.REAL_TIME).usd_per_month == pytest.approx(real_time.cost.usd_per_month)
    for mode in Mode:
        share = 1.0 if mode in (Mode.SERVERLESS, Mode.LAMBDA) else 0.8
        expected = share * (listed.option(mode).usd_per_month or 0.0)
        assert discounted.option(mode).usd_per_month == pytest.approx(expected) != 0.0, mode
    assert "a Savings Plan takes 20 % off every hour of an instance" in discounted.assumptions
    assert not any("Savings Plan" in line for line in listed.assumptions)


def test_requests_of_a_month_are_the_mean_rate_of_all_its_seconds() -> None:
    assert compare_modes(needs(), SMALL).requests_per_month == pytest.approx(0.01 * MONTH_S)


def test_users_ask_again_when_the_real_time_pick_has_answered() -> None:
    wanted = needs(
        peak_requests_per_second=None,
        average_requests_per_second=None,
        peak_concurrent_users=4.0,
        average_concurrent_users=2.0,
    )
    comparison = compare_modes(wanted, SMALL)
    p95_s = comparison.option(Mode.REAL_TIME).p95_latency_ms / 1000  # type: ignore[operator]
    assert comparison.requests_per_month == pytest.approx(2 / p95_s * MONTH_S)
    chosen = select_endpoint_instance(wanted.endpoint, SMALL).chosen
    assert comparison.option(Mode.REAL_TIME).usd_per_month == pytest.approx(chosen.cost.usd_per_month)


def test_intermittent_traffic_is_cheapest_by_the_second() -> None:
    comparison = compare_modes(needs(), SMALL)
    assert comparison.chosen is not None
    assert comparison.chosen.mode in (Mode.SERVERLESS, Mode.LAMBDA)
    assert (
        comparison.why
        == f"{comparison.chosen.mode} costs the least of the 3 modes that meet every requirement"
    )


def test_steady_traffic_is_cheapest_by_the_hour() -> None:
    comparison = compare_modes(
        needs(peak_requests_per_second=100, average_requests_per_second=90, max_instances=1000), SMALL
    )
    assert comparison.chosen is not None
    assert comparison.chosen.mode is Mode.REAL_TIME


def test_much_work_offline_is_cheapest_as_a_batch() -> None:
    comparison = compare_modes(
        needs(
            peak_requests_per_second=50,
            average_requests_per_second=20,
            max_wait_minutes=24 * 60,
            max_instances=1000,
        ),
        SMALL,
    )
    assert comparison.chosen is not None
    assert comparison.chosen.mode is Mode.BATCH


@pytest.mark.parametrize(
    ("mode", "part"),
    [
        (Mode.REAL_TIME, "instances"),
        (Mode.ASYNCHRONOUS, "instances while awake"),
        (Mode.BATCH, "instances of jobs"),
        (Mode.SERVERLESS, "compute"),
    ],
)
def test_what_a_mode_is_paid_for(mode: Mode, part: str) -> None:
    option = compare_modes(needs(max_wait_minutes=60), SMALL).option(mode)
    assert part in {paid.name for paid in option.parts}


def test_break_even_lies_between_intermittent_and_steady_and_both_cost_the_same_there() -> None:
    on_lambda, found = (
        compare_modes(needs(), SMALL).option(mode).break_even for mode in (Mode.LAMBDA, Mode.SERVERLESS)
    )
    assert on_lambda is not None
    assert found is not None
    assert on_lambda.cheaper_below
    assert found.cheaper_below
    rate = found.requests_per_month / MONTH_S
    at_break_even = compare_modes(
        needs(peak_requests_per_second=100 * rate, average_requests_per_second=rate, max_instances=1000),
        SMALL,
    )
    # Memory may have to grow for the peak; a request costs the same on every memory, but for the rounded millisecond.
    assert at_break_even.option(Mode.SERVERLESS).usd_per_month == pytest.approx(CPU_USD * 730, rel=0.01)
    assert at_break_even.option(Mode.REAL_TIME).usd_per_month == pytest.approx(CPU_USD * 730)


def test_the_one_asked_for_is_taken_whatever_it_costs() -> None:
    comparison = compare_modes(needs(), SMALL, asked=Mode.REAL_TIME)
    assert comparison.chosen == comparison.option(Mode.REAL_TIME)
    assert comparison.why == "real-time is what the configuration asks for"


def test_the_one_asked_for_is_not_taken_when_it_misses_something() -> None:
    comparison = compare_modes(needs(), SMALL, asked=Mode.BATCH)
    assert comparison.chosen is None
    assert comparison.why.startswith("batch does not meet answer: ")


@pytest.mark.parametrize(
    ("payload_mb", "too_small"),
    [
        (3, []),
        (5, ["serverless"]),
        (20, ["serverless", "lambda"]),
        (50, ["real-time", "multi-model", "serverless", "lambda"]),
        (900, ["real-time", "multi-model", "serverless", "batch", "lambda"]),
        (2000, list(Mode)),
    ],
)
def test_payload(payload_mb: float, too_small: list[str]) -> None:
    wanted = needs(payload_mb=payload_mb, max_wait_minutes=60, similar_models=2)
    comparison = compare_modes(wanted, SMALL)
    assert [o.mode for o in comparison.options if first_miss(comparison, o.mode) == "payload"] == too_small


def test_miss_says_by_how_much() -> None:
    (miss,) = compare_modes(needs(response_mb=50), SMALL).option(Mode.REAL_TIME).misses
    assert (miss.requirement, miss.reason, miss.shortfall) == ("response", "50 MB, at most 25 MB", 2)


def test_without_a_payload_no_limit_is_checked_and_it_is_said() -> None:
    assert any("no payload is stated" in line for line in compare_modes(needs(), SMALL).assumptions)


def test_data_is_a_part_of_the_bill() -> None:
    option = compare_modes(needs(payload_mb=1, response_mb=1), SMALL).option(Mode.REAL_TIME)
    parts = {part.name: part.usd_per_month for part in option.parts}
    assert parts["data"] == pytest.approx(0.01 * MONTH_S * 2 / 1024 * 0.016)
    assert option.usd_per_month == pytest.approx(sum(usd or 0 for usd in parts.values()))


def test_answers_that_may_come_later_open_queue_and_batch() -> None:
    at_once, later = compare_modes(needs(), SMALL), compare_modes(needs(max_wait_minutes=60), SMALL)
    for mode in (Mode.ASYNCHRONOUS, Mode.BATCH):
        assert first_miss(at_once, mode) == "answer"
        assert later.option(mode).eligible


def test_a_bound_of_the_99th_percentile_holds_for_functions_too() -> None:
    def reached_ms(**bounds: float) -> float:
        found = compare_modes(needs(**bounds), SMALL).option(Mode.LAMBDA)
        assert found.p95_latency_ms is not None
        assert found.misses == ()
        return found.p95_latency_ms

    bound_ms, ratio = 250.0, service_tail(0.99) / service_tail(0.95)
    assert reached_ms(max_p95_latency_ms=bound_ms) * ratio > bound_ms
    assert reached_ms(max_p95_latency_ms=bound_ms, max_p99_latency_ms=bound_ms) * ratio <= bound_ms


def test_a_warm_worker_has_no_more_memory_than_it_needs_and_a_cold_one_a_whole_vcpu() -> None:
    cold, warm = (
        compare_modes(needs(max_p95_latency_ms=ms), SMALL).option(Mode.SERVERLESS) for ms in (60_000, 2_000)
    )
    assert cold.runs_on == "2,048 MB"
    assert (warm.runs_on or "").startswith("1,024 MB, ")


def test_a_queue_does_not_answer_token_by_token() -> None:
    asked = needs(max_wait_minutes=60)
    asked = replace(asked, endpoint=replace(asked.endpoint, max_inter_token_ms=20))
    assert first_miss(compare_modes(asked, SMALL), Mode.ASYNCHRONOUS) == "inter-token"


def test_batch_needs_time_to_start() -> None:
    comparison = compare_modes(needs(max_wait_minutes=4), SMALL)
    (miss,) = comparison.option(Mode.BATCH).misses
    assert miss.reason == "a job takes 5 minutes to start, 4 minutes may be waited"


def test_queue_that_may_not_wait_for_a_start_stays_awake() -> None:
    asleep = compare_modes(needs(max_wait_minutes=60), SMALL).option(Mode.ASYNCHRONOUS)
    awake = compare_modes(needs(max_wait_minutes=2), SMALL).option(Mode.ASYNCHRONOUS)
    assert asleep.cold_start_s == 360
    assert awake.cold_start_s is None
    assert awake.usd_per_month == pytest.approx(CPU_USD * 730)


def test_idle_hours_are_not_paid_by_a_queue() -> None:
    busy = {"peak_requests_per_second": 1, "average_requests_per_second": 0.1, "max_wait_minutes": 60}
    all_day = compare_modes(needs(**busy), SMALL).option(Mode.ASYNCHRONOUS)
    third = compare_modes(needs(**busy, active_hours_per_day=8), SMALL).option(Mode.ASYNCHRONOUS)
    assert all_day.usd_per_month == pytest.approx(CPU_USD * 730)
    assert third.usd_per_month == pytest.approx(CPU_USD * 730 / 3)


def test_latency_below_a_cold_start_keeps_workers_warm() -> None:
    cold, warm = (
        compare_modes(needs(max_p95_latency_ms=ms), SMALL).option(Mode.LAMBDA) for ms in (60_000, 2_000)
    )
    assert cold.cold_start_s is not None
    assert {part.name for part in cold.parts} == {"compute", "requests"}
    assert warm.cold_start_s is None
    assert {part.name for part in warm.parts} == {"compute", "workers kept warm", "requests"}
    assert "kept warm" in (warm.runs_on or "")


def test_warm_serverless_endpoint_is_paid_day_and_night_and_less_for_each_request() -> None:
    wanted = needs(max_p95_latency_ms=2_000, active_hours_per_day=8)
    option = compare_modes(wanted, SMALL).option(Mode.SERVERLESS)
    parts = {part.name: part.usd_per_month for part in option.parts}
    memory, kept_warm = (int(word) for word in re.findall(r"\d+", (option.runs_on or "").replace(",", "")))
    gb = memory / 1024
    assert parts["workers kept warm"] == pytest.approx(kept_warm * gb * MONTH_S * 0.000005)
    service_s = math.ceil(estimated(wanted).service_s * 4 * 1769 / memory * 1000) / 1000
    assert parts["compute"] == pytest.approx(0.01 * MONTH_S * gb * service_s * 0.0000115)


def test_warm_serverless_endpoint_without_a_known_price_never_wins() -> None:
    comparison = compare_modes(needs(max_p95_latency_ms=2_000), in_region("eu-west-1"))
    option = comparison.option(Mode.SERVERLESS)
    assert option.eligible
    assert (option.usd_per_month, option.basis) == (None, PriceBasis.UNKNOWN)
    assert comparison.chosen is not None
    assert comparison.chosen.mode is not Mode.SERVERLESS


def test_prices_of_another_region_are_unknown() -> None:
    comparison = compare_modes(needs(payload_mb=1), in_region("eu-south-2"))
    for mode in (Mode.SERVERLESS, Mode.LAMBDA):
        option = comparison.option(mode)
        assert (option.eligible, option.usd_per_month, option.break_even) == (True, None, None)
    assert comparison.chosen == comparison.option(Mode.REAL_TIME)
    assert "data processing is left out: its price in eu-south-2 is not known" in comparison.assumptions


def test_functions_need_an_image_for_cpus() -> None:
    comparison = compare_modes(needs(limits=limits(images=frozenset({HardwareKind.CUDA}))), SMALL)
    for mode in (Mode.SERVERLESS, Mode.LAMBDA):
        assert first_miss(comparison, mode) == "image"
        assert comparison.option(mode).usd_per_month is None


def test_families_that_are_denied_are_no_limit_for_functions() -> None:
    comparison = compare_modes(needs(limits=limits(denied_families=frozenset({"c9"}))), SMALL)
    assert comparison.option(Mode.REAL_TIME).runs_on == "1 x ml.g5.xlarge"
    assert comparison.option(Mode.LAMBDA).eligible


@pytest.mark.parametrize("mode", [Mode.SERVERLESS, Mode.LAMBDA])
def test_network_isolation_rules_functions_out(mode: Mode) -> None:
    assert first_miss(compare_modes(needs(network_isolation=True), SMALL), mode) == "isolation"
    assert compare_modes(needs(), SMALL).option(mode).eligible


def test_large_model_does_not_fit_a_function() -> None:
    big = catalog(cpu_instance(memory_gib=256, usages=EVERY_USE), gpu_instance(usages=EVERY_USE))
    wanted = needs(
        model=replace(BERT_BASE, parameters=8e9, layers=100),
        input_tokens=1,
        images_per_request=0,
    )
    comparison = compare_modes(wanted, big)
    for mode, most in ((Mode.SERVERLESS, 6), (Mode.LAMBDA, 10)):
        miss = next(m for m in comparison.option(mode).misses if m.requirement == "memory")
        assert f"at most {most} GiB" in miss.reason
        assert miss.shortfall is not None
        assert miss.shortfall > 1


def test_more_at_once_than_a_serverless_endpoint_takes() -> None:
    wanted = needs(peak_requests_per_second=10_000, max_instances=100_000)
    comparison = compare_modes(wanted, SMALL)
    assert "concurrency" in {miss.requirement for miss in comparison.option(Mode.SERVERLESS).misses}


def test_similar_models_share_the_bill_of_a_fleet() -> None:
    comparison = compare_modes(needs(similar_models=10), SMALL)
    option = comparison.option(Mode.MULTI_MODEL)
    assert option.eligible
    assert option.usd_per_month == pytest.approx(CPU_USD * 730 / 10)
    assert option.shared_by == 10
    assert option.fleet_usd_per_month == pytest.approx(CPU_USD * 730)
    assert option.share == f"the share of one of 10 models in a fleet of {CPU_USD * 730:,.0f} USD"
    assert option.parts[0].name == "1/10 of the instances"


def test_whole_bills_are_no_shares() -> None:
    for comparison in (compare_modes(needs(), SMALL), compare_modes(needs(similar_models=10), SMALL)):
        whole = [o for o in comparison.options if o.mode is not Mode.MULTI_MODEL or o.shared_by == 1]
        assert len(whole) >= len(Mode) - 1
        assert not any(option.share for option in whole)


def test_one_model_shares_with_nobody_and_an_llm_engine_with_no_other() -> None:
    assert first_miss(compare_modes(needs(), SMALL), Mode.MULTI_MODEL) == "models"
    wanted = ModeNeeds(endpoint=decoder_endpoint(max_p95_latency_ms=60_000), similar_models=5)
    assert first_miss(compare_modes(wanted, SMALL), Mode.MULTI_MODEL) == "engine"


def test_models_that_do_not_fit_together() -> None:
    wanted = needs(similar_models=1000, max_p95_latency_ms=1000, peak_requests_per_second=0.001)
    (miss,) = compare_modes(wanted, CPU_ONLY).option(Mode.MULTI_MODEL).misses
    assert miss.requirement == "models"
    assert " of 1,000 models fit in memory" in miss.reason


def test_peaks_that_add_up_beyond_the_fleet() -> None:
    comparison = compare_modes(needs(similar_models=1000, max_instances=1), SMALL)
    assert first_miss(comparison, Mode.MULTI_MODEL) == "throughput"


def test_gpus_of_multi_model_endpoints_are_listed() -> None:
    newer = catalog(gpu_instance("ml.g9.xlarge", usages=EVERY_USE), usd_per_hour={"ml.g9.xlarge": 1})
    assert first_miss(compare_modes(needs(similar_models=2), newer), Mode.MULTI_MODEL) == "multi-model"


def test_no_type_for_real_time_leaves_the_other_modes() -> None:
    wanted = needs(max_instances=1, peak_requests_per_second=10_000, max_wait_minutes=60)
    comparison = compare_modes(wanted, SMALL)
    assert first_miss(comparison, Mode.REAL_TIME) == "throughput"
    assert comparison.option(Mode.BATCH).eligible
    assert comparison.chosen is not None


def test_nothing_will_do() -> None:
    comparison = compare_modes(needs(payload_mb=5000), SMALL)
    assert comparison.chosen is None
    assert comparison.why == "no mode meets every requirement"


def test_type_that_no_transform_job_may_use() -> None:
    hosting_only = catalog(cpu_instance(), usd_per_hour={"ml.c9.xlarge": 1})
    comparison = compare_modes(needs(max_wait_minutes=60), hosting_only)
    assert first_miss(comparison, Mode.BATCH) == "use"
    assert comparison.option(Mode.ASYNCHRONOUS).eligible


def test_comparison_survives_json() -> None:
    comparison = compare_modes(needs(max_wait_minutes=60, similar_models=3), SMALL)
    assert ModeComparison.model_validate_json(comparison.model_dump_json()) == comparison


def test_burstable_fleet_is_paid_for_its_peak() -> None:
    burstable = catalog(cpu_instance("ml.t2.large", burstable=True), usd_per_hour={"ml.t2.large": 0.1})
    wanted = needs(
        peak_requests_per_second=8,
        average_requests_per_second=1,
        max_instances=100,
        limits=limits(allow_burstable=True),
    )
    chosen = select_endpoint_instance(wanted.endpoint, burstable).chosen
    assert chosen.estimate.instances_at_average > 1
    option = compare_modes(wanted, burstable).option(Mode.REAL_TIME)
    assert option.usd_per_month == pytest.approx(chosen.cost.usd_per_month)


def test_memory_grows_until_the_peak_fits_into_the_concurrency() -> None:
    few, many = (
        compare_modes(needs(peak_requests_per_second=peak, max_instances=1000), SMALL).option(Mode.SERVERLESS)
        for peak in (10, 1200)
    )
    assert (few.runs_on, few.eligible) == ("2,048 MB", True)
    assert (many.runs_on, many.eligible) == ("3,072 MB", True)


SLOW = {
    "model": replace(ROUND_CNN, forward_flops_per_image=2e14),
    "average_requests_per_second": 1e-5,
    "peak_requests_per_second": 1e-4,
}


@pytest.mark.parametrize(
    ("mode", "too_short", "enough"), [(Mode.ASYNCHRONOUS, 0.1, 58), (Mode.BATCH, 5.2, 125)]
)
def test_wait_must_leave_time_for_the_work(mode: Mode, too_short: float, enough: float) -> None:
    hasty, patient = (
        compare_modes(needs(**SLOW, max_wait_minutes=wait), SMALL) for wait in (too_short, enough)
    )
    assert first_miss(hasty, mode) == "wait"
    assert patient.option(mode).eligible


def test_work_of_more_than_a_minute_is_for_queue_and_batch_alone() -> None:
    comparison = compare_modes(needs(**SLOW, max_wait_minutes=600, max_p95_latency_ms=60_000), CPU_ONLY)
    assert {o.mode for o in comparison.options if o.eligible} == {Mode.ASYNCHRONOUS, Mode.BATCH}
    assert "duration" in {miss.requirement for miss in comparison.option(Mode.SERVERLESS).misses}
