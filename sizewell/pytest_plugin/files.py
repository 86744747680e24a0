"""Snapshots as files, for projects without a snapshot plugin."""

import json
import re
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import pytest

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MAX_LINES = 80
_ACCEPT = "pytest --sizewell-update accepts it"


@dataclass(frozen=True)
class SnapshotFiles:
    """One JSON file for each name."""

    directory: Path
    update: bool
    """Whether what comes is right."""

    def check(self, name: str, data: object) -> None:
        """Compare data with the file of a name, or write it; fails the test with the difference."""
        __tracebackhide__ = True
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no name of a snapshot: letters, figures, dots, hyphens and underscores"
            )
        path = self.directory / f"{name}.json"
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif not path.is_file():
            pytest.fail(f"{name}: there is no snapshot yet; {_ACCEPT}", pytrace=False)
        elif (old := path.read_text("utf-8")) != text:
            pytest.fail(
                f"{name} is not what its snapshot says; {_ACCEPT}\n{_difference(old, text)}", pytrace=False
            )


def _difference(old: str, new: str) -> str:
    lines = list(unified_diff(old.splitlines(), new.splitlines(), "snapshot", "now", lineterm=""))
    rest = len(lines) - _MAX_LINES
    return "\n".join([*lines[:_MAX_LINES], *([f"... and {rest} more lines"] if rest > 0 else [])])
