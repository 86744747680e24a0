"""From statistics to a verdict and a change: steady, idle, under-used, busy, growing, exceeded, and nothing at all."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.facts.durations import DAY_S, HOUR_S, MINUTE_S
from sizewell.facts.metric_statistics import Series
from sizewell.planning.observed_model import Seen
from sizewell.planning.rightsizing import KeyChange, Rightsizing, Verdict, figure, rightsize

STATED = {"peak_requests_per_second": 120, "average_requests_per_second": 20}


def every_hour(per_second: float, days: range = range(14)) -> Series:
    """Return the requests of one minute an hour at a rate."""
    hours = range(days.start * 24, days.stop * 24)
    return {hour * HOUR_S: per_second * MINUTE_S for hour in hours}


def seen(requests: Series, **changes: Any) -> Seen:
    given = {"days": 14, "asked_days": 14, "period_s": MINUTE_S, "model_time_us": {}, **changes}
    return Seen(requests=requests, **given)


def judge(
    observed: Seen, written: Mapping[str, float] = STATED, max_p95_ms: float | None = 100
) -> Rightsizing:
    return rightsize(RequestTraffic.model_validate(written), written, observed, max_p95_ms)


def test_a_steady_load_near_the_stated_peak_fits() -> None:
    found = judge(seen(every_hour(100)))
    assert (found.verdict, found.changes) == (Verdict.FITS, ())
    assert found.words == "fits: the peak was 100 of the stated 120 requests per second"
    assert found.peak == 100
    assert found.average == pytest.approx(100 / 60)


def test_an_endpoint_that_is_under_used_states_what_was_seen_and_headroom() -> None:
    found = judge(seen(every_hour(11), utilization={"GPUUtilization": 14.2, "CPUUtilization": 6}))
    assert found.verdict is Verdict.UNDER_USED
    assert found.words == "GPU at most 14 %: the stated peak of 120 requests per second was 11"
    assert found.changes == (
        KeyChange("peak_requests_per_second", 120, 14),
        KeyChange("average_requests_per_second", 20, 0.18),
    )


@pytest.mark.parametrize(
    ("last_day", "words"), [(5, "idle: no request for 9 days"), (0, "idle: no request for 14 days")]
)
def test_an_endpoint_without_a_request_for_a_week_is_idle(last_day: int, words: str) -> None:
    found = judge(seen(every_hour(11, range(last_day)), utilization={"CPUUtilization": 1}))
    assert (found.verdict, found.words, found.changes) == (Verdict.IDLE, words, ())


def test_an_endpoint_that_is_called_once_a_week_is_not_idle() -> None:
    weekly = {0: 600.0, 7 * DAY_S + HOUR_S: 600.0}
    assert judge(seen(weekly)).verdict is Verdict.UNDER_USED


def test_without_requests_and_instances_there_is_no_verdict() -> None:
    found = judge(seen({}))
    assert found.verdict is Verdict.NO_DATA
    assert found.words == "no data: CloudWatch has neither requests nor instances of 14 days"


def test_growth_is_carried_on() -> None:
    found = judge(seen({**every_hour(50, range(7)), **every_hour(100, range(7, 14))}))
    assert found.verdict is Verdict.GROWING
    assert found.words == (
        "growing: the peak was 100 of the stated 120 requests per second, 2 times that of the 7 days before"
    )
    assert found.changes[0] == KeyChange("peak_requests_per_second", 120, 200)


def test_a_launch_is_no_trend() -> None:
    found = judge(seen({**every_hour(0.01, range(7)), **every_hour(100, range(7, 14))}))
    assert found.words.endswith(", 10,000 times that of the 7 days before")
    assert found.changes[0] == KeyChange("peak_requests_per_second", 120, 200)


def test_growth_that_the_stated_peak_has_room_for_is_no_reason_to_raise_it() -> None:
    found = judge(seen({**every_hour(20, range(7)), **every_hour(30, range(7, 14))}))
    assert found.verdict is Verdict.UNDER_USED
    assert found.changes[0] == KeyChange("peak_requests_per_second", 120, 45)


def test_a_peak_above_what_is_stated_is_exceeded() -> None:
    found = judge(seen(every_hour(150)))
    assert (found.verdict, found.words) == (
        Verdict.EXCEEDED,
        "exceeded: the peak was 150 of the stated 120 requests per second",
    )
    assert found.changes[0] == KeyChange("peak_requests_per_second", 120, 190)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"utilization": {"CPUUtilization": 84}},
            "busy: CPU at 84 % at a peak of 11 of the stated 120 requests per second",
        ),
        (
            {"p95_us": {hour * HOUR_S: 140_000.0 for hour in range(14 * 24)}},
            "busy: p95 of 140 ms is above the stated 100 ms at a peak of 11 of the stated 120 requests per second",
        ),
    ],
)
def test_nothing_is_lowered_where_a_small_load_keeps_the_instances_busy(
    changes: dict[str, Any], words: str
) -> None:
    found = judge(seen(every_hour(11), **changes))
    assert (found.verdict, found.words, found.changes) == (Verdict.BUSY, words, ())


def test_keys_keep_the_unit_that_they_are_written_in() -> None:
    written = {"peak_requests_per_minute": 7200, "average_requests_per_day": 86_400}
    assert judge(seen(every_hour(11)), written).changes == (
        KeyChange("peak_requests_per_minute", 7200, 830),
        KeyChange("average_requests_per_day", 86_400, 16_000),
    )


def test_users_are_the_requests_that_the_model_works_on_at_a_time() -> None:
    # 1.5 requests a second of 2 s each: three users who wait.
    busy = dict.fromkeys(every_hour(1), 1.5 * MINUTE_S * 2000000.0)
    written = {"peak_concurrent_users": 8}
    found = rightsize(
        UserTraffic.model_validate(written), written, seen(every_hour(1.5), model_time_us=busy), 15_000
    )
    assert found.words == "the stated peak of 8 users was 3"
    assert found.changes == (
        KeyChange("peak_concurrent_users", 8, 4),
        KeyChange("average_concurrent_users", None, 0.05),
    )


def test_all_requests_of_a_day_fit_into_its_active_hours() -> None:
    # Stated for an hour a day, and seen all day long.
    written = {"peak_requests_per_second": 1000, "average_requests_per_second": 5, "active_hours_per_day": 1}
    all_day = dict.fromkeys(range(0, 14 * DAY_S, MINUTE_S), 600.0)
    found = judge(seen(all_day), written)
    assert [(change.key, change.after) for change in found.changes] == [
        ("peak_requests_per_second", 240),
        ("average_requests_per_second", 10),
    ]
    RequestTraffic.model_validate({**written, **{change.key: change.after for change in found.changes}})


@pytest.mark.parametrize("active_hours", [1, 5.3, 7, 24])
@pytest.mark.parametrize("keys", [("second", "second"), ("minute", "day"), ("day", "hour")])
def test_what_is_proposed_is_valid_whatever_was_seen(active_hours: float, keys: tuple[str, str]) -> None:
    written = {
        f"peak_requests_per_{keys[0]}": 900_000,
        f"average_requests_per_{keys[1]}": 1,
        "active_hours_per_day": active_hours,
    }
    for step in range(60):
        rate = 1e-5 * 1.37**step
        all_day = dict.fromkeys(range(0, 14 * DAY_S, HOUR_S), rate * HOUR_S)
        found = judge(seen(all_day, period_s=HOUR_S), written)
        RequestTraffic.model_validate({**written, **{one.key: one.after for one in found.changes}})


def test_users_whose_requests_took_no_time_are_one_at_least() -> None:
    written = {"peak_concurrent_users": 8}
    found = rightsize(UserTraffic.model_validate(written), written, seen(every_hour(1)), 15_000)
    assert (found.verdict, found.changes[0]) == (Verdict.UNDER_USED, KeyChange("peak_concurrent_users", 8, 1))


def test_an_endpoint_that_is_younger_is_measured_by_its_age() -> None:
    young = judge(seen(every_hour(11, range(12, 14)), days=2))
    assert young.average == pytest.approx(11 / 60)
    nothing = judge(seen({}, days=2, utilization={"CPUUtilization": 1}))
    assert (nothing.verdict, nothing.words) == (Verdict.IDLE, "idle: no request for 2 days")


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0"), (0.0123, "0.012"), (1.04, "1"), (1.46, "1.5"), (11.04, "11"), (1234.5, "1,234")],
)
def test_figures_have_two_digits(value: float, words: str) -> None:
    assert figure(value) == words
