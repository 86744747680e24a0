"""What a coefficient is made of, and what widens an estimate."""

import csv
import math

import numpy as np
import pytest

from sizewell.instance_selection.estimation.coefficients import (
    BASE,
    COEFFICIENTS,
    NONE,
    OTHERS,
    Coefficients,
    Labels,
    Level,
    Table,
    coefficients,
    levels,
    load_table,
)

PHYSICS = ("forward", "generation", "training", "boosting")
#: Labels that no measurement has seen, each of them.
UNSEEN: dict[str, str] = dict.fromkeys(
    (
        "kind",
        "arithmetic",
        "link",
        "engine",
        "network",
        "units",
        "expansion",
        "experts",
        "lengths",
        "library",
        "method",
        "place",
    ),
    "never heard of",
)
#: The half of a peak that software reaches, less on a CPU; nobody has measured Neuron or an engine.
TABLE: Table = {
    "compute": {
        BASE: {OTHERS: Level(math.log(0.7), 0.0)},
        "kind": {
            OTHERS: Level(0.0, 0.3),
            "cpu": Level(math.log(0.5), 0.0),
            "cuda": Level(0.0, 0.0),
            "neuron": Level(math.log(0.6), 0.3),
        },
        "engine": {OTHERS: Level(0.0, 0.25), NONE: Level(9.0, 9.0)},
    },
    "traffic": {BASE: {OTHERS: Level(0.0, 0.4)}},
}
KNOWN = Coefficients("forward", TABLE)


def labels(**changes: str | tuple[str, ...]) -> Labels:
    return UNSEEN | changes


def test_a_coefficient_is_the_product_of_its_factors_for_each_case() -> None:
    found = KNOWN.values(labels(kind=("cpu", "neuron", "cuda"), engine=NONE), 3)

    assert found["compute"] == pytest.approx([0.7 * 0.5, 0.7 * 0.6, 0.7])
    assert found["traffic"] == pytest.approx([1.0] * 3)


def test_a_level_that_is_not_listed_is_that_of_all_others() -> None:
    assert KNOWN.values(UNSEEN, 1)["compute"] == pytest.approx([0.7])
    assert KNOWN.unseen_log_sd(UNSEEN, 1, ["compute"]) == pytest.approx([math.hypot(0.3, 0.25)])


def test_a_property_that_does_not_apply_is_a_factor_of_one_and_widens_nothing() -> None:
    # A listed level of that name would be a mistake of the table: it is not looked at.
    plain = labels(kind="cuda", engine=NONE)

    assert KNOWN.values(plain, 1)["compute"] == pytest.approx([0.7])
    assert KNOWN.unseen_log_sd(plain, 1, ["compute"]) == [0.0]


def test_what_no_measurement_has_seen_widens_by_the_spread_of_its_factor() -> None:
    two = labels(kind=("cpu", "neuron"), engine=NONE)

    assert KNOWN.unseen_log_sd(two, 2, ["compute"]) == pytest.approx([0.0, 0.3])
    assert KNOWN.unseen_log_sd(two, 2, ["compute", "traffic"]) == pytest.approx([0.4, 0.5])
    assert KNOWN.unseen_log_sd(two, 2, []) == pytest.approx([0.0, 0.0])


def test_levels_of_two_properties_are_joined_and_missing_when_one_of_them_is() -> None:
    two: Labels = {"kind": ("cuda", "cpu", NONE), "arithmetic": "half"}

    assert levels("kind:arithmetic", two, 3) == ["cuda|half", "cpu|half", NONE]
    assert levels(BASE, two, 2) == [OTHERS, OTHERS]
    assert levels("arithmetic", two, 2) == ["half", "half"]


@pytest.mark.parametrize("physics", PHYSICS)
def test_every_coefficient_is_a_positive_number_whatever_the_labels(physics: str) -> None:
    for name, values in coefficients(physics).values(UNSEEN, 2).items():
        assert np.isfinite(values).all(), name
        assert (values > 0).all(), name


@pytest.mark.parametrize("physics", PHYSICS)
def test_every_factor_is_made_of_labels_that_are_given_and_knows_all_others(physics: str) -> None:
    for name, factors in load_table(physics).items():
        assert next(iter(factors)) == BASE, name
        parts = {part for factor in factors if factor != BASE for part in factor.split(":")}
        assert parts <= UNSEEN.keys(), (physics, name)
        assert all(OTHERS in known for known in factors.values()), name


def test_every_level_is_listed_once_and_is_measured_or_has_a_spread() -> None:
    seen = set()
    with COEFFICIENTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[column] for column in ("physics", "coefficient", "factor", "level"))
            assert key not in seen, key
            seen.add(key)
            assert row["physics"] in PHYSICS
            assert row["level"] not in ("", NONE), key
            assert abs(float(row["log_value"])) < 20, key
            reference = row["level"] == OTHERS and row["factor"] != BASE
            measured, spread = int(row["publishers"]) > 0, float(row["unseen_log_sd"]) > 0
            assert not (measured and spread), key
            assert measured or spread or reference, key
