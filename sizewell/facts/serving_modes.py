"""The ways to serve a model, and what each can hold: a table of limits with the source of each."""

import csv
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("mode_limits.csv")


class Mode(StrEnum):
    """A way to serve a model. The order breaks ties: what comes first is kept."""

    REAL_TIME = "real-time"
    """An endpoint on instances that run all the time."""
    MULTI_MODEL = "multi-model"
    """A real-time endpoint whose instances are shared by several models."""
    SERVERLESS = "serverless"
    """SageMaker Serverless Inference: CPU only, paid by the second of work."""
    ASYNCHRONOUS = "asynchronous"
    """An endpoint with a queue, which scales to zero."""
    BATCH = "batch"
    """Batch transform jobs on instances that run only for the job."""
    LAMBDA = "lambda"
    """An AWS Lambda function: CPU only, paid by the second of work."""


class LimitBasis(StrEnum):
    """How a limit is known."""

    DOCUMENTED = "documented"
    MEASURED = "measured"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Limit:
    """A fact about a mode; the unit is in the name of the limit. ``as_of`` is when the source was read."""

    value: str
    basis: LimitBasis
    as_of: str
    source: str


@cache
def mode_limits() -> dict[tuple[Mode, str], Limit]:
    """Return all limits by mode and name."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (Mode(row["mode"]), row["limit"]): Limit(
                row["value"], LimitBasis(row["basis"]), row["as_of"], row["source"]
            )
            for row in csv.DictReader(file)
        }


def limit(mode: Mode, name: str) -> float:
    """Return a limit, in the unit of its name."""
    return float(mode_limits()[mode, name].value)


def multi_model_gpu_families() -> frozenset[str]:
    """Return the GPU families of multi-model endpoints; types with one GPU only."""
    return frozenset(mode_limits()[Mode.MULTI_MODEL, "gpu_families"].value.split(";"))
