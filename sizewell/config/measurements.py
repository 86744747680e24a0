"""What was measured, in ``measurements.yaml``: it beats what is predicted."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sizewell.config.faults import Fault, near_match, show_value, value_fault
from sizewell.config.files import is_there
from sizewell.config.measured_instance import MeasuredInstance, MeasurementKey, MeasurementsFile
from sizewell.config.measurement_faults import kind_faults, measurement_model_faults
from sizewell.config.secrets_check import check_secrets
from sizewell.config.tree import KeyPath, Node
from sizewell.config.yaml_source import read_yaml
from sizewell.facts.environment_files import MEASUREMENTS_FILE


@dataclass(frozen=True)
class Measurements:
    """The measurements of a configuration directory, and where each was written."""

    by_workload: Mapping[str, tuple[MeasuredInstance, ...]] = field(default_factory=dict)
    root: Node | None = None

    def of(self, workload: str, environment: str) -> tuple[MeasuredInstance, ...]:
        """Return what holds for a workload in an environment, in the order of the file."""
        written = [
            one for one in self.by_workload.get(workload, ()) if one.environment in (None, environment)
        ]
        holding = {one.key[1:]: one for one in sorted(written, key=lambda one: one.environment is not None)}
        return tuple(one for one in written if holding[one.key[1:]] is one)

    def items(self) -> Iterator[tuple[KeyPath, MeasuredInstance]]:
        """Yield every measurement with its key path."""
        for workload, measured in self.by_workload.items():
            for index, one in enumerate(measured):
                yield ("workloads", workload, str(index)), one

    def fault(self, path: KeyPath, message: str, hint: str | None = None, **kwargs: Any) -> Fault:
        """Return a fault at the line of a key path."""
        assert self.root is not None, "what was not read has no fault"
        return value_fault(self.root.nearest(path).position, path, message, hint=hint, **kwargs)


def read_measurements(directory: Path) -> tuple[Measurements, list[Fault]]:
    """Return the measurements of a directory, none when it has no such file, and all that is wrong with them."""
    path = directory / MEASUREMENTS_FILE
    if not is_there(path):
        return Measurements(), []
    root, faults = read_yaml(path, path.as_posix(), example="workloads: {}")
    if root is None:
        return Measurements(), faults
    faults += check_secrets(root)
    try:
        # Strict, and from JSON: as config.loading does it, for the same reasons.
        file = MeasurementsFile.model_validate_json(json.dumps(root.plain()), strict=True)
    except ValidationError as error:
        known = {fault.key_path for fault in faults}
        faults += [fault for fault in measurement_model_faults(error, root) if fault.key_path not in known]
        return Measurements(), faults
    measurements = Measurements(file.workloads, root)
    return measurements, [*faults, *_repetitions(measurements)]


def check_names(
    measurements: Measurements, environments: Iterable[str], kinds: Mapping[str, str | None]
) -> Iterator[Fault]:
    """Yield a fault for what is measured of a workload or environment that does not exist, or of the wrong kind.

    ``kinds`` holds the kind of every workload by its name; None where it is not known.
    """
    environments = tuple(environments)
    for workload in measurements.by_workload:
        if workload not in kinds:
            match = near_match(workload, kinds)
            hint = f"did you mean {match}?" if match else "remove it, or write the name as in base.yaml"
            yield measurements.fault(
                ("workloads", workload), "no environment has a workload of this name", hint
            )
    for path, one in measurements.items():
        if one.environment is not None and one.environment not in environments:
            match = near_match(one.environment, environments)
            yield measurements.fault(
                (*path, "environment"),
                "there is no such environment; environments with a file",
                f"did you mean {match}?" if match else None,
                value=show_value(one.environment),
                allowed=environments,
            )
        for key, reason in kind_faults(one, kinds.get(path[1])):
            yield measurements.fault((*path, key), reason)


def _repetitions(measurements: Measurements) -> Iterator[Fault]:
    first: dict[tuple[str, MeasurementKey], int] = {}
    for path, one in measurements.items():
        assert measurements.root is not None
        line = measurements.root.nearest(path).position.line
        if (before := first.setdefault((path[1], one.key), line)) != line:
            yield measurements.fault(
                path,
                f"the same instance type, concurrency and environment are measured on line {before}",
                "keep one of the two",
            )
