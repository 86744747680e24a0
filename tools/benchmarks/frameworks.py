"""Frameworks of the measurements: what the name and the version in a cell say of an engine, by ``frameworks.csv``."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.cells import COMMENT, Cells
from tools.benchmarks.tables import DATA, read_table

#: A version, or a word of a name.
_WORDS = re.compile(r"(?P<version>[vb]?\d[\w.+-]*|(?=[a-f]*\d)[0-9a-f]{7,40}(?![a-z0-9]))|[a-z][a-z0-9]*")
#: Words that say nothing of how an engine computes, which may stand between a name and its version.
_IDLE = frozenset(("hf", "hugging", "face", "nvidia", "aws", "intel", "v", "version", "build", "native", "eager", "cuda",
                   "graphs", "offload", "generate"))  # fmt: skip


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


def find_framework(cells: Cells) -> Framework:
    """Return the release that a row names, ``vllm 0.6.3``, without a version today's.

    The words of a name may stand in any order. Of several frameworks the first one of ``frameworks.csv`` counts. Text in
    parentheses is a comment, which is read where nothing else is known. A cell that names none is a framework of which
    nothing is known.
    """
    cell = cells["framework"].lower().replace("_", "-")
    for text in (COMMENT.sub(" ", cell), cell):
        words = list(_WORDS.finditer(text))
        plain = {word[0] for word in words if not word["version"]}
        for name, releases in _releases():
            if name <= plain:
                cells.ignore("framework", _unknown(words))
                return _release(releases, _version(words, name, releases[0]["framework"]))
    cells.ignore("framework", cell)
    return Framework()


def _version(words: list[re.Match[str]], name: frozenset[str], framework: str) -> str:
    """Return the version behind the framework, or else behind another word of its name, or an empty text."""
    places = [i for i, word in enumerate(words) if word[0] in name]
    for place in sorted(places, key=lambda i: words[i][0] not in framework.split("-")):
        behind = next((word["version"] for word in words[place:] if word[0] not in name | _IDLE), None)
        if behind:
            return str(behind).removeprefix("v")
    return ""


def _unknown(words: list[re.Match[str]]) -> str:
    """Return the words of no name, and the numbers that follow none."""
    before = ["", *(word[0] for word in words)]
    unknown = (word[0] for word, last in zip(words, before, strict=False)
               if (last if word["version"] else word[0]) not in _known_words())  # fmt: skip
    return " ".join(unknown)


def _release(releases: list[dict[str, str]], version: str) -> Framework:
    row = next(
        (row for row in reversed(releases) if not version or _number(row["since"]) <= _number(version)),
        releases[0],
    )
    said = {key: row[key] for key in ("family", "engine", "tf32", "recompute", "parallelism")}
    return Framework(name=row["framework"], version=version, decodes=row["decodes"] == "yes", **said)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


@cache
def _releases() -> list[tuple[frozenset[str], list[dict[str, str]]]]:
    """Return the words of each name, the longer ones of a framework first, with its rows, which follow each other by version."""
    found = []
    for framework, group in groupby(read_table(DATA / "frameworks.csv"), lambda row: row["framework"]):
        rows = list(group)
        aliases = (framework, *filter(None, rows[0]["aliases"].split(";")))
        names = (frozenset(word[0] for word in _WORDS.finditer(name)) for name in aliases)
        found += [(name, rows) for name in sorted(names, key=len, reverse=True)]
    return found


@cache
def _known_words() -> frozenset[str]:
    return _IDLE.union(*(name for name, _ in _releases()))
