"""The paths of the local cloud, and the module of its server."""

import os
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
#: The environment of the project: the ``cdk`` and ``sizewell`` commands, and Node.js for both.
BIN = PROJECT_ROOT / ".venv" / "bin"
#: The environment of the emulator. ``make`` builds it (rule ``$(LOCAL_READY)``); nothing else does.
LOCAL_VENV = PROJECT_ROOT / ".venv-localcloud"
LOCAL_PYTHON = LOCAL_VENV / "bin" / "python"
LOCK = PROJECT_ROOT / "tools" / "localcloud" / "requirements.lock"
#: A copy of the lock file that the environment was built from.
READY = LOCAL_VENV / ".ready"
#: What ``python -m`` runs to start the emulator with our plugin.
SERVER_MODULE = "tools.localcloud.emulator.server"
#: Everything that ``python -m tools.localcloud`` writes; ``destroy`` removes it. Tests have one of their own.
STATE_DIRECTORY = Path(os.environ.get("SIZEWELL_LOCAL_STATE") or PROJECT_ROOT / ".localcloud")
#: Lies in a state directory that is ours: without it, nothing in a directory is ever removed.
MARKER = ".sizewell-local"
