"""What is known of each coefficient without any measurement: the factors that it is a product of, and how far levels spread.

``priors.csv`` is written by hand, with a reason for each line; the fit starts from it.
"""

import math
from dataclasses import dataclass, field
from functools import cache

from sizewell.instance_selection.estimation.coefficients import BASE, OTHERS, Level
from tools.benchmarks.tables import DATA, read_table

PRIORS = DATA / "priors.csv"
#: Properties of the software that computes, of which a publisher may be the only witness.
SOFTWARE = frozenset({"engine", "framework", "quantization", "library", "server"})


@dataclass(frozen=True, slots=True)
class FactorPrior:
    """What is known of a factor before any measurement: logarithms, and the spread between levels."""

    log_sd: float
    log_means: dict[str, float] = field(default_factory=dict)


@cache
def load_priors(physics: str) -> dict[str, dict[str, FactorPrior]]:
    """Return the factors of each coefficient of a physics, ``base`` first."""
    priors: dict[str, dict[str, FactorPrior]] = {}
    for row in read_table(PRIORS):
        if row["physics"] == physics:
            factors, factor, level = priors.setdefault(row["coefficient"], {}), row["factor"], row["level"]
            if row["log_sd"]:
                factors[factor] = FactorPrior(float(row["log_sd"]))
            if level != OTHERS or factor == BASE:
                factors[factor].log_means[level] = math.log(float(row["value"]))
    return priors


def is_software(factor: str) -> bool:
    """Return whether a factor depends on what software computes."""
    return not SOFTWARE.isdisjoint(factor.split(":"))


def prior_table(physics: str) -> dict[str, dict[str, dict[str, Level]]]:
    """Return the levels of a physics as they are before any measurement."""
    return {
        name: {
            factor: {
                **({} if factor == BASE else {OTHERS: Level(0.0, known.log_sd)}),
                **{level: Level(mean, known.log_sd) for level, mean in known.log_means.items()},
            }
            for factor, known in factors.items()
        }
        for name, factors in load_priors(physics).items()
    }
