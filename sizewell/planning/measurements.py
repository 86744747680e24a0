"""Translate measurements from the configuration into those of the selection."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.faults import Fault
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurements import Measurements
from sizewell.instance_selection import Catalog, Measurement
from sizewell.instance_selection.catalog import UnknownInstanceTypeError


def measurements_by_workload(
    measurements: Measurements, environment: Environment
) -> dict[str, tuple[Measurement, ...]]:
    """Return what was measured of each workload of an environment; workloads without a measurement are left out."""
    found = {name: measurements.of(name, environment.name) for name in environment.workloads}
    return {name: tuple(map(_measurement, measured)) for name, measured in found.items() if measured}


def unknown_type_faults(measurements: Measurements, catalog: Catalog) -> Iterator[Fault]:
    """Yield a fault for each measurement of a type that SageMaker does not have."""
    for path, measured in measurements.items():
        if words := unknown_type(measured.instance_type, catalog):
            yield measurements.fault((*path, "instance_type"), *words)


def unknown_type(name: str, catalog: Catalog) -> tuple[str, str | None] | None:
    """Return what is wrong with the name of an instance type, and what was perhaps meant; None when it is right."""
    try:
        catalog.get(name)
    except UnknownInstanceTypeError as error:
        hint = f"did you mean {' or '.join(error.near_matches)}?" if error.near_matches else None
        return f'SageMaker has no instance type "{name}", in any region', hint
    return None


def _measurement(measured: MeasuredInstance) -> Measurement:
    return Measurement(
        instance_type=measured.instance_type,
        p95_latency_ms=measured.p95_latency_ms,
        time_to_first_token_ms=measured.time_to_first_token_ms,
        inter_token_ms=measured.inter_token_ms,
        max_requests_per_second=measured.max_requests_per_second,
        concurrency=measured.concurrency,
        training_units_per_second=measured.training_units_per_second,
        instance_count=measured.instance_count,
        peak_accelerator_memory_gib=measured.peak_accelerator_memory_gib,
        date=measured.date or "",
        source=measured.source or "",
    )
