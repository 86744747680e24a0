"""A saved output: what ``cdk synth`` wrote, for one environment or for several."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sizewell.planning.saved_plan import SavedPlan
from sizewell.templates.template import Stack

#: The name of the environment of a single output that does not say it.
UNNAMED = "app"


@dataclass(frozen=True)
class Assembly:
    """One ``cdk.out``."""

    directory: Path
    environment: str
    """Of the plan; else the name of its directory, or ``UNNAMED`` where the output is a single one."""
    stacks: Mapping[str, Stack]
    """By name, sorted; nested ones as well."""
    plan: SavedPlan | None = None
    config: Mapping[str, Any] | None = None
    """``config.json``: the merged configuration that the plan was made from."""
    notes: tuple[str, ...] = ()
    """What could not be read, and is left out."""
    is_deployed: bool = False
    """Whether its templates are those of an account, which has neither plan nor configuration."""


@dataclass(frozen=True)
class SavedOutput:
    """One side of a comparison."""

    label: str
    assemblies: Mapping[str, Assembly] = field(default_factory=dict)
    """By environment."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """By environment: what was printed where it did not synthesize."""
