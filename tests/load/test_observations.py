"""What the requests of a test say together, without a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.load.observations import Observation, percentile, summarize


def answered(due_s: float, latency_s: float, **more: float) -> Observation:
    return Observation(due_s, due_s, due_s + latency_s, **more)  # type: ignore[arg-type]


def test_percentiles_are_of_those_that_were_answered() -> None:
    found = summarize(
        [answered(i, (i + 1) / 100) for i in range(100)] + [Observation(100, 100, 160, failure="HTTP 503")]
    )

    assert {percent: round(ms) for percent, ms in found.latency_ms.items()} == {50: 500, 95: 950, 99: 990}
    assert found.mean_latency_ms == pytest.approx(505)
    assert (found.answered, found.failed, found.failures) == (100, 1, {"HTTP 503": 1})
    # The last answer came after 99 + 1 s.
    assert found.answers_per_second == pytest.approx(1)


def test_latency_counts_from_when_a_request_was_due() -> None:
    waited = Observation(due_s=1.0, sent_s=4.0, ended_s=4.5, first_event_s=4.1, last_event_s=4.5, events=5)

    assert waited.latency_s == 3.5
    assert waited.first_token_s == pytest.approx(3.1)
    assert waited.inter_token_s == pytest.approx(0.1)


def test_a_stream_of_one_event_has_no_time_between_tokens() -> None:
    found = summarize([answered(0, 1.0, first_event_s=0.5, last_event_s=0.5, events=1)])

    assert found.first_token_ms[95] == 500
    assert found.inter_token_ms == {}
    assert summarize([answered(0, 1.0)]).first_token_ms == {}


def test_failures_are_counted_the_most_first() -> None:
    kinds = ["HTTP 500", "no answer", "HTTP 429", "no answer"]
    found = summarize([Observation(0, 0, 1, failure=kind) for kind in kinds])

    assert list(found.failures.items()) == [("no answer", 2), ("HTTP 429", 1), ("HTTP 500", 1)]
    assert (found.answered, found.latency_ms, found.answers_per_second) == (0, {}, 0)


def test_nothing_that_was_sent_says_nothing() -> None:
    found = summarize([])

    assert (found.answered, found.failed, found.mean_latency_ms, found.sent_too_late) == (0, 0, None, False)


@pytest.mark.parametrize(("late_s", "is_late"), [(0.0, False), (0.009, False), (0.02, True)])
def test_a_client_that_sends_too_late_measures_itself(late_s: float, is_late: bool) -> None:
    found = summarize([Observation(i, i + late_s, i + late_s + 0.1) for i in range(20)])

    assert found.late_ms == pytest.approx(late_s * 1000)
    assert found.sent_too_late is is_late


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.integers(1, 100))
def test_so_many_of_100_do_not_exceed_a_percentile(values: list[float], percent: int) -> None:
    found = percentile(values, percent)

    assert found in values
    assert sum(value <= found for value in values) >= percent / 100 * len(values)
    assert sum(value < found for value in values) < percent / 100 * len(values)
