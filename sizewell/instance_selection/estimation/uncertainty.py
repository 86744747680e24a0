"""How sure an estimate is: how far measured values lie from predicted ones, for publishers that the fit had not seen.

``uncertainty.csv`` holds half of the nominal 90 % interval of each class, as a logarithm, and of each group of a class that
enough publishers have measured; it is written by ``python -m tools.benchmarks.calibrate``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sizewell.instance_selection.catalog.tables import read_rows, record

TABLE = Path(__file__).with_name("uncertainty.csv")
#: The class of everything.
ANY = "any"
#: Share of measured values that an interval is meant to hold.
NOMINAL = 0.9
#: The spread of an estimate whose coefficients were all measured, as a log standard deviation: levels that no
#: measurement has seen widen an interval in proportion to it.
SEEN_LOG_SD = 0.4
#: Half of an interval where nothing at all was measured: a factor of 3, what a roofline without a fit misses by.
UNMEASURED_LOG_HALF_WIDTH = math.log(3.0)

#: Where high over low is more, an estimate decides nothing: it must be measured.
MAX_HIGH_OVER_LOW = 20.0
_HARDWARE = {"cuda": "GPUs", "neuron": "Neuron", "cpu": "CPUs", "none": "other hardware"}

#: A class of estimates, and a group of it (`range_group`): empty for the whole class.
RangeKey = tuple[str, str]
Spreads = Mapping[RangeKey, "Spread"]


@dataclass(frozen=True, slots=True)
class Spread:
    """Half of the 90 % interval, as a logarithm, and the number of rows and publishers behind it."""

    log_half_width: float
    rows: int
    publishers: int


def estimate_class(
    physics: str, kind: str, *, first_token: bool = False, mixture: bool = False, weight_only: bool = False
) -> str:
    """Return the class of an estimate, by which its accuracy is told and its range is made.

    ``physics`` is ``forward``, ``generation``, ``training``, ``boosting`` or ``memory``; ``kind`` is ``cuda``, ``neuron``,
    ``cpu``, or ``none`` of a processor that cannot be described. ``weight_only``: weights are expanded before use.
    """
    if physics in ("memory", "boosting"):
        return {"memory": "memory", "boosting": "boosted trees"}[physics]
    if physics == "training":
        return f"training on {_HARDWARE[kind]}"
    if physics == "forward":
        return "encoders and image networks on GPUs" if kind == "cuda" else f"one pass on {_HARDWARE[kind]}"
    if kind != "cuda":
        return f"language models on {_HARDWARE[kind]}"
    if first_token:
        return "first token"
    return "mixtures and weight-only" if mixture or weight_only else "dense language models on GPUs"


def range_group(*, eager: bool, devices: float) -> str:
    """Return the group of a class of serving that has a range of its own where enough publishers have measured it.

    ``devices`` share the weights. An eager framework depends on the host, and several devices on their links.
    """
    if eager:
        return "eager"
    return "several devices" if devices > 1 else "one device"


@cache
def load_spreads() -> Spreads:
    """Return the shipped table; empty before the first calibration."""
    if not TABLE.exists():
        return {}
    return {(row["class"], row["group"]): record(Spread, row) for row in read_rows(TABLE)}


def widening(unseen_log_sd: float | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the factor on an interval for levels that no measurement has seen (`Coefficients.unseen_log_sd`)."""
    return np.asarray(np.sqrt(1.0 + (np.asarray(unseen_log_sd) / SEEN_LOG_SD) ** 2))


def log_half_width(name: str, group: str = "", spreads: Spreads | None = None) -> float:
    """Return half of the nominal 90 % interval, as a logarithm: an estimate times and over its exponential.

    A group that too few publishers have measured takes the figure of its class, and such a class that of all classes.
    ``spreads`` replaces the shipped table.
    """
    table = load_spreads() if spreads is None else spreads
    found = table.get((name, group)) or table.get((name, "")) or table.get((ANY, ""))
    return found.log_half_width if found else UNMEASURED_LOG_HALF_WIDTH


def interval_factors(
    keys: Sequence[RangeKey], unseen_log_sd: npt.NDArray[np.float64], spreads: Spreads | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the factors below and above each estimate of the nominal 90 % range."""
    halves = {key: log_half_width(*key, spreads) for key in set(keys)}
    half = np.array([halves[key] for key in keys]) * widening(unseen_log_sd)
    return np.exp(-half), np.exp(half)
