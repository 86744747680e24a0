"""How requests arrived."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from tests.benchmarks.measured_rows import DECODER
from tools.benchmarks.cells import Cells
from tools.benchmarks.generation_cases import sequences_at_rate
from tools.benchmarks.load import DEFAULT_REQUESTS, Arrival, Load, load_of
from tools.benchmarks.predictions import predict_rows


def load(concurrency: str = "", batch: str = "", **columns: str) -> Load:
    return load_of(Cells({"concurrency": concurrency, "batch_size": batch, **columns}))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("16", {"arrival": Arrival.USERS, "users": 16}),
        ("17.5", {"arrival": Arrival.USERS, "users": 17.5}),
        ("rate=0.5/s", {"arrival": Arrival.RATE, "rate_per_s": 0.5}),
        ("offline 1,000 at once", {"arrival": Arrival.BURST, "requests": 1000}),
        ("burst=200", {"arrival": Arrival.BURST, "requests": 200}),
        ("unbounded (offline)", {"arrival": Arrival.BURST, "requests": DEFAULT_REQUESTS}),
        # A rate that some bound allows, and that no row of MLPerf states.
        ("Poisson arrivals", {"arrival": Arrival.SERVER, "rate_per_s": None}),
    ],
)
def test_requests_arrive_as_the_cell_says(cell: str, expected: dict[str, Any]) -> None:
    found = load(cell)
    assert {name: getattr(found, name) for name in expected} == expected


def test_one_request_alone_is_a_batch_of_one() -> None:
    assert load() == Load(arrival=Arrival.BATCH)


def test_a_stated_batch_starts_together_however_many_clients_sent_it() -> None:
    assert load("", "8") == load("1", "8") == Load(arrival=Arrival.BATCH, users=8)
    assert load("16", "8").users == 16
    # But for requests that arrive by themselves.
    assert load("rate=4/s", "8").arrival is Arrival.RATE


def test_users_of_requests_of_one_are_a_closed_loop() -> None:
    assert load("16") == load("16", "1") == Load(arrival=Arrival.USERS, users=16)


def test_other_columns_say_how_many_and_how_long() -> None:
    found = load("rate=4/s", requests="300", max_sequences="64", lengths="varied")
    assert (found.requests, found.max_sequences, found.varied) == (300, 64, True)
    assert load("burst=100", requests="300").requests == 100


@settings(derandomize=True, max_examples=60)
@given(st.floats(1e-3, 10), st.floats(0, 1), st.floats(1e-3, 1e4), st.floats(1, 2048))
def test_as_many_requests_are_in_progress_as_carry_the_rate_or_as_there_may_be(
    alone_s: float, each_s: float, rate: float, most: float
) -> None:
    def carried(sequences: float) -> float:
        """Return the requests that end per second while so many are in progress (Little's law)."""
        return sequences / (alone_s + each_s * sequences)

    found = float(sequences_at_rate(lambda n: alone_s + each_s * n, np.array(rate), np.array(most)))

    assert 1 <= found <= most * (1 + 1e-9)
    assert carried(found) >= rate or found == pytest.approx(most)
    # One per cent fewer would not do, but for less than one.
    assert carried(0.99 * found) < rate or 0.99 * found < 1


def predicted(metric: str, concurrency: str, lengths: str = "equal") -> float:
    row = {**DECODER, "batch_size": "", "input_len": "512", "concurrency": concurrency, "lengths": lengths}
    (found,) = predict_rows([{**row, "metric": metric}], load_catalog("us-east-1"))
    assert found.predicted is not None, found.reason
    return found.predicted


def test_answers_of_many_lengths_that_begin_together_meet_half_as_many_others_on_the_average() -> None:
    assert predicted("itl_ms", "burst=8", "varied") == pytest.approx(predicted("itl_ms", "burst=4"))
    assert predicted("latency_ms_avg", "burst=8", "varied") < predicted("latency_ms_avg", "burst=8")


def test_while_others_wait_as_many_are_in_progress_whatever_their_lengths() -> None:
    for concurrency in ("burst=100000", "16"):
        equal, varied = (predicted("itl_ms", concurrency, lengths) for lengths in ("equal", "varied"))
        assert varied == pytest.approx(equal, rel=0.02)


def test_a_queue_that_grows_is_believed_where_the_excess_is_larger_than_the_error_of_a_capacity() -> None:
    capacity = predicted("requests_s", "burst=1000")
    calm, near, beyond = (
        predicted("ttft_ms", f"rate={share * capacity:.3f}/s") for share in (0.5, 1.15, 2.0)
    )

    assert near < 5 * calm
    assert beyond > 50 * calm
