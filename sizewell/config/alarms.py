"""The alarms of an endpoint, each of which a team can tune or, with a reason, switch off.

Without a key, an alarm follows from the objective and the hardware: ``sizewell.planning.alarm_thresholds``.
"""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault, without
from sizewell.config.effects import OnChange, OnNumber
from sizewell.facts.alarms import MAX_EVALUATED_S
from sizewell.facts.durations import DAY_S, MINUTE_S
from sizewell.facts.serving_modes import Mode, limit

_MAX_INVOCATION_MS = int(limit(Mode.REAL_TIME, "max_processing_s") * 1000)
_ON_THRESHOLD = OnNumber("the alarm is stricter", "the alarm is looser")


class Alarm(ConfigModel):
    """When an alarm goes off, or why it is off."""

    period_s: Annotated[
        Annotated[int, Field(ge=MINUTE_S, le=MAX_EVALUATED_S)] | None,
        OnNumber("the alarm looks at shorter periods", "the alarm looks at longer periods"),
    ] = None
    """Seconds that one value covers, whole minutes; by default 60, and for a share of the requests an hour, or four hours or a
    day where few requests come."""
    datapoints_to_alarm: Annotated[
        Annotated[int, Field(ge=1, le=DAY_S // MINUTE_S)] | None,
        OnNumber("the alarm goes off earlier", "the alarm goes off later"),
    ] = None
    """How many of the last periods must be above; by default all of evaluation_periods where that is stated, else 3 of 5,
    of what instances report 10 of 15, of other periods above 60 seconds 2 of 3, and of a share of the requests one: of four
    hours, three periods of four hours, or two days."""
    evaluation_periods: Annotated[int, Field(ge=1, le=DAY_S // MINUTE_S)] | None = None
    """How many of the last periods are looked at; together at most a day, or a week of periods of an hour and more."""
    off_because: Annotated[
        Annotated[
            str,
            Field(pattern=r"\S", max_length=200, examples=["the engine reserves it all"], description="text"),
        ]
        | None,
        OnChange(
            changed="the alarm stays off, for another reason",
            added="the alarm is switched off, and tells nobody",
            removed="the alarm is on again",
        ),
    ] = None
    """Switches the alarm off, and says why; beside it no other key of the alarm has an effect."""

    @model_validator(mode="after")
    def _is_on_or_off(self) -> Self:
        others = sorted(self.stated - {"off_because"})
        if self.off_because is not None and others:
            raise fault(
                others[0],
                f"has no effect beside off_because, which switches the alarm off; {without(others[0])}",
            )
        if self.period_s is not None and self.period_s % MINUTE_S:
            raise fault(
                "period_s",
                f"is {self.period_s}, but must be whole minutes, a multiple of {MINUTE_S}: endpoints publish once a minute",
            )
        return self

    @property
    def stated(self) -> frozenset[str]:
        """The keys that have a value."""
        return frozenset(key for key in type(self).model_fields if getattr(self, key) is not None)


class ErrorRateAlarm(Alarm):
    """An alarm on a share of the requests."""

    above_percent: Annotated[Annotated[float, Field(ge=0, lt=100)] | None, _ON_THRESHOLD] = None
    """The alarm goes off above this share of the requests in percent, not for fewer than five errors in a period; 0 counts any
    error. By default 0.25, two and a half times what min_availability_percent leaves; errors of clients have no alarm."""


class LatencyAlarm(Alarm):
    """An alarm on a time."""

    above_ms: Annotated[Annotated[float, Field(ge=0.001, lt=_MAX_INVOCATION_MS)] | None, _ON_THRESHOLD] = None
    """The alarm goes off above these milliseconds, fewer than the 60,000 after which SageMaker ends a call. By default
    latency.max_p95_ms and max_p99_ms; the overhead has no alarm."""


class UtilizationAlarm(Alarm):
    """An alarm on how full an instance is."""

    above_percent: Annotated[Annotated[float, Field(gt=0, lt=100)] | None, _ON_THRESHOLD] = None
    """The alarm goes off above this share of the whole instance in percent, of all its vCPUs or GPUs together. By default 90 for
    memory, 80 for the disk and 95 for the memory of GPUs, which an llm-engine fills on purpose; CPU and GPU have no alarm."""


class RequestAlarms(ConfigModel):
    """The alarms of what answers requests at once."""

    server_error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Answers of the container with a status of 5xx (Invocation5XXErrors); model_error_rate counts them, too."""
    model_error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Answers with 5xx, time-outs, broken connections and answers that are none (InvocationModelErrors less
    Invocation4XXErrors)."""
    client_error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Answers with a status of 4xx (Invocation4XXErrors)."""
    model_latency_p95: LatencyAlarm = LatencyAlarm()
    """What 95 of 100 requests take in the model (ModelLatency)."""
    model_latency_p99: LatencyAlarm = LatencyAlarm()
    """What 99 of 100 requests take in the model (ModelLatency)."""
    overhead_latency: LatencyAlarm = LatencyAlarm()
    """What SageMaker adds to a request, on average (OverheadLatency)."""


class Alarms(RequestAlarms):
    """The alarms of an endpoint."""

    cpu_utilization: UtilizationAlarm = UtilizationAlarm()
    """All vCPUs together, on average (CPUUtilization)."""
    gpu_utilization: UtilizationAlarm = UtilizationAlarm()
    """All NVIDIA GPUs together, on average (GPUUtilization)."""
    gpu_memory_utilization: UtilizationAlarm = UtilizationAlarm()
    """Memory of the NVIDIA GPUs, of the fullest instance (GPUMemoryUtilization)."""
    memory_utilization: UtilizationAlarm = UtilizationAlarm()
    """Memory of the fullest instance (MemoryUtilization); it also tells when no instance reports any more, and where it is off,
    the alarm on the disk does, or that on the CPU."""
    disk_utilization: UtilizationAlarm = UtilizationAlarm()
    """Disk of the fullest instance (DiskUtilization)."""
