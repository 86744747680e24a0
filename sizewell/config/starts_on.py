"""What starts a job beside people and its schedule: data that has arrived, or an alarm."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, S3Key, fault
from sizewell.config.effects import OnChange

ON_STARTS = OnChange(
    added="runs start by events, which nobody counts in the bill", removed="runs no longer start by events"
)


class StartsOn(ConfigModel):
    """Events that start a run each."""

    object: Annotated[S3Key | None, OnChange("other data starts a run")] = None
    """The key of one object of the artifact bucket: each time that it is written, a run starts. Write it last, when all data is
    there, for example datasets/plants/_SUCCESS."""
    alarm: Annotated[
        Annotated[
            str, Field(pattern=r"^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$", examples=["drift-of-plants"])
        ]
        | None,
        OnChange("another alarm starts a run"),
    ] = None
    """The name of a CloudWatch alarm of the same account and region: each time that it goes off, a run starts."""

    @model_validator(mode="after")
    def _something_starts_it(self) -> Self:
        if self.object is None and self.alarm is None:
            raise fault("", "names nothing that could start a run; give object, alarm, or both")
        if self.object is not None and self.object.endswith("/"):
            raise fault(
                "object",
                "is a prefix; name the object that is written last, such as datasets/plants/_SUCCESS",
            )
        return self
