"""The configuration of one environment as ``config.json`` holds it: merged, with defaults."""

from collections.abc import Mapping, Sequence
from typing import Any

from sizewell.planning.saved_files import CONFIGURATION_VERSION
from sizewell.review.saved.output import Assembly

Environment = Mapping[str, Any]
"""As ``sizewell.config.environment.Environment`` is written in JSON."""


def saved_environment(assembly: Assembly | None) -> Environment | None:
    """Return the configuration that an output was made from; None where it does not say it, or not in words known here."""
    config = assembly.config if assembly else None
    if not isinstance(config, Mapping) or config.get("schema_version") != CONFIGURATION_VERSION:
        return None
    environment = config.get("environment")
    return environment if isinstance(environment, Mapping) else None


def place_of(assembly: Assembly | None, path: Sequence[str]) -> tuple[str, int] | None:
    """Return the file and the line of a key, or of the nearest key around it; None where the output does not say it."""
    config = assembly.config if assembly else None
    lines = config.get("lines") if isinstance(config, Mapping) else None
    if not isinstance(lines, Mapping):
        return None
    for depth in range(len(path), 0, -1):
        file, _, line = str(lines.get(".".join(path[:depth]))).rpartition(":")
        if file and line.isdecimal() and int(line) > 0:
            return file, int(line)
    return None


def value_at(environment: Environment, *path: str) -> Any:
    """Return the value of a key; None where it, or what it stands in, is not there."""
    value: Any = environment
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def workloads(environment: Environment) -> Mapping[str, Mapping[str, Any]]:
    """Return the workloads by name."""
    return _named(environment, "workloads")


def _named(environment: Environment, key: str) -> Mapping[str, Mapping[str, Any]]:
    found = value_at(environment, key)
    items = found.items() if isinstance(found, Mapping) else ()
    return {str(name): one for name, one in items if isinstance(one, Mapping)}


def cluster_names(assembly: Assembly | None) -> Mapping[str, str]:
    """Return what AWS calls the clusters, by key; empty where the output does not say it."""
    return {key: str(cluster["name"]) for key, cluster in clusters(assembly).items() if "name" in cluster}


def clusters(assembly: Assembly | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the clusters by key; empty where the output does not say it."""
    return _named(saved_environment(assembly) or {}, "clusters")


def is_production(environment: Environment) -> bool:
    """Return whether the environment serves users."""
    return value_at(environment, "policy", "production") is True


def number(value: Any) -> float | None:
    """Return a number; None for anything else, also for a flag."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
