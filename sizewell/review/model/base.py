"""What all parts of a review share."""

from typing import Literal, get_args

from sizewell.documented_model import DocumentedModel

Severity = Literal["danger", "warning", "notice"]
"""danger: may lose data, traffic or protection; warning: know it before you deploy; notice: good to know."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The worst first."""


class ReviewModel(DocumentedModel):
    """Frozen, and strict about keys: the JSON of a review is these models."""
