"""Saved outputs of ``cdk synth``: read once, never changed."""

from review.saved.errors import SavedOutputError
from review.saved.output import Assembly, SavedOutput
from review.saved.reading import OutputReader
from review.saved.stack import Resource, Stack

__all__ = ["Assembly", "OutputReader", "Resource", "SavedOutput", "SavedOutputError", "Stack"]
