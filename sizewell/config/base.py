"""The common base of every configuration model."""

from typing import Annotated

from pydantic import Field
from pydantic_core import PydanticCustomError

from sizewell.config.effects import OnBudget, OnNumber
from sizewell.documented_model import DocumentedModel


class ConfigModel(DocumentedModel):
    """Frozen, and strict about keys: a misspelt key is an error, never ignored."""


def fault(key: str, reason: str) -> PydanticCustomError:
    """Return the error of a rule between several keys, to be raised in a validator of a model.

    ``key`` is the path, relative to the model, of the key to change: the loader shows its line.
    """
    return PydanticCustomError("rule", "{reason}", {"reason": reason, "key": key})


def without(key: str) -> str:
    """Return what to do about a key that has no effect, wherever it was written."""
    return f"remove it, or write {key}: null in the environment's file to drop what base.yaml says"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def lies_in(inner: str, outer: str) -> bool:
    """Return whether a prefix of a bucket, or an object of it, is or lies below another prefix."""
    return f"{inner.rstrip('/')}/".startswith(f"{outer.rstrip('/')}/")


#: Marks the schema of a text with the list of names that it is from; ``json_schema.layer_schema`` puts in the list.
CHOICES = "x-choices"
#: Marks it with a list of names beside which other texts are valid.
SUGGESTIONS = "x-suggestions"

#: A workload name. It becomes part of S3, IAM and SageMaker names; the longest of these, the training job name (63
#: characters), leaves 26 for it beside platform, environment and twelve random digits.
Name = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
        min_length=2,
        max_length=26,
        examples=["support-bert"],
        description="lower-case letters, digits and single hyphens, first a letter",
    ),
]

#: The name of an input or output, which is a folder of the container.
DataName = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9]*([_-][a-z0-9]+)*$",
        max_length=63,
        examples=["customers"],
        description="lower-case letters, digits, and single hyphens or underscores, first a letter",
    ),
]

#: Letters, digits and _.=- in parts joined by slashes: everything else is a wildcard or a variable to IAM.
S3Key = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?$",
        max_length=900,
        examples=["models/demo/model.tar.gz"],
    ),
]

#: Each workload is a stack, and CloudFormation has 2,000 of them in a region before its quota is raised.
MAX_WORKLOADS = 2000

#: The bounds of a number are beyond anything that runs: they catch a wrong unit, and keep what is computed from it finite.
LEAST_REQUESTS_PER_SECOND = 1e-6
RequestsPerSecond = Annotated[float, Field(ge=LEAST_REQUESTS_PER_SECOND, le=1e6)]
Usd = Annotated[float, Field(ge=0.01, le=1e9)]
SizeGib = Annotated[float, Field(ge=1e-6, le=1e7)]
Megabytes = Annotated[float, Field(ge=1e-6, le=1e5)]
MAX_INSTANCE_COUNT = 10_000
InstanceCount = Annotated[int, Field(ge=1, le=MAX_INSTANCE_COUNT)]
ON_MAX_INSTANCES = OnNumber("carries a smaller peak", "may grow, and cost, more at the peak")
#: Of what one workload may cost.
ON_MAX_USD = OnBudget(removed="nothing limits its cost any more", added="more expensive types are rejected")
#: Of how long a request or a job may take.
ON_TIME_LIMIT = OnNumber("stricter: may need a faster type", "looser: a slower type may do")
#: Days after which S3 deletes something: a century at most.
ExpiryDays = Annotated[int, Field(ge=1, le=36_500)]
#: Weights or values of a tensor, in millions: at most ten trillion, so that a count that is not in millions is refused.
Millions = Annotated[float, Field(ge=1e-6, le=1e7)]
#: Arithmetic in 10^9 floating-point operations.
Gflops = Annotated[float, Field(ge=1e-6, le=1e9)]
#: Room above an estimate, as a share of it: 0.1 rejects what an estimate 10 % higher would miss.
Margin = Annotated[
    float,
    Field(ge=0, le=1),
    OnNumber("less room to every limit", "more room to every limit: may need a larger type"),
]
