"""What is known of each coefficient without any measurement: the factors that it is a product of, and how far levels spread.

``priors.csv`` is written by hand, with a reason for each line; the fit starts from it. A factor whose first row names a level
has only the levels that are named: any other is what those are relative to, and is not fitted.
"""

import math
from dataclasses import dataclass, field
from functools import cache

from sizewell.instance_selection.estimation.coefficients import BASE, NONE, OTHERS, Level
from tools.benchmarks.tables import DATA, read_table

PRIORS = DATA / "priors.csv"
#: Properties of the software that computes, of which a publisher may be the only witness.
SOFTWARE = frozenset({"engine", "library"})


@dataclass(frozen=True, slots=True)
class FactorPrior:
    """What is known of a factor before any measurement: logarithms, and the spread between levels."""

    log_sd: float
    log_means: dict[str, float] = field(default_factory=dict)
    open: bool = True
    """Whether levels that no row names exist as well."""

    def has(self, level: str) -> bool:
        """Return whether the factor differs from 1 at a level."""
        return level != NONE and (self.open or level in self.log_means)


@cache
def load_priors(physics: str) -> dict[str, dict[str, FactorPrior]]:
    """Return the factors of each coefficient of a physics, ``base`` first."""
    priors: dict[str, dict[str, FactorPrior]] = {}
    for row in read_table(PRIORS):
        if row["physics"] == physics:
            factors, factor, level = priors.setdefault(row["coefficient"], {}), row["factor"], row["level"]
            if row["log_sd"]:
                is_open = level == OTHERS and factor != BASE
                factors[factor] = FactorPrior(float(row["log_sd"]), open=is_open)
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
                **({} if factor == BASE else {OTHERS: Level(0.0, known.log_sd if known.open else 0.0)}),
                **{level: Level(mean, known.log_sd) for level, mean in known.log_means.items()},
            }
            for factor, known in factors.items()
        }
        for name, factors in load_priors(physics).items()
    }
