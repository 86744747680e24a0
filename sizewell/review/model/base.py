"""What all parts of a review share."""

from typing import Literal

from sizewell.documented_model import DocumentedModel

Severity = Literal["danger", "warning", "notice"]
"""danger: may lose data, traffic or protection; warning: know it before you deploy; notice: good to know."""


class ReviewModel(DocumentedModel):
    """Frozen, and strict about keys: the JSON of a review is these models."""
