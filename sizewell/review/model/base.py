"""What all parts of a review share."""

from sizewell.documented_model import DocumentedModel


class ReviewModel(DocumentedModel):
    """Frozen, and strict about keys: the JSON of a review is these models."""
