"""The guide gives the limits of the table."""

import re
from pathlib import Path

from sizewell.facts.serving_modes import Mode, limit, mode_limits


def test_limits_of_the_guide_are_those_of_the_table(project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "modes.md").read_text("utf-8")
    section = guide.split("## What each mode can hold")[1].split("##")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| (\S+) \| (\S+) \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    assert [row[0] for row in rows] == list(Mode)
    for name, payload, seconds, memory, at_once in rows:
        mode = Mode(name)
        assert float(payload) == limit(mode, "max_payload_mb")
        assert float(seconds) == limit(mode, "max_processing_s")
        for cell, key in ((memory, "max_memory_mb"), (at_once, "max_concurrency")):
            assert cell.isdigit() == ((mode, key) in mode_limits())
            if cell.isdigit():
                assert float(cell) == limit(mode, key)
