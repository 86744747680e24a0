"""What an output names must lie in it: whoever wrote the output must not have other files of this machine shown in a review."""

from pathlib import Path


def is_inside(path: Path, output: Path) -> bool:
    """Return whether a path, with all links followed, stays in the directory of an output."""
    return path.resolve().is_relative_to(output.resolve())


def leads_out(path: Path) -> str:
    """Return what to say of a path that does not."""
    return f"{path}: leads out of the output, so it is not read"
