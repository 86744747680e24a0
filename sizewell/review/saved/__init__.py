"""Saved outputs of ``cdk synth``: read once, never changed."""

from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.output import Assembly, SavedOutput
from sizewell.review.saved.reading import OutputReader
from sizewell.templates.template import Resource, Stack

__all__ = ["Assembly", "OutputReader", "Resource", "SavedOutput", "SavedOutputError", "Stack"]
