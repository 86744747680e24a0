"""Checks that the emulator is installed, in the release that our plugin is made for."""

import re
from importlib.metadata import PackageNotFoundError, requires, version

INSTALL = "pip install 'sizewell[local-cloud]'"
PIN = re.compile(r"ministack==(?P<release>[\w.]+)")


class EnvironmentMissingError(Exception):
    """The emulator is not installed, or in another release."""


def require_environment() -> None:
    """Fail with what to do, unless the emulator is installed as the extra ``local-cloud`` wants it."""
    try:
        wanted = next(pin["release"] for line in requires("sizewell") or () if (pin := PIN.match(line)))
        installed = version("ministack")
    except (PackageNotFoundError, StopIteration):
        raise EnvironmentMissingError(f"the local cloud is not installed; run: {INSTALL}") from None
    if installed != wanted:
        raise EnvironmentMissingError(
            f"the local cloud needs ministack {wanted}, and {installed} is installed; run: {INSTALL}"
        )
