"""Which files of a configuration directory are environments."""

from collections.abc import Iterable

BASE = "base"
MEASUREMENTS = "measurements"
MEASUREMENTS_FILE = f"{MEASUREMENTS}.yaml"
#: Files of a configuration that are no environments, by their names without .yaml.
NOT_ENVIRONMENTS = {
    BASE: f"{BASE}.yaml holds what all environments share; it is no environment itself",
    MEASUREMENTS: f"{MEASUREMENTS_FILE} holds what was measured; it is no environment",
}


def environment_names(file_names: Iterable[str]) -> tuple[str, ...]:
    """Return the environments of a configuration directory with these files, sorted.

    A file with a dot in its name, such as selection.lock.yaml, is no environment, nor is measurements.yaml.
    """
    stems = {name.removesuffix(".yaml") for name in file_names if name.endswith(".yaml")}
    return tuple(sorted(stem for stem in stems - NOT_ENVIRONMENTS.keys() if stem and "." not in stem))
