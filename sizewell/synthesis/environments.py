"""The packages that a side asks for: where they are not what is installed, it gets an environment of its own."""

import fcntl
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from sizewell.synthesis.installed import addresses, archive_digest
from sizewell.synthesis.processes import run, variables

#: The first one that a project has says what it is synthesized with.
FILES = ("requirements.lock", "requirements.txt")
#: Below a project.
PLACE = Path(".sizewell", "environments")
#: Environments that are kept, one for each side: of CDK, Node.js and the rest each holds 0.8 GB.
KEPT = 2
_READY = ".ready"
#: A requirement that is a wheel of the project; extras may follow.
_WHEEL = re.compile(r"^(\.?/?(?:[\w.-]+/)*[\w.]+-[\w.+!-]+\.whl)(?=\[|\s|$)", re.MULTILINE)
_OPTION = re.compile(r"\s+--.*")


class InstallationError(Exception):
    """The packages cannot be installed; says what pip printed last."""


@dataclass(frozen=True)
class Requirements:
    """A file of requirements, as it is at a ref."""

    file: str
    text: str
    wheels: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of each wheel of the project that the text names, by what it calls it."""

    @property
    def digest(self) -> str:
        """The same for the same packages."""
        parts = (sys.version, self.file, self.text, *self.wheels.values())
        return sha256("\0".join(parts).encode()).hexdigest()[:16]

    def unmet(self) -> tuple[str, ...]:
        """Return what is not installed as the file wants it, with what is installed instead.

        Options, and requirements without a release such as a directory, count as installed.
        """
        from packaging.requirements import InvalidRequirement, Requirement

        found = list(self._unmet_wheels())
        for line in self.text.replace("\\\n", " ").splitlines():
            wanted = _OPTION.sub("", line.partition(" #")[0].strip())
            try:
                requirement = Requirement(wanted)
            except InvalidRequirement:
                continue
            if requirement.marker is not None and not requirement.marker.evaluate():
                continue
            try:
                installed = distribution(requirement.name)
            except PackageNotFoundError:
                found.append(f"{wanted} (not installed)")
                continue
            is_met = requirement.specifier.contains(installed.version, prereleases=True)
            if requirement.url is not None:
                is_met = requirement.url in addresses(installed)
            if not is_met:
                found.append(f"{wanted} ({installed.version} is installed)")
        return tuple(found)

    def _unmet_wheels(self) -> Iterator[str]:
        """Yield wheels of the project that are not what is installed: of another release, or of other content."""
        from packaging.utils import parse_wheel_filename

        for wheel, digest in self.wheels.items():
            name, release, *_ = parse_wheel_filename(PurePosixPath(wheel).name)
            try:
                installed = distribution(name)
            except PackageNotFoundError:
                yield f"{wheel} (not installed)"
                continue
            if str(release) != installed.version:
                yield f"{wheel} ({installed.version} is installed)"
            elif digest != archive_digest(installed):
                yield f"{wheel} (another build of {installed.version} is installed)"


def read_requirements(read: Callable[[str], bytes | None]) -> Requirements | None:
    """Return the requirements of a project, whose files ``read`` returns; None where it has none."""
    for file in FILES:
        if (content := read(file)) is not None:
            text = content.decode(errors="replace").replace("\r\n", "\n")
            named = dict.fromkeys(_WHEEL.findall(text))
            wheels = {path: wheel for path in named if (wheel := read(posixpath.normpath(path))) is not None}
            digests = {path: sha256(wheel).hexdigest() for path, wheel in wheels.items()}
            return Requirements(file, text, digests)
    return None


def programs_of(project: Path, requirements: Requirements, files: Path) -> Path:
    """Return the directory of programs of an environment with the requirements that are in ``files``.

    It is made once. Raises ``InstallationError``.
    """
    place = project / PLACE
    environment = place / requirements.digest
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / ".gitignore").write_text("*\n", "utf-8")
        with _alone(environment):
            # Programs of an environment name the place that it was made in.
            ready = environment / _READY
            if not ready.is_file() or ready.read_text("utf-8") != str(environment):
                shutil.rmtree(environment, ignore_errors=True)
                try:
                    install(environment, files / requirements.file)
                except BaseException:
                    shutil.rmtree(environment, ignore_errors=True)
                    raise
                ready.write_text(str(environment), "utf-8")
            os.utime(environment)
    except OSError as error:
        raise InstallationError(f"{error.filename or place}: {error.strerror}") from None
    _prune(place)
    return environment / "bin"


def install(environment: Path, requirements: Path) -> None:
    """Make a virtual environment with what a file requires; raises ``InstallationError``."""
    python = str(environment / "bin" / "python")
    for command in (
        [sys.executable, "-m", "venv", str(environment)],
        [python, "-m", "pip", "install", "--quiet", "--requirement", requirements.name],
    ):
        settings = variables({"PIP_DISABLE_PIP_VERSION_CHECK": "1"}, without=("PYTHONPATH",))
        finished = run(command, directory=requirements.parent, environment=settings, join=True)
        if finished.code:
            printed = finished.stdout.decode(errors="replace").strip().splitlines()
            raise InstallationError(printed[-1] if printed else "it printed nothing")


@contextmanager
def _alone(environment: Path) -> Iterator[None]:
    """Wait until no other process makes this environment."""
    with Path(f"{environment}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _prune(place: Path) -> None:
    environments = sorted(
        (path for path in place.iterdir() if path.is_dir()), key=lambda path: -path.stat().st_mtime
    )
    for path in environments[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)
