"""Checks that the emulator is installed, in the release that our plugin is made for."""

from importlib.metadata import PackageNotFoundError, requires, version


class EnvironmentMissingError(Exception):
    """The emulator is not installed, or in another release."""


def require_environment() -> None:
    """Fail with what to do, unless the emulator is installed in the release that this distribution requires."""
    (required,) = (line for line in requires("sizewell-localcloud") or () if line.startswith("ministack=="))
    try:
        installed = f"ministack {version('ministack')}"
    except PackageNotFoundError:
        installed = "none"
    if installed != required.replace("==", " "):
        raise EnvironmentMissingError(
            f"the local cloud needs {required}, and {installed} is installed; run: pip install {required}"
        )
