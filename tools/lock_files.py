"""What a lock file pins: read as uv writes it."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\\n]+?))?(?: \\)?$", re.MULTILINE
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Pin:
    """One version of a package. A universal lock file has several of one package, with markers that exclude each other."""

    name: str
    version: str
    marker: str | None
    """Where it is installed, such as ``sys_platform == 'win32'``; everywhere without one."""
    hashes: tuple[str, ...]
    """SHA-256 of each file that may be installed."""


def read_pins(file: Path) -> list[Pin]:
    """Return the pins of a lock file in its order."""
    text = file.read_text("utf-8")
    starts = list(_PIN.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return [
        Pin(start["name"], start["version"], start["marker"], tuple(_HASH.findall(text, start.end(), end)))
        for start, end in zip(starts, ends, strict=True)
    ]
