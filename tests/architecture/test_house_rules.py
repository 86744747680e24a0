"""Rules about the whole tree."""

import re
import subprocess
from pathlib import Path

from tests.synthesis import PROJECT_ROOT


def _tracked() -> list[Path]:
    """Return the files of the project: what git knows, or everything in a copy without git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [PROJECT_ROOT / line for line in listed.stdout.splitlines() if (PROJECT_ROOT / line).is_file()]
    return [p for p in PROJECT_ROOT.rglob("*") if p.is_file() and ".venv" not in p.parts]


FILES = _tracked()
CODE = [p for p in FILES if p.suffix == ".py" and p.relative_to(PROJECT_ROOT).parts[0] != "tests"]


def test_nothing_is_left_open() -> None:
    marks = re.compile("TO" + "DO|FIX" + "ME|NotImplemented" + "Error")
    assert [p.name for p in CODE if marks.search(p.read_text("utf-8"))] == []


def test_lock_files_have_hashes_and_no_addresses() -> None:
    locks = sorted(PROJECT_ROOT.glob("requirements*.lock"))
    assert len(locks) == 5
    for lock in locks:
        text = lock.read_text("utf-8")
        pins = [line for line in text.splitlines() if "==" in line and not line.startswith(" ")]
        assert len(pins) > 10
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def test_the_development_lock_contains_the_runtime_lock() -> None:
    runtime, development = (
        set(re.findall(r"^\S+==\S+", (PROJECT_ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert runtime <= development


def test_the_locks_on_top_of_the_development_lock_repeat_nothing() -> None:
    # They are installed into one environment, in any order.
    toolkit, release, development = (
        set(re.findall(r"^([\w.-]+)==", (PROJECT_ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements-toolkit.lock", "requirements-release.lock", "requirements-dev.lock")
    )
    assert not toolkit & development
    assert not release & (toolkit | development)
