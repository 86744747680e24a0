"""The tables of facts: complete, sorted, sourced, dated, and as the documents say."""

import csv
import re

import pytest

from sizewell.facts.serving_modes import (
    LimitBasis,
    Mode,
    limit,
    mode_limits,
    multi_model_gpu_families,
)
from sizewell.serving_modes.evaluation import mode_price, mode_prices
from tests.synthesis import PROJECT_ROOT

TABLES = ("facts/mode_limits", "serving_modes/mode_prices")


def rows(table: str) -> list[dict[str, str]]:
    with (PROJECT_ROOT / "sizewell" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_a_source_and_a_date(table: str) -> None:
    for row in rows(table):
        assert row["source"], row
        assert re.fullmatch(r"20\d\d(-\d\d){0,2}", row["as_of"]) or "undated" in row["source"], row
        assert None not in row, row


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_unique_and_sorted(table: str) -> None:
    keys = [tuple(row.values())[: 3 if table.endswith("mode_prices") else 2] for row in rows(table)]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_says_how_much_and_how_long(mode: Mode) -> None:
    assert limit(mode, "max_payload_mb") > 0
    assert limit(mode, "max_processing_s") > 0


def test_limits_that_everybody_knows() -> None:
    assert limit(Mode.LAMBDA, "max_processing_s") == 15 * 60
    assert limit(Mode.ASYNCHRONOUS, "max_payload_mb") == 1024


def test_prices_are_positive_and_an_unknown_one_is_none() -> None:
    assert all(price.usd > 0 for price in mode_prices().values())
    assert mode_price("eu-south-2", Mode.SERVERLESS, "usd_per_gb_s") is None


def test_what_nobody_publishes_is_called_an_assumption() -> None:
    guesses = {(m, name) for (m, name), fact in mode_limits().items() if fact.basis is LimitBasis.ASSUMED}
    assert (Mode.ASYNCHRONOUS, "start_minutes") in guesses
    assert (Mode.BATCH, "start_minutes") in guesses
    assert not any(name in {"max_payload_mb", "max_processing_s"} for _, name in guesses)


def test_multi_model_gpus_are_those_of_the_guide() -> None:
    assert multi_model_gpu_families() == {"p2", "p3", "g4dn", "g5"}
