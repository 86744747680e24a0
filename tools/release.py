"""Print what a release brings, if its tag, both pyproject.toml and the changelog agree: ``python -m tools.release v1.2.3``."""

import re
import sys
import tomllib
from pathlib import Path

from tools.lock_files import ROOT

_PROJECTS = (Path("pyproject.toml"), Path("tools/localcloud/pyproject.toml"))
_TAG = re.compile(r"v(\d+\.\d+\.\d+)")


def main(tag: str) -> int:
    """Print the section of the changelog; or to stderr what does not agree, all at once, and return 1."""
    try:
        print(notes(ROOT, tag))
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class ReleaseError(Exception):
    """A tag, a version or the changelog says another thing than the rest."""


def notes(root: Path, tag: str) -> str:
    """Return the section of the changelog for a tag. Raises ``ReleaseError``."""
    found = _TAG.fullmatch(tag)
    if found is None:
        raise ReleaseError(f"the tag is {tag}: write it as v1.2.3")
    version = found[1]
    faults = []
    for path in _PROJECTS:
        stated = tomllib.loads((root / path).read_text("utf-8"))["project"]["version"]
        if stated != version:
            faults.append(f"{path}: the version is {stated}, the tag is {tag}")
    sections = re.split(r"^## ", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    heading, _, section = sections[0].partition("\n")
    if heading != version:
        faults.append(f"CHANGELOG.md: the first section is {heading}: write ## {version}")
    elif not section.strip():
        faults.append(f"CHANGELOG.md: the section {version} is empty")
    if faults:
        raise ReleaseError("\n".join(faults))
    return section.strip()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
