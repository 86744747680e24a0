"""The saved state of the local cloud, which runs on after the command that started it."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from sizewell_localcloud.identity import start_time
from sizewell_localcloud.places import STATE_DIRECTORY
from sizewell_localcloud.variables import LOOPBACK

FILE_NAME = "state.json"
EMULATOR = Path(__file__).with_name("emulator")
#: The packages that say what the emulator does, besides its own code.
PACKAGES = ("botocore", "cfn-lint", "ministack")


@dataclass(frozen=True)
class Deployment:
    """An environment that was deployed, or begun."""

    environment: str
    account: str
    region: str


@dataclass(frozen=True)
class State:
    """A running emulator, and what was deployed to it; the newest deployment comes last."""

    pid: int
    started: str
    port: int
    code: str
    secret: str = field(repr=False)
    deployments: tuple[Deployment, ...] = field(default=())

    @property
    def endpoint_url(self) -> str:
        """The address for ``AWS_ENDPOINT_URL``."""
        return f"http://{LOOPBACK}:{self.port}"

    def is_ours(self) -> bool:
        """Return whether the process still runs and is the one that we started."""
        return start_time(self.pid) == self.started

    def with_deployment(self, deployment: Deployment) -> Self:
        """Return the state with one more deployment, or the same one moved to the end."""
        others = tuple(d for d in self.deployments if d.environment != deployment.environment)
        return type(self)(**{**vars(self), "deployments": (*others, deployment)})

    def deployment(self, environment: str | None) -> Deployment | None:
        """Return the deployment of an environment, or the newest one."""
        found = [d for d in self.deployments if environment in (None, d.environment)]
        return found[-1] if found else None


def save_state(state: State, directory: Path = STATE_DIRECTORY) -> None:
    """Write the state, whole or not at all, for nobody else to read: it holds the secret."""
    directory.mkdir(mode=0o700, exist_ok=True)
    temporary = directory / f"{FILE_NAME}.new"
    temporary.unlink(missing_ok=True)
    with os.fdopen(
        os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(json.dumps(asdict(state), indent=2) + "\n")
    os.replace(temporary, directory / FILE_NAME)


def load_state(directory: Path = STATE_DIRECTORY) -> State | None:
    """Return what the file says, ``None`` without a file or with one that makes no sense. Ask ``is_ours`` as well."""
    try:
        fields: dict[str, Any] = json.loads((directory / FILE_NAME).read_text("utf-8"))
        deployments = tuple(Deployment(**deployment) for deployment in fields.pop("deployments"))
        # An emulator of older code had no secret: without this it would not be found, and would run on.
        return State(**{"secret": "", **fields}, deployments=deployments)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def code_version(directory: Path = EMULATOR) -> str:
    """Return a hash of everything that runs inside the emulator: an emulator of other code is not reused."""
    digest = hashlib.sha256(" ".join(map(version, PACKAGES)).encode())
    for path in sorted(directory.rglob("*.py")):
        digest.update(path.relative_to(directory).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
