"""The statements of the seeds as ids of tests, and the table of those that the selection does not follow."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

TABLE = Path(__file__).with_name("contradictions.csv")


@dataclass(frozen=True)
class Contradiction:
    """A statement of one or more seeds, what is answered instead, and why."""

    seeds: tuple[str, ...]
    statement: str
    answer: str
    reason: str


@cache
def contradictions() -> dict[str, Contradiction]:
    """Return all documented contradictions by their key."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            row["key"]: Contradiction(
                tuple(row["seeds"].split(";")), row["statement"], row["answer"], row["reason"]
            )
            for row in csv.DictReader(file)
        }


def says(seed: str, statement: str) -> pytest.MarkDecorator:
    """Mark a test that the selection agrees with a statement of a seed."""
    return _id(f"{seed}: {statement}")


def contradicts(seed: str, key: str) -> pytest.MarkDecorator:
    """Mark a test of a documented contradiction."""
    assert seed in contradictions()[key].seeds, f"{key} is not documented for {seed}"
    return _id(f"{seed}: contradicted: {key}")


def _id(text: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("statement", [pytest.param(text, id=text)], indirect=True)
