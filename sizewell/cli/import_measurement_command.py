"""``sizewell import-measurement``: take measured numbers into ``measurements.yaml``."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from sizewell.cli.errors import exit_unknown_workload
from sizewell.cli.output import alone, write_file
from sizewell.config import ConfigError, Fault, load_environment
from sizewell.config.files import read_text
from sizewell.config.json_schema import MEASUREMENTS_SCHEMA_NAME
from sizewell.config.loading import workload_kinds
from sizewell.config.measured_instance import MeasuredInstance, MeasurementKey, MeasurementsFile
from sizewell.config.measurements import Measurements, read_measurements
from sizewell.config.measurements_writer import HEADER, add_measurements
from sizewell.config.yaml_source import parse_yaml
from sizewell.facts.environment_files import MEASUREMENTS_FILE
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import regions
from sizewell.planning.catalog_files import read_refreshed
from sizewell.planning.measurement_import import Imported, Target, import_measurements

#: The first line of a configuration file, up to the name of its schema.
_SCHEMA_LINE = re.compile(r"(# yaml-language-server: \$schema=(?:\S*/)?)schema\.json\s")


@dataclass(frozen=True)
class Import:
    """What was taken into the file at ``path``; ``before`` are the measurements of the workload that stood there."""

    path: Path
    workload: str
    imported: Imported
    before: dict[MeasurementKey, MeasuredInstance]


def run_import(
    file: Path,
    workload: str,
    directory: Path,
    *,
    environment: str | None = None,
    instance_type: str | None = None,
    instance_count: int = 1,
    dry_run: bool = False,
) -> Import:
    """Import a file for a workload, or with ``dry_run`` say what that would do.

    ``instance_type`` and ``instance_count`` are of the endpoint that was tested, for files that do not say them.
    Raises ``ConfigError`` and ``RefusedError``.
    """
    kinds = _kinds(directory, environment)
    if workload not in kinds:
        exit_unknown_workload(workload, environment or directory.as_posix(), kinds)
    target = Target(
        environment=environment,
        kind=kinds[workload],
        instance_type=instance_type,
        instance_count=instance_count,
    )
    # Hardware is the same in every region.
    catalog = load_catalog(regions()[0], read_refreshed(directory))
    imported = import_measurements(file.as_posix(), read_text(file, file.as_posix()), target, catalog)
    return take(imported, workload, directory, dry_run=dry_run)


def take(imported: Imported, workload: str, directory: Path, *, dry_run: bool) -> Import:
    """Add measurements to ``measurements.yaml``, or with ``dry_run`` say what that would do.

    Raises ``ConfigError`` and ``RefusedError``.
    """
    path = directory / MEASUREMENTS_FILE
    if dry_run:
        return _add(imported, workload, path)[0]
    with alone(path):
        done, text = _add(imported, workload, path)
        write_file(path, text)
    return done


def _add(imported: Imported, workload: str, path: Path) -> tuple[Import, str]:
    """Return what becomes of the file, and its new text."""
    measurements, faults = read_measurements(path.parent)
    if faults:
        raise ConfigError(faults)
    written = measurements.by_workload.get(workload, ())
    old = read_text(path, path.as_posix()) if path.exists() else _new_text(path.parent)
    text = add_measurements(old, workload, written, imported.measured)
    _check_text(text, path, measurements, workload, imported)
    return Import(path, workload, imported, {instance.key: instance for instance in written}), text


def _new_text(directory: Path) -> str:
    """Return the beginning of a new file; its schema is beside the one that base.yaml names."""
    base = directory / "base.yaml"
    named = _SCHEMA_LINE.match(read_text(base, base.as_posix())) if base.is_file() else None
    return f"{named[1]}{MEASUREMENTS_SCHEMA_NAME}\n#\n{HEADER}" if named else HEADER


def _kinds(directory: Path, environment: str | None) -> dict[str, str | None]:
    if environment is not None:
        loaded = load_environment(directory, environment)
        return {name: workload.kind for name, workload in loaded.environment.workloads.items()}
    kinds, faults = workload_kinds(directory)
    if faults:
        raise ConfigError(faults)
    return kinds


def _check_text(text: str, path: Path, measurements: Measurements, workload: str, imported: Imported) -> None:
    """Make sure that the new text says what it should: an alias, for one, would change in several places."""
    old = measurements.by_workload.get(workload, ())
    new = {instance.key: instance for instance in (*old, *imported.measured)}
    expected = {**measurements.by_workload, workload: tuple(new.values())}
    root, faults = parse_yaml(text, path.as_posix())
    if (
        root is None
        or faults
        or MeasurementsFile.model_validate_json(json.dumps(root.plain())).workloads != expected
    ):
        raise _file_error(
            path, "the file cannot be changed without changing more", "write aliases and anchors out"
        )


def _file_error(path: Path, message: str, hint: str | None = None) -> ConfigError:
    return ConfigError([Fault(path.as_posix(), None, None, (), None, message, hint=hint)])
