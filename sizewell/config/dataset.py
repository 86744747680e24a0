"""What a training reads: its dataset, and what more data is called."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, S3Key, SizeGib, fault, without
from sizewell.config.effects import Below, OnChange
from sizewell.config.file_system import FileSystem
from sizewell.facts.training_jobs import CHANNEL_NAME_PATTERN, MAX_CHANNEL_NAME_CHARACTERS

#: The name of a channel, which is a folder of the container.
ChannelName = Annotated[
    str,
    Field(
        pattern=CHANNEL_NAME_PATTERN,
        max_length=MAX_CHANNEL_NAME_CHARACTERS,
        examples=["validation"],
        description="letters, digits, dots, hyphens and underscores",
    ),
]
OTHER_DATA = OnChange("the script reads other data")


class Dataset(ConfigModel):
    """The training data, in the artifact bucket of the environment or in a file system."""

    prefix: S3Key | None = None
    """The prefix of the objects in the artifact bucket."""
    file_system: Annotated[FileSystem | None, Below(OTHER_DATA)] = None
    """The file system that holds the data, in place of a prefix.
    Unproven on Step Functions: see the guide Deploying, Members that nobody has proven."""
    size_gib: SizeGib
    """The size of the data in GiB, which says how fast it must be streamed."""
    examples: Annotated[int, Field(ge=1, le=10**15)] | None = None
    """Images, rows, clips or windows of series of one epoch, for what does not read text."""
    tokens_millions: Annotated[float, Field(ge=1e-6, le=1e9)] | None = None
    """Tokens of one epoch in millions, for what reads text."""
    epochs: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """How often the job goes through the data."""
    sequence_length: Annotated[int, Field(ge=1, le=10_000_000)] = 2048
    """Tokens of one training sequence."""

    @property
    def source(self) -> str | FileSystem:
        """Where the data is: a prefix of the artifact bucket, or a file system."""
        source = self.prefix or self.file_system
        assert source is not None, "one of them is stated"
        return source

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.prefix is None and self.file_system is None:
            raise fault(
                "prefix",
                "is missing: give the prefix of the data in the artifact bucket, or a file_system in place of it",
            )
        if self.prefix is not None and self.file_system is not None:
            raise fault(
                "prefix", f"stands beside file_system, but the data is in one place; {without('prefix')}"
            )
        return self

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        if (self.examples is None) == (self.tokens_millions is None):
            raise fault("", "give either examples (images, rows, clips, series) or tokens_millions (text)")
        return self
