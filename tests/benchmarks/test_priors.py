"""What is known without a measurement."""

import pytest

from sizewell.instance_selection.estimation.coefficients import BASE, NONE, OTHERS, Level, load_table
from tools.benchmarks.priors import PRIORS, FactorPrior, is_software, load_priors, prior_table
from tools.benchmarks.tables import read_table

PHYSICS = ("forward", "generation", "training", "boosting")


@pytest.mark.parametrize(
    ("factor", "software"),
    [
        (BASE, False),
        ("kind", False),
        ("arithmetic", False),
        ("architecture", False),
        ("engine", True),
        ("library", True),
        ("kind:library", True),
    ],
)
def test_software_is_told_from_hardware_and_models(factor: str, software: bool) -> None:
    assert is_software(factor) is software


def test_every_prior_is_positive_has_a_reason_and_a_spread_for_its_factor() -> None:
    seen, spread, used = set(), set(), set()
    for row in read_table(PRIORS):
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
        if row["level"] == OTHERS and row["factor"] != BASE:
            assert float(row["value"]) == 1.0, key
    assert used == spread


@pytest.mark.parametrize("physics", PHYSICS)
def test_a_level_without_a_measurement_is_its_prior_and_widens_by_the_spread_of_its_factor(
    physics: str,
) -> None:
    for name, factors in load_priors(physics).items():
        for factor, known in factors.items():
            found = prior_table(physics)[name][factor]
            if factor != BASE:
                assert found[OTHERS] == Level(0.0, known.log_sd if known.open else 0.0)
            for level, mean in known.log_means.items():
                assert found[level] == Level(mean, known.log_sd)


def test_a_factor_whose_first_row_names_a_level_has_only_those_that_are_named() -> None:
    named, unnamed = FactorPrior(0.3, {"cpu": 0.1}, open=False), FactorPrior(0.3, {"cpu": 0.1})

    assert (named.has("cpu"), named.has("cuda"), named.has(NONE)) == (True, False, False)
    assert (unnamed.has("cuda"), unnamed.has(NONE)) == (True, False)


@pytest.mark.parametrize("physics", PHYSICS)
def test_the_shipped_table_has_the_factors_of_the_priors(physics: str) -> None:
    shipped, priors = load_table(physics), prior_table(physics)

    assert {name: [*factors] for name, factors in shipped.items()} == {
        name: [*factors] for name, factors in priors.items()
    }
    for name, factors in shipped.items():
        for factor, known in factors.items():
            assert NONE not in known, (name, factor)
            assert priors[name][factor].keys() <= known.keys(), (name, factor)
