"""Checks that the emulator's own virtual environment exists and matches its lock file."""

from pathlib import Path

from tools.localcloud.places import LOCAL_PYTHON, LOCK, PROJECT_ROOT, READY


class EnvironmentMissingError(Exception):
    """The emulator's virtual environment is missing or was made from another lock file."""


def require_environment(python: Path = LOCAL_PYTHON, ready: Path = READY, lock: Path = LOCK) -> None:
    """Fail with what to do, unless the environment was built completely and from the lock file of today."""
    command = f"make {READY.relative_to(PROJECT_ROOT)}"
    if not python.exists() or not ready.exists():
        raise EnvironmentMissingError(f"the local cloud is not set up yet; run: {command}")
    if ready.read_bytes() != lock.read_bytes():
        raise EnvironmentMissingError(f"{lock.name} of the local cloud has changed; run: {command}")
