"""Where a platform gets its ``sizewell`` from: what CI and other machines can install as well as this one."""

import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory

from sizewell.cli.errors import exit_with
from sizewell.cli.output import tell

#: Where the wheel of a directory or file of this machine goes, in the platform: nobody else sees the path that it came from.
VENDOR = Path("vendor")
#: Where the sources of sizewell have those of the local cloud, a distribution of its own.
LOCAL_CLOUD = Path("tools", "localcloud")
_OTHERWISE = "name a checkout of sizewell, its wheel, or an address as pip takes it, such as git+https://HOST/REPOSITORY@REF"


@dataclass(frozen=True)
class Package:
    """What a platform requires."""

    requirement: str
    """A line for pip, which runs in the directory of the platform."""
    local_cloud: str
    """The line for what ``deploy-local`` needs besides."""
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
            return Package(f"sizewell=={version('sizewell')}", local_cloud_requirement())
        source, hint = origin[0], f"sizewell was installed from there; with --source {_OTHERWISE}"
    if source.startswith("file://"):
        from sizewell.synthesis.installed import path_of

        source = str(path_of(source))
    if "://" in source:
        return Package(_addressed(source), _local_cloud_beside(source))
    place = Path(source).expanduser()
    if place.is_dir():
        return _built(place, hint)
    if not place.is_file():
        exit_with(f"{source}: there is no such directory or file\n{hint}")
    return _vendored(place, hint)


def local_cloud_requirement() -> str:
    """Return what pip installs the local cloud from: it comes from where the ``sizewell`` that runs came from."""
    from sizewell.synthesis.installed import addresses, path_of

    if not (origin := addresses(distribution("sizewell"))):
        return f"sizewell-localcloud=={version('sizewell')}"
    address = origin[0]
    return _local_cloud_beside(str(path_of(address)) if address.startswith("file://") else address)


def _local_cloud_beside(source: str) -> str:
    """Return what pip installs the local cloud from: a wheel beside that of sizewell, or a part of the same sources."""
    location, _, fragment = source.partition("#")
    if location.endswith(".whl"):
        place, name = location.rpartition("sizewell-")[::2]
        beside = f"{place}sizewell_localcloud-{name}"
    elif "://" in source:
        inside = re.search(r"\bsubdirectory=([^&]+)", fragment)
        beside = f"{location}#subdirectory={Path(inside[1] if inside else '', LOCAL_CLOUD)}"
    else:
        beside = str(Path(source, LOCAL_CLOUD))
    return f"sizewell-localcloud @ {beside}" if "://" in beside else beside


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
    with TemporaryDirectory(prefix="sizewell-wheels-") as scratch:
        # Hatchling builds sizewell and is one of its dependencies: pip would ask an index for it.
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", scratch]
        for project in (checkout, checkout / LOCAL_CLOUD):
            finished = run(command, directory=project, environment=variables({}), join=True)
            if finished.code:
                said = finished.stdout.decode(errors="replace").strip()
                exit_with(f"{project}: its wheel cannot be built\n{said}")
        (wheel,) = Path(scratch).glob("sizewell-*.whl")
        return _vendored(wheel, hint)


def _vendored(wheel: Path, hint: str) -> Package:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, *_ = parse_wheel_filename(wheel.name)
    except InvalidWheelFilename:
        name = None
    if name != "sizewell":
        exit_with(f"{wheel}: this is no wheel of sizewell\n{hint}")
    local_cloud = Path(_local_cloud_beside(str(wheel)))
    if not local_cloud.is_file():
        tell(f"{local_cloud} is not there: put it into {VENDOR}/ before you run make deploy-local")
    # By its path: no index is asked for the name.
    return Package(
        f"./{VENDOR / wheel.name}",
        f"./{VENDOR / local_cloud.name}",
        {VENDOR / path.name: path.read_bytes() for path in (wheel, local_cloud) if path.is_file()},
    )


def _project_name(pyproject: Path) -> str | None:
    try:
        return tomllib.loads(pyproject.read_text("utf-8"))["project"]["name"]  # type: ignore[no-any-return]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError):
        return None
