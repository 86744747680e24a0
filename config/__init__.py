"""What the user wants, typed and checked: the models of an environment, and the loader of its YAML files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from config.environment import Environment
    from config.faults import ConfigError, Fault
    from config.loading import LoadedEnvironment, Sources, environment_names, load_environment
    from config.tree import KeyPath, Position

#: The public names and their modules, imported on first use: the models take a fifth of a second.
_MODULES = {
    "ConfigError": "config.faults",
    "Environment": "config.environment",
    "Fault": "config.faults",
    "KeyPath": "config.tree",
    "LoadedEnvironment": "config.loading",
    "Position": "config.tree",
    "Sources": "config.loading",
    "environment_names": "config.loading",
    "load_environment": "config.loading",
}

__all__ = [
    "ConfigError",
    "Environment",
    "Fault",
    "KeyPath",
    "LoadedEnvironment",
    "Position",
    "Sources",
    "environment_names",
    "load_environment",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
