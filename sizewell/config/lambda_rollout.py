"""How a new version of a function takes over: at once, or step by step with CodeDeploy."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault, without
from sizewell.config.effects import OnChange, OnNumber, OnValue
from sizewell.facts.codedeploy import INTERVAL_S, MAX_SHARE_PERCENT, MAX_SHIFT_S, ShiftStrategy

ON_LAMBDA_ROLLOUT = OnChange(
    added="how a new version takes over is stated",
    removed="a new version takes over all of the traffic at once, and no alarm calls it back",
)


class LambdaRollout(ConfigModel):
    """How a new version takes over the traffic of the alias; alarms on its errors and latency call it back."""

    strategy: Annotated[
        Literal["none", ShiftStrategy],
        OnValue(
            (
                ("none", "a bad version meets all of the traffic at once, and no alarm calls it back"),
                ("canary", "a share of the traffic meets a new version first"),
                ("linear", "a new version takes over share by share"),
            )
        ),
    ]
    """canary and linear let CodeDeploy shift the traffic in steps; none moves all of it at once, with nothing to call it back."""
    share_percent: Annotated[
        Annotated[int, Field(ge=1, le=MAX_SHARE_PERCENT)] | None,
        OnNumber(
            "less of the traffic meets a new version at first",
            "more of the traffic meets a new version at first",
        ),
    ] = None
    """Percent of the traffic, 1 to 99, that moves first (canary) or at a time (linear); by default 10."""
    wait_interval_s: Annotated[
        Annotated[int, Field(ge=INTERVAL_S, le=MAX_SHIFT_S)] | None,
        OnNumber("alarms are watched for a shorter time", "alarms are watched for a longer time"),
    ] = None
    """Seconds, 60 to 172,800 in whole minutes, in which the alarms are watched before more follows; by default as long as they
    take to see a bad version at the average load, at least 600 and at most 3,600."""

    @model_validator(mode="after")
    def _goes_with_strategy(self) -> Self:
        for key in ("share_percent", "wait_interval_s"):
            if self.strategy == "none" and getattr(self, key) is not None:
                raise fault(key, f"has no effect: all of the traffic moves at once; {without(key)}")
        if self.wait_interval_s is not None and self.wait_interval_s % INTERVAL_S:
            raise fault(
                "wait_interval_s",
                f"is {self.wait_interval_s}; CodeDeploy waits whole minutes: write a multiple of 60",
            )
        return self
