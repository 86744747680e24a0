"""What the user wants, typed and checked: the models of an environment, and the loader of its YAML files."""

from typing import TYPE_CHECKING

from sizewell.modules import imported_on_first_use

if TYPE_CHECKING:
    from sizewell.config.environment import Environment
    from sizewell.config.faults import ConfigError, Fault
    from sizewell.config.loading import LoadedEnvironment, Sources, environment_names, load_environment
    from sizewell.config.tree import KeyPath, Position

#: The public names and their modules, imported on first use: the models take a fifth of a second.
_MODULES = {
    "ConfigError": "faults",
    "Environment": "environment",
    "Fault": "faults",
    "KeyPath": "tree",
    "LoadedEnvironment": "loading",
    "Position": "tree",
    "Sources": "loading",
    "environment_names": "loading",
    "load_environment": "loading",
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

__getattr__ = imported_on_first_use(__name__, _MODULES)
