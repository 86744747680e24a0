"""The eligible instance types as an endpoint sees them: their processors, and what was measured on them."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from sizewell.facts.instance_types import is_same_hardware
from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.latency_bounds import BOUNDS, FIRST_TOKEN, INTER_TOKEN, LatencyBound
from sizewell.instance_selection.requirements import EndpointRequirements, Engine, Measurement, Precision

#: A bound of just what is reached stands rounding.
ROUNDING = 1e-9
_MEASURED_WORDS = {
    "p95_latency_ms": "latency",
    "time_to_first_token_ms": FIRST_TOKEN.name,
    "inter_token_ms": INTER_TOKEN.name,
    "max_requests_per_second": "throughput",
    "peak_accelerator_memory_gib": "memory",
}
#: What belongs to a concurrency.
_LATENCIES = ("p95_latency_ms", "time_to_first_token_ms", "inter_token_ms")


def _joined(before: Measurement, after: Measurement) -> Measurement:
    """Return two measurements of a type as one: the later one says what it measured, the other one the rest.

    Latencies are those of one concurrency.
    """
    keys = ["max_requests_per_second", "peak_accelerator_memory_gib"]
    if all(getattr(after, key) is None for key in _LATENCIES):
        keys += [*_LATENCIES, "concurrency"]
        after = replace(after, concurrency=None)
    from_before = {key: getattr(before, key) for key in keys if getattr(after, key) is None}
    return replace(after, **from_before)


class EndpointTypes:
    """All eligible types under the requirements of one endpoint; a column has one entry per type."""

    def __init__(self, needs: EndpointRequirements, eligible: Eligible) -> None:
        self.needs = needs
        self.instance_types = eligible.instance_types
        architecture = needs.model.architecture
        # What compares numbers needs no unit of low precision.
        precision = Precision.FP32 if architecture.tabular else needs.model.precision
        self.machines: Machines = eligible.machines(precision, architecture)
        self.on_cpu = where_is(self.machines, "kinds", "cpu")
        self.burstable = eligible.burstable
        self.measurements: dict[int, Measurement] = {}
        for m in needs.measurements:
            for i, t in enumerate(self.instance_types):
                if is_same_hardware(t.name, m.instance_type):
                    self.measurements[i] = _joined(self.measurements.get(i, m), m)

    def __len__(self) -> int:
        return len(self.instance_types)

    @cached_property
    def generates(self) -> bool:
        """Whether answers are written token by token."""
        return self.needs.model.architecture.generates and self.needs.output_tokens > 0

    @cached_property
    def batches(self) -> bool:
        """Whether a replica works on several requests at a time; without continuous batching it takes turns."""
        return self.generates and self.needs.engine is Engine.LLM_ENGINE

    def delay_of_s(self, bound: LatencyBound) -> float:
        """How long a request waits for others to join it, in what a bound is of."""
        batching = self.needs.batching
        return 0.0 if batching is None or bound.part == "step" else batching.max_delay_ms / 1000

    def pipeline_s(self, bound: LatencyBound) -> float:
        """How long the containers beside that of the model take, in what a bound is of; the bounds are less this."""
        return 0.0 if bound.part == "step" else self.needs.pipeline_ms / 1000

    @property
    def max_batch_size(self) -> int:
        """How many requests share one pass."""
        return self.needs.batching.max_batch_size if self.needs.batching else 1

    @property
    def by_users(self) -> bool:
        """Whether the load is users who wait for their answers."""
        return self.needs.peak_concurrent_users is not None

    @cached_property
    def value_scale(self) -> float | Array:
        """How much wider values are than stated: a processor without half precision stores and computes fp32."""
        if self.needs.model.precision.bytes != 2.0:
            return 1.0
        return np.where(where_is(self.machines, "arithmetic", "fp32"), 2.0, 1.0)

    @cached_property
    def bounds(self) -> tuple[tuple[LatencyBound, Array], ...]:
        """The stated bounds of latency in seconds, as far as they are the model's.

        They are less the margin that a prediction must leave and a measurement need not.
        """

        def room(bound: LatencyBound) -> Array:
            left = np.full(len(self), 1 / (1 + self.needs.margin))
            left[[i for i in self.measurements if self.is_measured(i, bound)]] = 1.0
            return left

        stated = ((bound, bound.asked_ms(self.needs)) for bound in BOUNDS)
        return tuple(
            (bound, (ms / 1000 - self.pipeline_s(bound)) * (1 + ROUNDING) * room(bound))
            for bound, ms in stated
            if ms is not None
        )

    def is_measured(self, i: int, bound: LatencyBound) -> bool:
        """Return whether what a bound limits was measured of a type, or follows from its measured latency."""
        return "latency" in self.measured[i] or bound.name in self.measured[i]

    @cached_property
    def measured(self) -> tuple[tuple[str, ...], ...]:
        """What was measured of each type."""
        nothing: tuple[str, ...] = ()
        found = [nothing] * len(self)
        for i, m in self.measurements.items():
            found[i] = tuple(word for key, word in _MEASURED_WORDS.items() if getattr(m, key) is not None)
        return tuple(found)
