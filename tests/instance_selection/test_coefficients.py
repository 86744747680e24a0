"""What is known before a measurement, what measurements made of it, and what widens an estimate."""

import csv
import math
from collections.abc import Collection, Iterator

import numpy as np
import pytest

from sizewell.instance_selection.estimation.coefficients import (
    BASE,
    FITTED,
    NONE,
    PRIORS,
    CoefficientPrior,
    Coefficients,
    FactorPrior,
    Fitted,
    Key,
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
        "network",
        "units",
        "quantization",
        "experts",
        "lengths",
        "library",
        "method",
        "place",
    ),
    "never heard of",
)


def rows(path: object) -> Iterator[dict[str, str]]:
    with open(str(path), encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def labels(**changes: str | tuple[str, ...]) -> Labels:
    return UNSEEN | changes


def known(fitted: dict[Key, Fitted] | None = None, software: Collection[Key] | None = None) -> Coefficients:
    """Return coefficients of which more is known than the tables say."""
    found = Coefficients("forward", fitted or {}, software)
    found.priors = {
        "compute": CoefficientPrior(
            {
                BASE: FactorPrior(0.2, {"*": math.log(0.7)}),
                "kind": FactorPrior(0.3, {"cpu": math.log(0.5), "neuron": math.log(0.6)}),
                "engine": FactorPrior(0.15, {"eager": math.log(0.8)}),
                "quantization": FactorPrior(0.25),
            }
        ),
        "traffic": CoefficientPrior({BASE: FactorPrior(0.4, {"*": 0.0})}),
    }
    return found


def test_without_measurements_a_coefficient_is_the_product_of_its_priors() -> None:
    assert known().values(labels(kind="cpu", engine="eager"), 1)["compute"] == pytest.approx(
        [0.7 * 0.5 * 0.8]
    )


def test_a_level_that_the_priors_do_not_know_is_a_factor_of_one() -> None:
    assert known().values(UNSEEN, 1)["compute"] == pytest.approx([0.7])


def test_a_measured_level_replaces_its_prior_and_no_other() -> None:
    fitted = {("compute", "engine", "eager"): Fitted(math.log(0.9), 0.1)}

    found = known(fitted).values(labels(kind="cpu", engine="eager"), 1)

    assert found["compute"] == pytest.approx([0.7 * 0.5 * 0.9])


def test_each_case_has_levels_of_its_own() -> None:
    found = known().values(labels(kind=("cpu", "neuron", "cuda")), 3)

    assert found["compute"] == pytest.approx([0.7 * 0.5, 0.7 * 0.6, 0.7])


def test_a_property_that_does_not_apply_is_a_factor_of_one_and_widens_nothing() -> None:
    # A fitted level of that name would be a mistake of the table: it is not looked at.
    mistaken = known({("compute", "quantization", NONE): Fitted(9.0, 0.0)})
    one, other = labels(quantization=NONE), labels(quantization="int4")

    assert mistaken.values(one, 1)["compute"] == pytest.approx([0.7])
    with_it, without = (float(known().unseen_log_sd(of, 1, ["compute"])[0]) for of in (other, one))
    assert with_it**2 == pytest.approx(without**2 + 0.25**2)


def test_levels_of_two_properties_are_joined_and_missing_when_one_of_them_is() -> None:
    two: Labels = {"kind": ("cuda", "cpu", NONE), "arithmetic": "half"}

    assert levels("kind:arithmetic", two, 3) == ["cuda|half", "cpu|half", NONE]
    assert levels(BASE, two, 2) == ["*", "*"]
    assert levels("arithmetic", two, 2) == ["half", "half"]


def test_what_no_measurement_has_seen_widens_by_the_spread_of_its_factor() -> None:
    seen = {
        ("compute", factor, "*" if factor == BASE else "x"): Fitted(0.0, 0.0)
        for factor in known().priors["compute"].factors
    }
    all_seen: Labels = dict.fromkeys(UNSEEN, "x")

    assert known(seen).unseen_log_sd(all_seen, 1, ["compute"]) == [0.0]
    assert known(seen).unseen_log_sd({**all_seen, "engine": "y"}, 1, ["compute"]) == pytest.approx([0.15])
    nothing = known().unseen_log_sd(all_seen, 1, ["compute"])
    assert nothing == pytest.approx([math.sqrt(0.2**2 + 0.3**2 + 0.15**2 + 0.25**2)])


@pytest.mark.parametrize(
    ("factor", "software"),
    [
        (BASE, False),
        ("kind", False),
        ("arithmetic", False),
        ("network", False),
        ("engine", True),
        ("framework", True),
        ("quantization", True),
        ("library", True),
        ("kind:library", True),
    ],
)
def test_software_is_told_from_hardware_and_models(factor: str, software: bool) -> None:
    assert is_software(factor) is software


def test_software_that_only_those_who_left_have_shown_is_as_if_nobody_knew_it() -> None:
    hardware: dict[Key, Fitted] = {("compute", "kind", "cpu"): Fitted(math.log(0.9), 0.1)}
    asked, unknown = labels(kind="cpu", engine="eager"), labels(kind="cpu")

    shown = known(hardware, {("compute", "engine", "eager")})
    left = known(hardware, ())

    # The prior of an eager framework is gone with those who have shown it, that of the hardware stays.
    assert shown.values(asked, 1)["compute"] == pytest.approx([0.7 * 0.9 * 0.8])
    assert left.values(asked, 1)["compute"] == pytest.approx([0.7 * 0.9])
    assert left.values(asked, 1) == left.values(unknown, 1)


def test_only_the_decisive_coefficients_widen() -> None:
    both = known().unseen_log_sd(UNSEEN, 1, ["compute", "traffic"])

    assert both > known().unseen_log_sd(UNSEEN, 1, ["compute"])
    assert known().unseen_log_sd(UNSEEN, 1, []) == [0.0]


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


def test_every_fitted_level_is_finite_and_has_rows_of_a_source() -> None:
    seen = set()
    for row in rows(FITTED):
        key = tuple(row[column] for column in ("physics", "coefficient", "factor", "level"))
        assert key not in seen, key
        seen.add(key)
        assert row["physics"] in PHYSICS
        assert abs(float(row["log_value"])) < 20, key
        assert 0 <= float(row["log_sd"]) < 3, key
        assert int(row["rows"]) >= int(row["sources"]) >= 1, key


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
