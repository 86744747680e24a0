"""Tags, in the form that every service takes: ASCII, because some take nothing else; SSM parameters take no empty value."""

from typing import Annotated

from pydantic import Field

from sizewell.config.effects import Below, OnChange
from sizewell.facts.tags import MAX_KEY_CHARACTERS, MAX_OTHER_TAGS, MAX_VALUE_CHARACTERS

_TEXT = r"^[A-Za-z0-9_.:/=+@-]([A-Za-z0-9 _.:/=+@-]*[A-Za-z0-9_.:/=+@-])?$"

TagKey = Annotated[
    str,
    Field(
        pattern=_TEXT,
        max_length=MAX_KEY_CHARACTERS,
        examples=["cost-center"],
        description="letters, digits, _ . : / = + - @ and, between them, spaces",
    ),
]
TagValue = Annotated[
    str,
    Field(
        pattern=_TEXT,
        max_length=MAX_VALUE_CHARACTERS,
        examples=["research"],
        description="letters, digits, _ . : / = + - @ and, between them, spaces",
    ),
]
Tags = Annotated[dict[TagKey, TagValue], Field(max_length=MAX_OTHER_TAGS)]

#: Of the tags of a workload.
ON_TAGS = Below(
    OnChange(
        changed="what the workload has carries {}",
        added="what the workload has carries it",
        removed="the workload has no value of its own any more",
    )
)
