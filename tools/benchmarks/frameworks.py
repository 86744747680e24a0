"""Frameworks of the measurements: what the name and the version in a cell say of an engine, by ``frameworks.csv``."""

import re
from dataclasses import dataclass
from functools import cache

from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.cells import plain_name, refused
from tools.benchmarks.tables import DATA, read_table

#: Who publishes a framework, before its name.
_VENDOR = re.compile(r"^(?:hf|hugging-?face|nvidia|aws|intel)[-/]")
_COMMENT = re.compile(r"\([^)]*\)")
_VERSION = re.compile(
    r"(?P<name>.+?)(?:-|=+|-version-|-v|-build-)(?P<version>[vb]?\d[\w.+-]*|[0-9a-f]{7,40})"
)


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A release of a framework, as ``frameworks.csv`` describes its columns."""

    name: str = ""
    version: str = ""
    family: str = "none"
    engine: str = "eager"
    decodes: bool = False
    tf32: str = ""
    recompute: str = ""
    parallelism: str = ""

    @property
    def release(self) -> str:
        """The name and the version, joined by a hyphen."""
        return f"{self.name}-{self.version}" if self.version else self.name

    def engine_for(self, architecture: Architecture, kind: str) -> str:
        """Return the engine class: eager, compiled, optimized, llm-engine or neuron."""
        if kind == "neuron":
            return "neuron"
        if self.decodes and architecture.generates:
            return "llm-engine"
        return "eager" if kind == "cpu" and self.engine == "compiled" else self.engine


def find_framework(cell: str) -> Framework:
    """Return the release that a cell names, ``vllm 0.6.3``, without a version today's; text in parentheses is a comment.

    An empty cell is a framework of which nothing is known. Raises `UnreadableRowError` for a name that no row has.
    """
    text = _plain(_COMMENT.sub(" ", cell))
    if not text:
        return Framework()
    name, version = text, ""
    if name not in _releases() and (found := _VERSION.fullmatch(text)):
        name, version = found["name"], found["version"].removeprefix("v")
    releases = _releases().get(name)
    if releases is None:
        raise refused(
            "framework", cell, "a name of frameworks.csv and its version, such as vllm 0.6.3 or pytorch 2.4"
        )
    row = next(
        (row for row in reversed(releases) if not version or _number(row["since"]) <= _number(version)),
        releases[0],
    )
    return Framework(
        name=row["framework"],
        version=version,
        family=row["family"],
        engine=row["engine"],
        decodes=row["decodes"] == "yes",
        tf32=row["tf32"],
        recompute=row["recompute"],
        parallelism=row["parallelism"],
    )


def _plain(name: str) -> str:
    return _VENDOR.sub("", plain_name(name)).rstrip("-")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


@cache
def _releases() -> dict[str, list[dict[str, str]]]:
    """Return the rows of each name and alias, in the order of their versions."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in read_table(DATA / "frameworks.csv"):
        releases = found.setdefault(_plain(row["framework"]), [])
        releases.append(row)
        found |= {_plain(alias): releases for alias in row["aliases"].split(";") if alias}
    return found
