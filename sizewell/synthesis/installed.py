"""What is installed beside a project: it decides about the bytes of an output as the files of the project do."""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from pathlib import Path

#: Directories of a source tree that nothing is imported from.
_NO_SOURCE = {"__pycache__", "cdk.out", "node_modules"}
#: A byte of a path as it stands in a ``file`` URL.
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


@cache
def installed_packages(project: Path) -> tuple[str, ...]:
    """Return every installed distribution as ``name==version``, sorted.

    What was installed from a directory or a repository keeps its version while its content changes, so a digest of
    the content is added; not for the project itself, whose files are known by git.
    """
    return tuple(sorted({_identity(distribution, project) for distribution in distributions()}))


def _identity(distribution: Distribution, project: Path) -> str:
    name = f"{distribution.name}=={distribution.version}"
    origin = distribution.read_text("direct_url.json")
    if origin is None:
        return name
    source = _editable_source(origin)
    if source is None:
        return f"{name} {sha256((distribution.read_text('RECORD') or '').encode()).hexdigest()}"
    return name if source == project.resolve() else f"{name} {source_digest(source, without=project)}"


def addresses(distribution: Distribution) -> tuple[str, ...]:
    """Return the addresses that a requirement may give for what is installed, the most exact first; none for that of an index.

    https://packaging.python.org/en/latest/specifications/direct-url-data-structure/ (PEP 610): that of a repository has its
    kind, its commit and the ref that was asked for beside it.
    """
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if not origin:
        return ()
    subdirectory = f"#subdirectory={origin['subdirectory']}" if "subdirectory" in origin else ""
    if (repository := origin.get("vcs_info")) is None:
        return (f"{origin['url']}{subdirectory}",)
    refs = (f"@{repository[key]}" if key in repository else "" for key in ("commit_id", "requested_revision"))
    return tuple(f"{repository['vcs']}+{origin['url']}{ref}{subdirectory}" for ref in refs)


def archive_digest(distribution: Distribution) -> str | None:
    """Return the SHA-256 of the file that a distribution was installed from; None where it was no file, or pip did not say."""
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    digest: str | None = origin.get("archive_info", {}).get("hashes", {}).get("sha256")
    return digest


def path_of(url: str) -> Path:
    """Return the path that a ``file`` URL stands for."""
    path = os.fsencode(url.removeprefix("file://"))
    return Path(os.fsdecode(_ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), path)))


def _editable_source(origin: str) -> Path | None:
    """Return the directory of an editable install by its ``direct_url.json``; None for any other install."""
    described = json.loads(origin)
    if not described.get("dir_info", {}).get("editable"):
        return None
    return path_of(described["url"]).resolve()


def source_digest(source: Path, *, without: Path) -> str:
    """Return a digest of a source tree: path, time and size of each file, without those of a project inside."""
    return sha256(
        "\0".join(sorted(_files(source, without.resolve()))).encode("utf-8", "surrogateescape")
    ).hexdigest()


def _files(source: Path, without: Path) -> Iterator[str]:
    for directory, below, files in os.walk(source):
        below[:] = [
            name
            for name in below
            if name[0] != "." and name not in _NO_SOURCE and Path(directory, name) != without
        ]
        for name in files:
            path = Path(directory, name)
            if name[0] != "." and path.is_file():
                status = path.stat()
                yield f"{path.relative_to(source)} {status.st_mtime_ns} {status.st_size}"
