"""What is installed is part of the key of an output."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.synthesis.installed import installed_packages


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of installed distributions, the only one."""
    directory = tmp_path / "site-packages"
    directory.mkdir()
    monkeypatch.setattr(sys, "path", [str(directory)])
    return directory


def install(
    site: Path, name: str, version: str, *, url: dict[str, object] | None = None, record: str = ""
) -> None:
    directory = site / f"{name}-{version}.dist-info"
    directory.mkdir(exist_ok=True)
    (directory / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (directory / "RECORD").write_text(record)
    if url:
        (directory / "direct_url.json").write_text(json.dumps(url))


def editable(source: Path) -> dict[str, object]:
    return {"url": source.as_uri(), "dir_info": {"editable": True}}


def now(project: Path) -> tuple[str, ...]:
    installed_packages.cache_clear()
    return installed_packages(project)


def test_every_distribution_counts_with_its_version(site: Path, tmp_path: Path) -> None:
    install(site, "sizewell", "0.2.0")
    install(site, "attrs", "26.1")
    assert now(tmp_path) == ("attrs==26.1", "sizewell==0.2.0")


def test_another_content_of_the_same_version_is_another_install(site: Path, tmp_path: Path) -> None:
    url: dict[str, object] = {"url": "file:///source", "dir_info": {}}
    install(site, "sizewell", "0.2.0", url=url, record="sizewell/cli/main.py,sha256=a,1")
    before = now(tmp_path)
    assert now(tmp_path) == before
    install(site, "sizewell", "0.2.0", url=url, record="sizewell/cli/main.py,sha256=b,1")
    assert now(tmp_path) != before


def write(source: Path) -> None:
    (source / "pkg" / "main.py").write_text("changed")


def touch(source: Path) -> None:
    os.utime(source / "pkg" / "main.py", (1, 1))


def add(source: Path) -> None:
    (source / "pkg" / "new.csv").write_text("")


@pytest.fixture
def source(site: Path, tmp_path: Path) -> Path:
    """Return the source tree of an editable install, with a blank in its path."""
    directory = tmp_path / "größe 1"
    (directory / "pkg").mkdir(parents=True)
    (directory / "pkg" / "main.py").write_text("one")
    install(site, "sizewell", "0.2.0", url=editable(directory))
    return directory


@pytest.mark.parametrize("change", [write, touch, add])
def test_an_editable_install_counts_with_its_source(
    source: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    before = now(tmp_path / "project")
    change(source)
    assert now(tmp_path / "project") != before
    # The files of the project itself are those of a ref, not those on the disk.
    assert now(source) == ("sizewell==0.2.0",)


def test_what_is_never_imported_does_not_count(source: Path, tmp_path: Path) -> None:
    project = source / "examples" / "chat"
    before = now(project)
    for place in (source / "pkg" / "__pycache__", source / ".git", source / "cdk.out", project):
        place.mkdir(parents=True)
        (place / "file").write_text("")
    assert now(project) == before
