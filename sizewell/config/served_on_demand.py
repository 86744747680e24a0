"""What workers serve that start when they are needed, or are kept warm: its traffic, its concurrency and how that scales."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from sizewell.config.availability import AvailabilityObjective
from sizewell.config.base import ConfigModel, Name, fault, without
from sizewell.config.effects import Below, OnFactor, OnNumber, SelectionNeed
from sizewell.config.endpoint import AnswerLatency
from sizewell.config.scaling import MAX_SCHEDULES, ON_SCHEDULE, ScheduleMoment, check_schedules
from sizewell.config.served_model import ServedModel
from sizewell.config.traffic import Traffic

#: More than the quotas of an account allow before somebody asks for more.
Concurrency = Annotated[int, Field(ge=1, le=10_000)]
#: What to do about an image of AWS. https://docs.aws.amazon.com/lambda/latest/dg/images-create.html
NOT_FOR_LAMBDA = (
    "AWS's images for SageMaker have no Lambda runtime interface, and do not start in Lambda: build one from "
    "public.ecr.aws/lambda/python, or add the package awslambdaric to yours, push it to Amazon ECR, and write its account, "
    "repository and tag; kind: serverless-endpoint starts AWS's images"
)
ON_MEMORY = OnNumber("less memory, and a smaller share of vCPUs", "more memory, and a larger share of vCPUs")
ON_MAX_CONCURRENCY = OnNumber("fewer requests are answered at once", "more requests are answered at once")


class ConcurrencySchedule(ScheduleMoment):
    """Bounds of provisioned concurrency that hold from a moment of the week until the next schedule begins."""

    min_provisioned_concurrency: Concurrency | None = None
    """The least provisioned concurrency from then on; by default that of scaling."""
    max_provisioned_concurrency: Concurrency | None = None
    """The most provisioned concurrency from then on; by default that of scaling."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_order(self.min_provisioned_concurrency, self.max_provisioned_concurrency)
        return self


class ConcurrencyScaling(ConfigModel):
    """How provisioned concurrency follows the load, and the clock."""

    min_provisioned_concurrency: Annotated[
        Concurrency | None, OnNumber("fewer workers stay warm", "more workers stay warm, and are paid")
    ] = None
    """The least provisioned concurrency (MinCapacity); by default 1."""
    max_provisioned_concurrency: Annotated[
        Concurrency | None,
        OnNumber("fewer workers are warm at the peak", "more workers may be warm, and paid"),
    ] = None
    """The most provisioned concurrency (MaxCapacity); by default what the peak load needs."""
    schedules: Annotated[
        dict[Name, ConcurrencySchedule],
        Field(max_length=MAX_SCHEDULES),
        ON_SCHEDULE,
    ] = {}
    """Bounds that hold from a moment of the week on (ScheduledActions), by a name of yours."""
    headroom: Annotated[
        float,
        Field(ge=0, lt=0.9),
        OnNumber(
            "less provisioned concurrency stays free",
            "more provisioned concurrency stays free: scales out earlier",
        ),
    ] = 0.3
    """The share of the provisioned concurrency that stays free while more is made ready."""
    scale_out_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 60
    """Seconds after adding provisioned concurrency before more is added (ScaleOutCooldown)."""
    scale_in_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 300
    """Seconds after removing provisioned concurrency before more is removed (ScaleInCooldown)."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_order(self.min_provisioned_concurrency, self.max_provisioned_concurrency)
        check_schedules(self, self.schedules)
        return self


def _check_order(least: int | None, most: int | None) -> None:
    if least and most and least > most:
        raise fault("min_provisioned_concurrency", f"is {least}, above max_provisioned_concurrency ({most})")


class ServedOnDemand(ServedModel, AvailabilityObjective):
    """A model whose workers start when a request needs them, or are kept warm."""

    most_concurrency: ClassVar[int]
    """The most requests that AWS answers at once, unless somebody states otherwise."""

    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed.LOAD]
    """How much arrives: requests per second, or users who wait for their answers."""
    latency: AnswerLatency
    """How fast a request must be answered."""
    memory_mb: Annotated[int | None, ON_MEMORY] = None
    """Memory of a worker in MB."""
    max_concurrency: Annotated[Concurrency | None, ON_MAX_CONCURRENCY] = None
    """The most requests that are answered at once."""
    provisioned_concurrency: Annotated[
        Annotated[int, Field(ge=0, le=10_000)] | None,
        OnNumber("fewer workers are kept warm", "more workers are kept warm, and paid day and night"),
    ] = None
    """How many workers are kept warm (ProvisionedConcurrency); 0 keeps none. By default as many as 95 of 100 requests need at
    peak where the latency leaves no time for a cold start, else none."""
    scaling: ConcurrencyScaling | None = None
    """How provisioned concurrency follows the load and the clock; by default it is a fixed number."""

    @model_validator(mode="after")
    def _concurrency_is_ordered(self) -> Self:
        most, what = self.max_concurrency, "max_concurrency"
        if most is None:
            most, what = self.most_concurrency, f"what a {self.kind} answers at once"
        stated = {"provisioned_concurrency": self.provisioned_concurrency}
        if self.scaling is not None:
            self._check_start(self.scaling)
            for key in ("min_provisioned_concurrency", "max_provisioned_concurrency"):
                stated[f"scaling.{key}"] = getattr(self.scaling, key)
                for name, schedule in self.scaling.schedules.items():
                    stated[f"scaling.schedules.{name}.{key}"] = getattr(schedule, key)
        for key, value in stated.items():
            if value is not None and value > most:
                raise fault(key, f"is {value}, above {what} ({most})")
        return self

    def _check_start(self, scaling: ConcurrencyScaling) -> None:
        """A deployment provisions a number that scaling allows."""
        start = self.provisioned_concurrency
        if start is None:
            return
        if start == 0:
            raise fault("scaling", f"has no effect beside provisioned_concurrency: 0; {without('scaling')}")
        least, most = scaling.min_provisioned_concurrency, scaling.max_provisioned_concurrency
        if least is not None and start < least:
            raise fault(
                "provisioned_concurrency", f"is {start}, below scaling.min_provisioned_concurrency ({least})"
            )
        if most is not None and start > most:
            raise fault(
                "provisioned_concurrency", f"is {start}, above scaling.max_provisioned_concurrency ({most})"
            )
