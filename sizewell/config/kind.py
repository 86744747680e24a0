"""What the configuration needs to know of a kind of workload."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation


@dataclass(frozen=True, kw_only=True)
class ConfigKind:
    """How a kind is configured."""

    module: ClassVar[str] = "config"

    rules: Callable[[Environment, str, Any], Iterator[Violation]]
    """Yields what a workload, by its name, breaks of the rules between it and its environment."""
