"""What all parts of a review share."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["danger", "warning", "notice"]
"""danger: may lose data, traffic or protection; warning: know it before you deploy; notice: good to know."""


class ReviewModel(BaseModel):
    """Frozen, and strict about keys: the JSON of a review is these models."""

    model_config = ConfigDict(frozen=True, extra="forbid")
