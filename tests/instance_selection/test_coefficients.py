"""What is known before a measurement, what measurements made of it, and what widens an estimate."""

import csv
import math
from collections.abc import Iterator

import numpy as np
import pytest

from sizewell.instance_selection.estimation.coefficients import (
    BASE,
    FITTED,
    NONE,
    PRIORS,
    Coefficients,
    Fitted,
    Labels,
    coefficients,
    is_software,
    levels,
    load_fitted,
    load_priors,
)

PHYSICS = ("forward", "generation", "training", "boosting")
#: Labels that no measurement has seen, each of them.
UNSEEN: dict[str, str] = dict.fromkeys(
    (
        "kind",
        "arithmetic",
        "link",
        "engine",
        "framework",
        "server",
        "architecture",
        "quantization",
        "experts",
        "lengths",
        "library",
    ),
    "never heard of",
)


def rows(path: object) -> Iterator[dict[str, str]]:
    with open(str(path), encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def labels(**changes: str | tuple[str, ...]) -> Labels:
    return UNSEEN | changes


def test_without_measurements_a_coefficient_is_the_product_of_its_priors() -> None:
    found = Coefficients("forward", fitted={}).values(labels(kind="cpu", engine="eager"), 1)

    # priors.csv: 0.7 for any, x 0.7 on a CPU, x 0.8 of a framework that runs eagerly.
    assert found["compute"] == pytest.approx([0.7 * 0.7 * 0.8])


def test_a_level_that_the_priors_do_not_know_is_a_factor_of_one() -> None:
    assert Coefficients("forward", fitted={}).values(UNSEEN, 1)["compute"] == pytest.approx([0.7])


def test_a_measured_level_replaces_its_prior_and_no_other() -> None:
    fitted = {("compute", "engine", "eager"): Fitted(math.log(0.5), 0.1)}

    found = Coefficients("forward", fitted=fitted).values(labels(kind="cpu", engine="eager"), 1)

    assert found["compute"] == pytest.approx([0.7 * 0.7 * 0.5])


def test_each_case_has_levels_of_its_own() -> None:
    found = Coefficients("forward", fitted={}).values(labels(kind=("cpu", "neuron", "cuda")), 3)

    assert found["compute"] == pytest.approx([0.7 * 0.7, 0.7 * 0.6, 0.7])


def test_a_property_that_does_not_apply_is_a_factor_of_one_and_widens_nothing() -> None:
    without = Coefficients("generation", fitted={("compute", "quantization", NONE): Fitted(9.0, 0.0)})
    one, other = labels(quantization=NONE), labels(quantization="int4|eager")

    # A fitted level of that name would be a mistake of the table: it is not looked at.
    assert without.values(one, 1)["compute"] == pytest.approx([0.7])
    plain = Coefficients("generation", fitted={})
    spread = load_priors("generation")["compute"].factors["quantization"].log_sd
    assert plain.unseen_log_sd(other, 1, ["compute"]) ** 2 == pytest.approx(
        plain.unseen_log_sd(one, 1, ["compute"]) ** 2 + spread**2
    )


def test_levels_of_two_properties_are_joined_and_missing_when_one_of_them_is() -> None:
    two: Labels = {"kind": ("cuda", "cpu", NONE), "arithmetic": "half"}

    assert levels("kind:arithmetic", two, 3) == ["cuda|half", "cpu|half", NONE]
    assert levels(BASE, two, 2) == ["*", "*"]
    assert levels("arithmetic", two, 2) == ["half", "half"]


def test_what_no_measurement_has_seen_widens_by_the_spread_of_its_factor() -> None:
    priors = load_priors("forward")["compute"].factors
    all_seen = {("compute", factor, "*" if factor == BASE else "x"): Fitted(0.0, 0.0) for factor in priors}
    seen_labels: Labels = dict.fromkeys(UNSEEN, "x")
    joined = {
        ("compute", factor, "|".join(["x"] * (factor.count(":") + 1))): Fitted(0.0, 0.0)
        for factor in priors
        if factor != BASE
    }
    known = Coefficients("forward", fitted=all_seen | joined)

    assert known.unseen_log_sd(seen_labels, 1, ["compute"]) == [0.0]
    assert known.unseen_log_sd(seen_labels | {"engine": "y"}, 1, ["compute"]) == pytest.approx(
        [priors["engine"].log_sd]
    )
    nothing = Coefficients("forward", fitted={}).unseen_log_sd(seen_labels, 1, ["compute"])
    assert nothing == pytest.approx([math.sqrt(sum(prior.log_sd**2 for prior in priors.values()))])


@pytest.mark.parametrize(
    ("factor", "software"),
    [
        (BASE, False),
        ("kind", False),
        ("arithmetic", False),
        ("architecture", False),
        ("engine", True),
        ("framework", True),
        ("quantization", True),
        ("library", True),
        ("server", True),
        ("kind:library", True),
    ],
)
def test_software_is_told_from_hardware_and_models(factor: str, software: bool) -> None:
    assert is_software(factor) is software


def test_software_that_only_those_who_left_have_shown_is_as_if_nobody_knew_it() -> None:
    hardware = {("compute", "kind", "cpu"): Fitted(math.log(0.9), 0.1)}
    asked = labels(kind="cpu", engine="eager")
    unknown = labels(kind="cpu")

    shown = Coefficients("forward", hardware, {("compute", "engine", "eager")}).values(asked, 1)
    left = Coefficients("forward", hardware, ())

    # 0.7 for any and 0.8 of the prior of an eager framework, which is gone with those who have shown it.
    assert shown["compute"] == pytest.approx([0.7 * 0.9 * 0.8])
    assert left.values(asked, 1)["compute"] == pytest.approx([0.7 * 0.9])
    for name, value in left.values(asked, 1).items():
        assert value == pytest.approx(left.values(unknown, 1)[name]), name


def test_only_the_decisive_coefficients_widen() -> None:
    found = Coefficients("forward", fitted={})
    both = found.unseen_log_sd(UNSEEN, 1, ["compute", "traffic"])

    assert both > found.unseen_log_sd(UNSEEN, 1, ["compute"])
    assert found.unseen_log_sd(UNSEEN, 1, []) == [0.0]


@pytest.mark.parametrize("physics", PHYSICS)
def test_every_coefficient_is_a_positive_number_whatever_the_labels(physics: str) -> None:
    for name, values in coefficients(physics).values(UNSEEN, 2).items():
        assert np.isfinite(values).all(), name
        assert (values > 0).all(), name


@pytest.mark.parametrize("physics", PHYSICS)
def test_every_fitted_level_has_a_factor_in_the_priors(physics: str) -> None:
    priors = load_priors(physics)
    fitted = load_fitted(physics)

    assert fitted
    for coefficient, factor, level in fitted:
        assert factor in priors[coefficient].factors, (coefficient, factor)
        assert level not in ("", NONE), (coefficient, factor)
        assert (level == "*") == (factor == BASE), (coefficient, factor, level)


def test_every_fitted_level_is_finite_and_names_the_sources_that_it_was_fitted_on() -> None:
    seen = set()
    for row in rows(FITTED):
        key = tuple(row[column] for column in ("physics", "coefficient", "factor", "level"))
        assert key not in seen, key
        seen.add(key)
        assert row["physics"] in PHYSICS
        assert abs(float(row["log_value"])) < 20, key
        assert 0 <= float(row["log_sd"]) < 3, key
        assert int(row["rows"]) >= 1, key
        sources = row["sources"].split(";")
        assert all(sources), key
        assert sources == sorted(set(sources)), key


def test_every_prior_is_positive_has_a_reason_and_a_spread_for_its_factor() -> None:
    seen, spread, used = set(), set(), set()
    for row in rows(PRIORS):
        factor_key = row["physics"], row["coefficient"], row["factor"]
        key = (*factor_key, row["level"])
        assert key not in seen, key
        seen.add(key)
        used.add(factor_key)
        assert row["physics"] in PHYSICS
        assert float(row["value"]) > 0, key
        assert row["reason"], key
        if row["log_sd"]:
            assert 0 <= float(row["log_sd"]) < 2, key
            spread.add(factor_key)
        if row["level"] == "*" and row["factor"] != BASE:
            assert float(row["value"]) == 1.0, key
    assert used == spread


def test_every_factor_is_made_of_labels_that_are_given() -> None:
    for physics in PHYSICS:
        for name, prior in load_priors(physics).items():
            assert next(iter(prior.factors)) == BASE, name
            parts = {part for factor in prior.factors if factor != BASE for part in factor.split(":")}
            assert parts <= UNSEEN.keys(), (physics, name)
