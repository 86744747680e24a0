"""What is in the wheel: two import names, and every file of ours as a file."""

import stat
import subprocess
from pathlib import Path
from zipfile import ZipFile

from tests.synthesis import PROJECT_ROOT
from tests.wheel.installation import Installation

#: Folders that the wheel ships below ``sizewell``, by the links to them.
_LINKS = {
    Path("sizewell/stacks"): Path("stacks"),
    Path("sizewell/localcloud"): Path("tools/localcloud"),
    Path("sizewell/docs/guides"): Path("docs/guides"),
    Path("sizewell/examples"): Path("examples"),
}


def test_the_wheel_takes_two_import_names(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"constructs_lib", "sizewell"}


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "constructs_lib",
            "sizewell",
            *map(str, _LINKS.values()),
        ],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    ours = {path for path in map(Path, listed) if path not in _LINKS and (PROJECT_ROOT / path).is_file()}
    expected = {_shipped(path) for path in ours}
    assert {".csv", ".css", ".jinja2", ".js", ".json", ".txt", ".yml"} <= {path.suffix for path in expected}
    with ZipFile(wheel) as archive:
        there = {Path(entry.filename): entry for entry in archive.infolist()}
    assert expected - there.keys() == set()
    links = [name for name, entry in there.items() if stat.S_ISLNK(entry.external_attr >> 16)]
    assert links == []


def _shipped(path: Path) -> Path:
    """Return where the wheel has a file of the checkout."""
    for link, folder in _LINKS.items():
        if path.is_relative_to(folder):
            return link / path.relative_to(folder)
    return path


def test_the_command_starts_without_cdk(installation: Installation, tmp_path: Path) -> None:
    code = "import sys, sizewell.cli.main; print(sizewell.__file__, *sys.modules)"
    place, *modules = installation.run("python", "-c", code, directory=tmp_path).stdout.split()
    assert Path(place).is_relative_to(installation.directory)
    assert {"aws_cdk", "jsii", "pydantic", "numpy", "sizewell.localcloud"} & set(modules) == set()
