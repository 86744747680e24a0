"""How requests arrived, in the words of the cell that says it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.benchmarks.generation_cases import sequences_at_rate
from tools.benchmarks.load import DEFAULT_REQUESTS, Arrival, Load, load_of


def load(concurrency: str = "", batch: float | None = None, note: str = "") -> Load:
    return load_of({"concurrency": concurrency, "note": note}, batch)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("16", {"arrival": Arrival.USERS, "users": 16}),
        ("16 users", {"arrival": Arrival.USERS, "users": 16}),
        ("16 Clients", {"arrival": Arrival.USERS, "users": 16}),
        ("16 concurrent requests", {"arrival": Arrival.USERS, "users": 16}),
        ("15-20 users", {"arrival": Arrival.USERS, "users": 17.5}),
        ("rate=0.5/s", {"arrival": Arrival.RATE, "rate_per_s": 0.5}),
        ("4 req/s", {"arrival": Arrival.RATE, "rate_per_s": 4}),
        ("QPS 4", {"arrival": Arrival.RATE, "rate_per_s": 4}),
        ("Poisson, 4 rps", {"arrival": Arrival.RATE, "rate_per_s": 4}),
        ("offline 1,000 at once", {"arrival": Arrival.BURST, "requests": 1000}),
        ("offline 200 ShareGPT prompts", {"arrival": Arrival.BURST, "requests": 200, "varied": True}),
        ("unbounded (offline)", {"arrival": Arrival.BURST, "requests": DEFAULT_REQUESTS}),
        ("rate=inf", {"arrival": Arrival.BURST}),
        # A rate that some bound allows, and that no row of MLPerf states.
        ("Poisson arrivals", {"arrival": Arrival.SERVER, "rate_per_s": None}),
        ("Server", {"arrival": Arrival.SERVER}),
    ],
)
def test_requests_arrive_as_the_cell_says(words: str, expected: dict[str, Any]) -> None:
    found = load(words)
    assert {name: getattr(found, name) for name in expected} == expected


def test_one_request_alone_is_a_batch_of_one() -> None:
    assert load() == Load(arrival=Arrival.BATCH)


def test_a_stated_batch_starts_together_however_many_clients_sent_it() -> None:
    assert load("", 8) == load("1", 8) == Load(arrival=Arrival.BATCH, users=8)
    assert load("16", 8).users == 16
    # But for requests that arrive by themselves.
    assert load("rate=4/s", 8).arrival is Arrival.RATE


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("300 prompts of ShareGPT", {"requests": 300, "varied": True}),
        ("1,500 requests", {"requests": 1500}),
        ("--max-num-seqs=64", {"max_sequences": 64}),
        ("max_batch_size 32", {"max_sequences": 32}),
        ("random prompts, 512 in 128 out", {"varied": False, "max_sequences": None}),
    ],
)
def test_the_note_says_how_many_and_how_long(note: str, expected: dict[str, Any]) -> None:
    found = load("rate=4/s", note=note)
    assert {name: getattr(found, name) for name in expected} == expected


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
