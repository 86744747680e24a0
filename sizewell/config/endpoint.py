"""What a model that answers at once is asked: how fast, and for how many."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.availability import AvailabilityObjective
from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault, without
from sizewell.config.effects import Below, OnFactor, SelectionNeed
from sizewell.config.served_model import ModelOnInstances, ServedOnInstances
from sizewell.config.traffic import Traffic
from sizewell.facts.serving_modes import Mode, limit

MAX_INVOCATION_MS = int(limit(Mode.REAL_TIME, "max_processing_s") * 1000)


#: From a microsecond, in which no model answers.
ModelLatencyMs = Annotated[float, Field(ge=0.001, le=MAX_INVOCATION_MS)]


class AnswerLatency(ConfigModel):
    """The service level objective of one request, as the model answers it."""

    max_p95_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed.BOUND]
    """Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000."""
    max_p99_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed.BOUND] = None
    """Milliseconds within which 99 of 100 requests are answered; without it nothing is asked, and there is no
    alarm."""

    @model_validator(mode="after")
    def _percentiles_ordered(self) -> Self:
        if self.max_p99_ms is not None and self.max_p99_ms < self.max_p95_ms:
            raise fault("max_p99_ms", f"is {self.max_p99_ms:g}, below max_p95_ms ({self.max_p95_ms:g})")
        return self


class Latency(AnswerLatency):
    """The service level objective of one request, as the model answers it, whole or token by token."""

    max_p95_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed.BOUND] = MAX_INVOCATION_MS
    """Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000. Of a model
    that generates, by default what max_time_to_first_token_ms and max_inter_token_ms come to, or 60,000 where one of them is
    stated."""
    max_time_to_first_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed.BOUND] = None
    """Milliseconds within which 95 of 100 answers begin, of a model that generates; callers read the response as a
    stream."""
    max_inter_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed.BOUND] = None
    """Milliseconds between two tokens, on the average of an answer, that 95 of 100 answers keep; of a model that
    generates."""
    max_wait_minutes: Annotated[float, Field(ge=0.01, le=28 * 24 * 60)] | None = None
    """Minutes that an answer may come later, which asynchronous and batch need; by default the caller waits for it."""

    @model_validator(mode="after")
    def _some_bound(self) -> Self:
        stated = {"max_p95_ms", "max_time_to_first_token_ms", "max_inter_token_ms"} & self.model_fields_set
        if not stated:
            raise fault("max_p95_ms", "is missing: how fast must 95 of 100 requests be answered?")
        return self

    @model_validator(mode="after")
    def _first_token_ordered(self) -> Self:
        first = self.max_time_to_first_token_ms
        if first is not None and first >= self.max_p95_ms:
            raise fault(
                "max_time_to_first_token_ms",
                f"is {first:g} and has no effect: an answer that is whole within max_p95_ms ({self.max_p95_ms:g}) has begun "
                f"before; lower it, or {without('max_time_to_first_token_ms')}",
            )
        return self


class AnsweringModel(ModelOnInstances, AvailabilityObjective):
    """A model on instances, and what somebody who waits for each answer needs of it."""

    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed.LOAD]
    """How much arrives: requests per second, or users who wait for their answers."""
    latency: Latency
    """How fast a request must be answered."""

    @model_validator(mode="after")
    def _whole_answer(self) -> Self:
        latency, tokens = self.latency, self.request.output_tokens
        first, between = latency.max_time_to_first_token_ms, latency.max_inter_token_ms
        if "max_p95_ms" not in latency.model_fields_set and first and between and tokens:
            whole_ms = min(MAX_INVOCATION_MS, first + between * tokens)
            object.__setattr__(self, "latency", latency.model_copy(update={"max_p95_ms": whole_ms}))
        return self

    @model_validator(mode="after")
    def _batch_leaves_time(self) -> Self:
        if self.batching is not None and self.batching.max_delay_ms >= self.latency.max_p95_ms:
            raise fault(
                "batching.max_delay_ms",
                f"is {self.batching.max_delay_ms}, which leaves nothing of max_p95_ms ({self.latency.max_p95_ms:g}): a request "
                "that comes alone waits all of it",
            )
        return self

    @model_validator(mode="after")
    def _bounds_of_tokens_have_tokens(self) -> Self:
        tokens, latency = self.request.output_tokens, self.latency
        for key in ("max_time_to_first_token_ms", "max_inter_token_ms"):
            if tokens is None and getattr(latency, key) is not None:
                raise fault(
                    f"latency.{key}",
                    "has no effect: the model writes no tokens, request.output_tokens says how many; "
                    f"{without(key)}",
                )
        between = latency.max_inter_token_ms
        if tokens is not None and between is not None and between * tokens >= latency.max_p95_ms:
            raise fault(
                "latency.max_inter_token_ms",
                f"is {between:g} and has no effect: {tokens:,} tokens within max_p95_ms ({latency.max_p95_ms:g}) are "
                f"{latency.max_p95_ms / tokens:.3g} ms for each; lower it, or {without('max_inter_token_ms')}",
            )
        return self


class EndpointNeeds(AnsweringModel, ServedOnInstances):
    """What somebody who waits for each answer needs of an endpoint."""

    @property
    def asked_mode(self) -> str:
        """How it is to be served: a mode by its name, or ``auto``."""
        return Mode.REAL_TIME.value

    @property
    def models_alike(self) -> int:
        """How many models like this could share the instances of an endpoint, this one included."""
        return 1

    @property
    def starts_in_lambda(self) -> bool:
        """Whether its image has the Lambda runtime interface."""
        return False

    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it; by default nobody is given the permission."""
