"""How a new fleet of an endpoint takes over; by default as fits the hardware: ``sizewell.planning.rollout``."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault, without
from sizewell.config.effects import OnChange, OnNumber, OnValue
from sizewell.facts.deployment_guardrails import MAX_WAIT_S, SHARE_BOUNDS_PERCENT, RolloutStrategy

#: Twice the five minutes in which the alarms on errors look.
WAIT_INTERVAL_S = 600
ON_ROLLOUT = OnChange(
    added="how a new fleet takes over is stated",
    removed="how a new fleet takes over follows from the hardware",
)
_WaitS = Annotated[int, Field(ge=0, le=MAX_WAIT_S)]


class Rollout(ConfigModel):
    """How a new fleet takes over the traffic; alarms on errors and latency call it back."""

    strategy: Annotated[
        Literal["none", RolloutStrategy],
        OnValue(
            (
                ("none", "a bad model meets all of the traffic at once, and no alarm calls it back"),
                ("all-at-once", "a bad model meets all of the traffic at once"),
                ("canary", "a share of the traffic meets a new model first"),
                ("linear", "a new model takes over share by share, beside the whole old fleet"),
                ("rolling", "the fleet is exchanged in batches, without a second one"),
            )
        ),
    ]
    """all-at-once, canary and linear start a second fleet of the same size; rolling exchanges the fleet in batches; none has no
    guardrail, as the deployment needs in which a variant comes or goes."""
    share_percent: Annotated[
        Annotated[int, Field(ge=5, le=50)] | None,
        OnNumber(
            "less of the traffic meets a new model at first", "more of the traffic meets a new model at first"
        ),
    ] = None
    """Percent of the capacity that takes traffic first (canary), at a time (linear), or is exchanged at a time (rolling); by
    default half of a fleet of up to four instances, else a quarter, and of a canary a tenth."""
    wait_interval_s: Annotated[
        _WaitS | None,
        OnNumber("alarms are watched for a shorter time", "alarms are watched for a longer time"),
    ] = None
    """Seconds in which the alarms are watched before more follows; by default 600, and 1,200 where this is the only
    wait and the alarm on latency takes as long."""
    termination_wait_s: Annotated[
        _WaitS | None,
        OnNumber("the old fleet is gone sooner", "the old fleet is kept, and paid, for longer"),
    ] = None
    """Seconds that the old fleet is kept after it has lost its traffic, and alarms give it back: the last of the waits, by
    default as long as the others; 0 has none. Rolling has no old fleet."""

    @model_validator(mode="after")
    def _goes_with_strategy(self) -> Self:
        if self.strategy in ("all-at-once", "none") and self.share_percent is not None:
            raise fault(
                "share_percent",
                f"has no effect: all of the traffic moves at once; {without('share_percent')}",
            )
        if self.strategy == "rolling" and self.termination_wait_s:
            raise fault(
                "termination_wait_s",
                f"has no effect: instances of a rolling update are exchanged; {without('termination_wait_s')}",
            )
        least, _ = SHARE_BOUNDS_PERCENT.get(self.strategy, (0, 0))
        if self.share_percent is not None and self.share_percent < least:
            raise fault(
                "share_percent", f"is {self.share_percent}; a linear step is {least} percent at least"
            )
        return self
