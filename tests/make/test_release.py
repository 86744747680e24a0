"""A release: its tag, both versions and the changelog agree, or it says what does not."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT
from tools.release import ReleaseError, notes


def write(root: Path, *, version: str = "1.2.0", local_cloud: str = "1.2.0", heading: str = "1.2.0") -> Path:
    (root / "tools" / "localcloud").mkdir(parents=True)
    for path, stated in (("pyproject.toml", version), ("tools/localcloud/pyproject.toml", local_cloud)):
        (root / path).write_text(f'[project]\nversion = "{stated}"\n', "utf-8")
    (root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {heading}\n\n* New.\n\n### More\n\n* Other.\n\n## 1.1.0\n\n* Old.\n", "utf-8"
    )
    return root


def refusal(root: Path, tag: str) -> str:
    with pytest.raises(ReleaseError) as caught:
        notes(root, tag)
    return str(caught.value)


def test_the_notes_are_the_section_of_the_version(tmp_path: Path) -> None:
    assert notes(write(tmp_path), "v1.2.0") == "* New.\n\n### More\n\n* Other."


@pytest.mark.parametrize("tag", ["1.2.0", "v1.2", "v1.2.0rc1", "v1.2.0\n"])
def test_a_tag_of_another_form(tmp_path: Path, tag: str) -> None:
    assert refusal(write(tmp_path), tag) == f"the tag is {tag}: write it as v1.2.3"


def test_everything_that_does_not_agree_is_said_at_once(tmp_path: Path) -> None:
    root = write(tmp_path, local_cloud="1.1.0", heading="1.2.0 (unreleased)")
    assert refusal(root, "v1.2.0").splitlines() == [
        "tools/localcloud/pyproject.toml: the version is 1.1.0, the tag is v1.2.0",
        "CHANGELOG.md: the first section is 1.2.0 (unreleased): write ## 1.2.0",
    ]
    assert refusal(root, "v1.3.0").startswith(
        "pyproject.toml: the version is 1.2.0, the tag is v1.3.0\ntools/"
    )


def test_an_empty_section(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0\n\n## 1.1.0\n\n* Old.\n", "utf-8")
    assert refusal(tmp_path, "v1.2.0") == "CHANGELOG.md: the section 1.2.0 is empty"


def test_the_changelog_begins_with_the_version_of_the_project() -> None:
    version = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    first = re.search(r"^## (\S+)", (PROJECT_ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first
    assert first[1] == version
