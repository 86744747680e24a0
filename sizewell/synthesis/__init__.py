"""Synthesize a git ref or the work tree in a clean directory, once for each content."""

from sizewell.synthesis.git import default_branch
from sizewell.synthesis.processes import SynthesisError
from sizewell.synthesis.synthesize import (
    DEFAULT_CONFIG,
    WORK_TREE,
    SynthesizedSide,
    environments_at,
    synthesize_side,
    synthesize_sides,
)

__all__ = [
    "DEFAULT_CONFIG",
    "WORK_TREE",
    "SynthesisError",
    "SynthesizedSide",
    "default_branch",
    "environments_at",
    "synthesize_side",
    "synthesize_sides",
]
