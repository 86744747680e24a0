"""Where a platform gets its ``sizewell`` from: what CI and other machines can install as well as this one."""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory

from sizewell.cli.errors import exit_with

#: Where the wheel of a directory or file of this machine goes, in the platform: nobody else sees the path that it came from.
VENDOR = Path("vendor")
_OTHERWISE = "name a checkout of sizewell, its wheel, or an address as pip takes it, such as git+https://HOST/REPOSITORY@REF"


@dataclass(frozen=True)
class Package:
    """What a platform requires."""

    requirement: str
    """A line for pip, which runs in the directory of the platform."""
    files: Mapping[Path, bytes] = field(default_factory=dict)
    """What the platform must have for it."""


def package_from(source: str | None) -> Package:
    """Return what a platform requires to get sizewell from a source: a directory, a wheel, or an address.

    Without one, from where the one that runs was installed (PEP 610). Ends the command where there is nothing to install.
    """
    hint = f"--source: {_OTHERWISE}"
    if source is None:
        from sizewell.synthesis.installed import addresses

        if not (origin := addresses(distribution("sizewell"))):
            return Package(f"sizewell=={version('sizewell')}")
        source, hint = origin[0], f"sizewell was installed from there; with --source {_OTHERWISE}"
    if source.startswith("file://"):
        from sizewell.synthesis.installed import path_of

        source = str(path_of(source))
    if "://" in source:
        return Package(_addressed(source))
    place = Path(source).expanduser()
    if place.is_dir():
        return _built(place, hint)
    if not place.is_file():
        exit_with(f"{source}: there is no such directory or file\n{hint}")
    return _vendored(place, hint)


def _addressed(address: str) -> str:
    from packaging.requirements import InvalidRequirement, Requirement

    requirement = f"sizewell @ {address}"
    try:
        Requirement(requirement)
    except InvalidRequirement:
        exit_with(f"--source: {_OTHERWISE}")
    return requirement


def _built(checkout: Path, hint: str) -> Package:
    """Return the wheel of a checkout, as its files are now."""
    from sizewell.synthesis.processes import run, variables

    if _project_name(checkout / "pyproject.toml") != "sizewell":
        exit_with(f"{checkout}: this is no checkout of sizewell\n{hint}")
    with TemporaryDirectory(prefix="sizewell-wheel-") as scratch:
        # Hatchling builds sizewell and is one of its dependencies: pip would ask an index for it.
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", scratch]
        finished = run(command, directory=checkout, environment=variables({}), join=True)
        wheels = list(Path(scratch).glob("*.whl"))
        if finished.code or not wheels:
            exit_with(
                f"{checkout}: its wheel cannot be built\n{finished.stdout.decode(errors='replace').strip()}"
            )
        return _vendored(wheels[0], hint)


def _vendored(wheel: Path, hint: str) -> Package:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, *_ = parse_wheel_filename(wheel.name)
    except InvalidWheelFilename:
        name = None
    if name != "sizewell":
        exit_with(f"{wheel}: this is no wheel of sizewell\n{hint}")
    place = VENDOR / wheel.name
    # By its path: no index is asked for the name.
    return Package(f"./{place.as_posix()}", {place: wheel.read_bytes()})


def _project_name(pyproject: Path) -> str | None:
    try:
        return tomllib.loads(pyproject.read_text("utf-8"))["project"]["name"]  # type: ignore[no-any-return]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError):
        return None
