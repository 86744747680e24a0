"""The common base of every configuration model."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


class ConfigModel(BaseModel):
    """Frozen, and strict about keys: a misspelt key is an error, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def fault(key: str, reason: str) -> PydanticCustomError:
    """Return the error of a rule between several keys, to be raised in a validator of a model.

    ``key`` is the path, relative to the model, of the key to change: the loader shows its line.
    """
    return PydanticCustomError("rule", "{reason}", {"reason": reason, "key": key})


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


#: A workload name. It becomes part of S3, IAM and SageMaker names; the longest of these, the training job name (63
#: characters), leaves 26 for it beside platform, environment and twelve random digits.
Name = Annotated[
    str,
    Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", min_length=2, max_length=26, examples=["support-bert"]),
]

Positive = Annotated[float, Field(gt=0)]
PositiveInt = Annotated[int, Field(gt=0)]
#: Room above an estimate, as a share of it: 0.1 turns down what an estimate 10 % higher would miss.
Margin = Annotated[float, Field(ge=0, le=1)]
