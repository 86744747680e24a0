"""The paths of the local cloud, and the module of its server."""

import os
import sys
from pathlib import Path

#: The platform that is deployed: where the command was called.
PROJECT = Path.cwd()
#: The directory that holds this package.
IMPORT_ROOT = Path(__file__).parents[1]
#: The commands of this environment, ``cdk`` and ``python`` for the app among them.
BIN = Path(sys.executable).parent
#: What ``python -m`` runs to start the emulator with our plugin.
SERVER_MODULE = "sizewell_localcloud.emulator.server"
#: Everything that the local cloud writes; ``destroy`` removes it. Tests have one of their own.
STATE_DIRECTORY = PROJECT / (os.environ.get("SIZEWELL_LOCAL_STATE") or ".localcloud")
#: Lies in a state directory that is ours: without it, nothing in a directory is ever removed.
MARKER = ".sizewell-local"


def shown(program: str) -> str:
    """Return how a shell in the platform calls a program of this environment, which need not be active."""
    path = BIN / program
    return str(path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path)
