"""What is in the wheels: the import names of each, and every file of ours as a file."""

import stat
import subprocess
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from tests.synthesis import PROJECT_ROOT
from tests.wheel.installation import Installation

#: Where the wheel has the folders that it ships below ``sizewell``.
_PLACES = {
    Path("stacks"): Path("sizewell/stacks"),
    Path("docs/guides"): Path("sizewell/docs/guides"),
    Path("examples"): Path("sizewell/examples"),
}


def test_the_wheel_takes_two_import_names_and_that_of_the_local_cloud_another(
    wheel: Path, local_cloud: Path
) -> None:
    assert _tops(wheel) == {"constructs_lib", "sizewell"}
    assert _tops(local_cloud) == {"sizewell_localcloud"}


def _tops(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    return {top for top in tops if not top.endswith(".dist-info")}


def test_both_wheels_have_one_version(wheel: Path, local_cloud: Path) -> None:
    # sizewell init finds the second by the name of the first.
    assert local_cloud.name == wheel.name.replace("sizewell-", "sizewell_localcloud-")


def test_every_file_of_the_packages_is_in_the_wheels(wheel: Path, local_cloud: Path) -> None:
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "constructs_lib",
            "sizewell",
            "tools/localcloud/sizewell_localcloud",
            *map(str, _PLACES),
        ],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    ours = {path for path in map(Path, listed) if (PROJECT_ROOT / path).is_file()}
    expected = {_shipped(path) for path in ours}
    assert {".csv", ".css", ".jinja2", ".js", ".json", ".txt", ".yml"} <= {path.suffix for path in expected}
    there: dict[Path, ZipInfo] = {}
    for distribution in (wheel, local_cloud):
        with ZipFile(distribution) as archive:
            there |= {Path(entry.filename): entry for entry in archive.infolist()}
    assert expected - there.keys() == set()
    links = [name for name, entry in there.items() if stat.S_ISLNK(entry.external_attr >> 16)]
    assert links == []


def _shipped(path: Path) -> Path:
    """Return where a wheel has a file of the checkout."""
    for folder, place in _PLACES.items():
        if path.is_relative_to(folder):
            return place / path.relative_to(folder)
    return path.relative_to("tools/localcloud") if path.is_relative_to("tools") else path


def test_the_command_starts_without_cdk(installation: Installation, tmp_path: Path) -> None:
    code = "import sys, sizewell.cli.main; print(sizewell.__file__, *sys.modules)"
    place, *modules = installation.run("python", "-c", code, directory=tmp_path).stdout.split()
    assert Path(place).is_relative_to(installation.directory)
    assert {"aws_cdk", "jsii", "pydantic", "numpy", "sizewell_localcloud"} & set(modules) == set()
