"""The service level objective of all requests together: how many of them are answered."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import ConfigModel
from sizewell.config.effects import OnNumber


class AvailabilityObjective(ConfigModel):
    """How many of the requests of a month are answered without an error."""

    min_availability_percent: Annotated[
        float,
        Field(ge=90, le=99.999),
        OnNumber("the alarm on errors is looser", "the alarm on errors is stricter"),
    ] = 99.9
    """The share of the requests of a month in percent that are answered, errors of clients aside. The alarm on errors goes off
    when two and a half times as many fail as this leaves."""
