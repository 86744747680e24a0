"""What the user wants, typed and checked: the models of an environment, and the loader of its YAML files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sizewell.config.environment import Environment
    from sizewell.config.faults import ConfigError, Fault
    from sizewell.config.loading import LoadedEnvironment, Sources, environment_names, load_environment
    from sizewell.config.tree import KeyPath, Position

#: The public names and their modules, imported on first use: the models take a fifth of a second.
_MODULES = {
    "ConfigError": "sizewell.config.faults",
    "Environment": "sizewell.config.environment",
    "Fault": "sizewell.config.faults",
    "KeyPath": "sizewell.config.tree",
    "LoadedEnvironment": "sizewell.config.loading",
    "Position": "sizewell.config.tree",
    "Sources": "sizewell.config.loading",
    "environment_names": "sizewell.config.loading",
    "load_environment": "sizewell.config.loading",
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
