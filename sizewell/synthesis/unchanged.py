"""Whether ``cdk.out`` is what synthesizing it again would write: then nothing needs to be started.

Remembered is one synth of a project: a digest of all that it was made from, and one of what it wrote. Whatever cannot be
known to be the same counts as changed.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from sizewell.synthesis.cache import content_digest
from sizewell.synthesis.installed import installed_packages
from sizewell.synthesis.processes import variables

#: Below a project.
PLACE = Path(".sizewell", "synth.json")
#: What the CDK CLI takes the context of a user from.
_OF_THE_USER = Path("~", ".cdk.json")
#: Directories that nothing is synthesized from, as far as no lock file beside them says; hidden ones are none either.
_NO_SOURCE = ("__pycache__", "node_modules", "cdk.out")
#: Variables of a terminal or of make: an app may read any other one.
_OF_TERMINALS = ("COLUMNS", "LINES", "MAKE", "MFLAGS", "OLDPWD", "SHLVL", "SSH_", "TERM", "TMUX", "WINDOWID")


@dataclass(frozen=True)
class Synth:
    """One environment of the project in this directory, as it is now."""

    environment: str
    config: str
    inputs: str | None
    """A digest of all that decides about the output; None where it cannot be read."""

    @classmethod
    def of_now(cls, environment: str, config: str) -> "Synth":
        """Return the synth of the files that are there now."""
        return cls(environment, config, _inputs_digest(environment, config))

    def last_said(self, output: Path) -> str | None:
        """Return what cdk said when it wrote this very output from the same inputs; None where it did not."""
        try:
            known = json.loads(PLACE.read_text("utf-8"))
            same = (known["inputs"], known["output"]) == (self.inputs, content_digest(output))
            return str(known["said"]) if same else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def remember(self, output: Path, said: bytes) -> None:
        """Remember what these inputs gave, unless they have changed meanwhile, or it cannot be written."""
        installed_packages.cache_clear()
        if self.inputs is None or self != Synth.of_now(self.environment, self.config):
            return
        known = {
            "inputs": self.inputs,
            "output": content_digest(output),
            "said": said.decode(errors="replace"),
        }
        with suppress(OSError):
            PLACE.parent.mkdir(exist_ok=True)
            with TemporaryDirectory(prefix=f"{PLACE.name}.new-", dir=PLACE.parent) as own:
                new = Path(own, PLACE.name)
                new.write_text(json.dumps(known), "utf-8")
                new.replace(PLACE)


def _inputs_digest(environment: str, config: str) -> str | None:
    """Return the digest of files, installed packages, variables, Python, environment and configuration directory."""
    settings = variables({}, without=_OF_TERMINALS)
    settings.pop("_", None)
    roots = [Path(), Path(config), *map(Path, filter(None, settings.get("PYTHONPATH", "").split(os.pathsep)))]
    digest = sha256()
    try:
        said = [environment, config, sys.version, *installed_packages(Path())]
        said += (f"{name}={value}" for name, value in sorted(settings.items()))
        digest.update("\0".join(said).encode("utf-8", "surrogateescape"))
        for path in (_OF_THE_USER.expanduser(), *_files(roots)):
            content = path.read_bytes() if path.is_file() else b""
            digest.update(f"\0{path}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
            digest.update(content)
    except (OSError, RuntimeError):
        return None
    return digest.hexdigest()


def _files(roots: list[Path]) -> Iterator[Path]:
    """Yield the files below directories, each directory once, whatever leads to it; raises ``OSError``."""
    seen = set()
    for root in roots:
        for place, directories, files in os.walk(root, onerror=_refuse, followlinks=True):
            real = os.path.realpath(place)
            if real in seen:
                directories.clear()
                continue
            seen.add(real)
            directories[:] = sorted(name for name in directories if not name.startswith((".", *_NO_SOURCE)))
            yield from (Path(place, name) for name in sorted(files))


def _refuse(error: OSError) -> None:
    raise error
