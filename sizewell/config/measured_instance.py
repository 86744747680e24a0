"""One entry of ``measurements.yaml``: what was measured of a workload on an instance type."""

from typing import Annotated

from pydantic import Field, model_validator

from sizewell.config.base import MAX_WORKLOADS, ConfigModel, Name, fault
from sizewell.facts.days import DAY_PATTERN
from sizewell.facts.instance_types import NAME_PATTERN

#: What may be measured of an endpoint, and of a training job; memory may be of both.
ENDPOINT_KEYS = ("p95_latency_ms", "time_to_first_token_ms", "inter_token_ms", "max_requests_per_second")
TRAINING_KEYS = ("training_units_per_second",)
MEASURED_KEYS = (*ENDPOINT_KEYS, *TRAINING_KEYS, "peak_accelerator_memory_gib")

MAX_SOURCE_CHARACTERS = 300

#: What tells two measurements of a workload apart.
MeasurementKey = tuple[str | None, str, int, float | None]


class MeasuredInstance(ConfigModel):
    """What somebody measured of a workload on an instance type; a key that is left out was not measured.

    The bounds are beyond anything that runs: they catch a wrong unit.
    """

    instance_type: Annotated[str, Field(pattern=NAME_PATTERN, max_length=40, examples=["ml.g5.xlarge"])]
    """The type that it was measured on."""
    environment: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{1,7}$", examples=["prod"])] | None = None
    """Holds in this environment only, and replaces there what holds in all."""
    concurrency: Annotated[float, Field(ge=0.001, le=100_000)] | None = None
    """Requests in flight on the instance during the test; 1 is one request alone."""
    p95_latency_ms: Annotated[float, Field(ge=0.001, le=3_600_000)] | None = None
    """The latency that 95 of 100 requests keep, at this concurrency."""
    time_to_first_token_ms: Annotated[float, Field(ge=0.001, le=3_600_000)] | None = None
    """The time within which 95 of 100 answers of a model that generates begin, at this concurrency."""
    inter_token_ms: Annotated[float, Field(ge=0.001, le=3_600_000)] | None = None
    """Between two tokens, on the average of an answer, in 95 of 100 answers."""
    max_requests_per_second: Annotated[float, Field(ge=1e-6, le=1_000_000)] | None = None
    """What one instance carries within the latency bound of the test."""
    training_units_per_second: Annotated[float, Field(ge=1e-6, le=1_000_000_000)] | None = None
    """Images or tokens that a training job gets through, on all its instances together."""
    instance_count: Annotated[int, Field(gt=0, le=1000)] = 1
    """Instances of the training job. What is measured of an endpoint is always of one instance."""
    peak_accelerator_memory_gib: Annotated[float, Field(ge=0.001, le=1024)] | None = None
    """The most memory in use on the fullest accelerator."""
    date: (
        Annotated[
            str,
            Field(pattern=DAY_PATTERN, examples=["2026-11-03"]),
        ]
        | None
    ) = None
    """The day of the measurement."""
    source: Annotated[str, Field(max_length=MAX_SOURCE_CHARACTERS)] | None = None
    """What measured it, for example the name of a job."""

    @property
    def key(self) -> MeasurementKey:
        """What tells it from the other measurements of its workload."""
        return self.environment, self.instance_type, self.instance_count, self.concurrency

    @model_validator(mode="after")
    def _measures_something(self) -> "MeasuredInstance":
        if all(getattr(self, key) is None for key in MEASURED_KEYS):
            raise fault("", f"nothing is measured; give at least one of {', '.join(MEASURED_KEYS)}")
        return self


class MeasurementsFile(ConfigModel):
    """The whole of ``measurements.yaml``."""

    workloads: Annotated[
        dict[Name, Annotated[tuple[MeasuredInstance, ...], Field(max_length=1000)]],
        Field(max_length=MAX_WORKLOADS),
    ] = {}
    """What was measured, by the name of the workload."""
