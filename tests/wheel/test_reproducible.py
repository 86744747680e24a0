"""Who builds a release again gets the same bytes: the wheels do not depend on where, when and by whom they are built."""

import os
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.synthesis import PROJECT_ROOT
from tests.wheel.installation import LOCAL_CLOUD, build_wheel

#: A day of 1970: a zip file knows no time before 1980.
_ANOTHER_TIME = 86_400


@pytest.fixture(scope="module")
def another_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout in another place, of another time, written in another order, for its owner alone."""
    place = tmp_path_factory.mktemp("another") / "place"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in sorted(listed, reverse=True):
        original, copy = PROJECT_ROOT / name, place / name
        if name.startswith("tests/"):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if original.is_symlink():
            copy.symlink_to(original.readlink())
        elif original.is_file():
            shutil.copyfile(original, copy)
            copy.chmod(0o700 if os.access(original, os.X_OK) else 0o600)
            os.utime(copy, (_ANOTHER_TIME, _ANOTHER_TIME))
    return place


@pytest.mark.parametrize("project", [PROJECT_ROOT, LOCAL_CLOUD], ids=["sizewell", "localcloud"])
def test_another_checkout_makes_the_same_bytes(
    wheel: Path,
    local_cloud: Path,
    another_checkout: Path,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = wheel if project == PROJECT_ROOT else local_cloud
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    theirs = build_wheel(tmp_path, another_checkout / project.relative_to(PROJECT_ROOT))
    assert theirs.name == ours.name
    with ZipFile(ours) as archive, ZipFile(theirs) as other:
        entries, others = (
            [(entry.filename, entry.date_time, entry.external_attr, entry.CRC) for entry in each.infolist()]
            for each in (archive, other)
        )
    assert [ours for ours, theirs in zip(entries, others, strict=True) if ours != theirs] == []
    assert theirs.read_bytes() == ours.read_bytes()


def test_both_wheels_bring_the_licence(wheel: Path, local_cloud: Path) -> None:
    licence = (PROJECT_ROOT / "LICENSE").read_bytes()
    for built in (wheel, local_cloud):
        with ZipFile(built) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
            assert archive.read(name) == licence
