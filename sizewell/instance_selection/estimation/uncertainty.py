"""How sure an estimate is: the spread of measured around predicted values of sources that the fit had not seen.

``uncertainty.csv`` holds half of the nominal 90 % interval, as a logarithm, for each physics, kind of hardware and
architecture; it is written by ``python -m tools.benchmarks.calibrate``. A class that too few sources have measured takes the
figure of the next wider one. Classes by engine or by metric would be wider at no gain: what separates sources is their
software and their care, and that is the same in all of these classes.
"""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

TABLE = Path(__file__).with_name("uncertainty.csv")
#: The class of everything.
ANY = "*"
#: Share of measured values that an interval is meant to hold.
NOMINAL = 0.9
#: The spread of an estimate whose coefficients were all measured, as a log standard deviation: levels that no
#: measurement has seen widen an interval in proportion to it.
SEEN_LOG_SD = 0.4
#: Half of an interval where nothing at all was measured: a factor of 3, what a roofline without a fit misses by.
UNMEASURED_LOG_HALF_WIDTH = math.log(3.0)

#: Physics, kind of hardware and architecture; ``*`` is any.
Class = tuple[str, str, str]
Spreads = Mapping[Class, "Spread"]


@dataclass(frozen=True, slots=True)
class Spread:
    """Half of the 90 % interval of a class, as a logarithm, and how much stands behind it."""

    log_half_width: float
    rows: int
    sources: int


def classes_of(physics: str, kind: str, architecture: str) -> tuple[Class, ...]:
    """Return the classes of an estimate, the narrowest first."""
    return (physics, kind, architecture), (physics, kind, ANY), (physics, ANY, ANY), (ANY, ANY, ANY)


@cache
def load_spreads() -> Spreads:
    """Return the shipped table; empty before the first calibration."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["physics"], row["kind"], row["architecture"]): Spread(
                float(row["log_half_width"]), int(row["rows"]), int(row["sources"])
            )
            for row in csv.DictReader(file)
        }


def widening(unseen_log_sd: float | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the factor on an interval for levels that no measurement has seen (`Coefficients.unseen_log_sd`)."""
    return np.asarray(np.sqrt(1.0 + (np.asarray(unseen_log_sd) / SEEN_LOG_SD) ** 2))


def log_half_width(
    physics: str,
    kind: str,
    architecture: str = ANY,
    unseen_log_sd: float | npt.NDArray[np.float64] = 0.0,
    spreads: Spreads | None = None,
) -> npt.NDArray[np.float64]:
    """Return half of the nominal 90 % interval, as a logarithm: an estimate times and over its exponential.

    ``physics`` is ``forward``, ``generation``, ``training``, ``boosting`` or ``memory``; ``kind`` is ``cuda``,
    ``neuron`` or ``cpu``; ``architecture`` is a value of `Architecture`. ``spreads`` replaces the shipped table.
    """
    table = load_spreads() if spreads is None else spreads
    found = next((table[key] for key in classes_of(physics, kind, architecture) if key in table), None)
    return (found.log_half_width if found else UNMEASURED_LOG_HALF_WIDTH) * widening(unseen_log_sd)


def interval_factors(
    physics: str, kinds: tuple[str, ...], unseen_log_sd: npt.NDArray[np.float64], architecture: str = ANY
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the factors below and above each estimate of the nominal 90 % range."""
    halves = {kind: float(log_half_width(physics, kind, architecture)) for kind in set(kinds)}
    half = np.array([halves[kind] for kind in kinds]) * widening(unseen_log_sd)
    return np.exp(-half), np.exp(half)
