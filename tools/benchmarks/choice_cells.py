"""Read the cells of a choices file that name hardware: types, families, chips, or words such as ``single-GPU``."""

import re
from dataclasses import dataclass
from functools import cache

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.catalog import InstanceType

_TYPE = re.compile(
    r"\b(?:ml\.)?([a-z]+\d+[a-z]*(?:-[a-z0-9]+)?)\.(\d*x?large|\d+xl|xl|medium|small|nano|micro|metal)\b",
    re.I,
)
_FAMILY = re.compile(r"\b(?:ml\.)?((?:inf|trn|dl|hpc|[a-z])\d+[a-z]*(?:-flex)?)\b(?:\.\*)?", re.I)
_CHIP = re.compile(r"\b(\d+)\s*x\s*((?:rtx\s*)?[a-z]+\d+[a-z]*)\b", re.I)
_PARENTHESIS = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_PRECISION = re.compile(
    r"\b(?:at|with|in)\s+((?:fp32|fp16|bf16|fp8|int8|int4|half|bitsandbytes|[48]-bit)(?:/\w+)*)", re.I
)
_EXAMPLE = re.compile(r",?\s*\b(?:e\.g\.|such as|for example)\s.*$", re.I)
_LIST_START = re.compile(r"^(?:or\s+)?(?:ml\.)?[a-z]+\d", re.I)
#: EC2 product pages: the accelerators of a family are chips of one make.
_SERIES = {
    "inferentia": "inf",
    "inferentia1": "inf1",
    "inferentia2": "inf2",
    "trainium": "trn",
    "trainium1": "trn1",
    "trainium2": "trn2",
    "neuron": "neuron",
}


def family_of(type_name: str) -> str:
    """Return the family of an instance type, with or without ``ml.``."""
    return type_name.removeprefix("ml.").partition(".")[0]


@dataclass(frozen=True, slots=True)
class Clause:
    """One alternative of a cell; an empty part does not restrict.

    ``types`` and ``families`` are names as written, ``chips`` of the form ``4x A100`` in lower case. ``hardware`` holds
    words: ``cpu``, ``gpu``, ``single-gpu``, ``multi-gpu``, ``neuron``, ``serverless``, ``other``, ``many-instances``.
    ``precisions`` are those to which the alternative is limited; ``or_newer`` lets later families of the kind count.
    """

    types: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    chips: tuple[tuple[int, str], ...] = ()
    hardware: frozenset[str] = frozenset()
    precisions: frozenset[str] = frozenset()
    or_newer: bool = False

    @property
    def empty(self) -> bool:
        return not (self.types or self.families or self.chips or self.hardware)


@dataclass(frozen=True, slots=True)
class Cell:
    """A parsed cell: alternatives, any of which will do."""

    text: str
    clauses: tuple[Clause, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """The instance types that the cell names, sorted."""
        return tuple(sorted({name for clause in self.clauses for name in clause.types}))

    @property
    def readable(self) -> bool:
        """Whether the cell says anything about hardware that was understood."""
        return bool(self.clauses)


def parse_cell(text: str, catalog: Catalog, *, explains: bool = False) -> Cell:
    """Read a cell. ``explains``: parentheses give reasons (unacceptable hardware) rather than more hardware."""
    if not text.strip():
        return Cell(text)
    kept = _PARENTHESIS.sub(
        lambda m: f" {m[1]} " if not explains and _LIST_START.match(m[1].strip()) else " ", text
    )
    clauses = [
        _clause(part, catalog)
        for part in re.split(r";|,\s*or\b|\bor\b(?=\s+(?:\d+\s*x|cpu|gpu|single|multi|ml\.\w+\.\*))", kept)
    ]
    return Cell(text, tuple(clause for clause in clauses if not clause.empty))


def _clause(part: str, catalog: Catalog) -> Clause:
    part = _EXAMPLE.sub("", part)
    precisions = _PRECISION.search(part)
    types = frozenset(f"ml.{m[1].lower()}.{_size(m[2].lower())}" for m in _TYPE.finditer(part))
    rest = _TYPE.sub(" ", part)
    chips = tuple((int(m[1]), m[2].lower()) for m in _CHIP.finditer(rest))
    rest = _PRECISION.sub(" ", _CHIP.sub(" ", rest))
    chips += tuple(
        (1, name) for name in re.findall(r"[a-z]+\d+[a-z]*", rest.lower()) if name in chip_names(catalog)
    )
    known = _known_families(catalog)
    families = frozenset(
        family
        for m in _FAMILY.finditer(rest)
        for family in _families(m[1].lower(), known)
        if family not in chip_names(catalog)
    )
    words = frozenset(_words(rest.lower()))
    if types or chips:  # the words of such a part only describe what is named
        words &= {"many-instances"}
    return Clause(
        types,
        families,
        chips,
        words,
        frozenset(precisions[1].lower().split("/")) if precisions else frozenset(),
        "newer" in part,
    )


def _words(text: str) -> list[str]:
    found = []
    if "serverless" in text:
        found.append("serverless")
    if "any other" in text:
        found.append("other")
    if re.search(r"multi-?(?:instance|machine|node)", text):
        found.append("many-instances")
    if re.search(r"multi[- ]gpu|multiple gpus", text):
        found.append("multi-gpu")
    elif re.search(r"single[- ]gpu|\bone gpu\b", text):
        found.append("single-gpu")
    elif re.search(r"\bgpus?\b", text):
        found.append("gpu")
    if re.search(r"\bcpus?\b", text):
        found.append("cpu")
    found += [series for name, series in _SERIES.items() if re.search(rf"\b{name}\b", text)]
    return found


def _families(word: str, known: frozenset[str]) -> list[str]:
    """Return the families that a word names: itself, or all that begin with it (``p4``: p4d, p4de)."""
    if word in known:
        return [word]
    return sorted(f for f in known if re.fullmatch(rf"{word}[a-z]+", f)) or ([word] if len(word) <= 4 else [])


def _size(size: str) -> str:
    return "xlarge" if size == "xl" else re.sub(r"(?<=\d)xl$", "xlarge", size)


@cache
def _known_families(catalog: Catalog) -> frozenset[str]:
    return frozenset(instance_type.family for instance_type in catalog.instance_types)


@cache
def chip_names(catalog: Catalog) -> frozenset[str]:
    """Return the names of GPUs without their memory, in lower case: ``a100``, ``l4``."""
    names = {
        instance_type.accelerator.name.lower().split()[0]
        for instance_type in catalog.instance_types
        if instance_type.accelerator
    }
    return frozenset(name for name in names if re.fullmatch(r"[a-z]{1,2}\d+[a-z]?", name))


def has_hardware(instance_type: InstanceType, word: str) -> bool:
    """Return whether a word such as ``single-gpu`` describes a type."""
    kind = instance_type.accelerator.kind if instance_type.accelerator else ""
    count = instance_type.accelerator_count
    if word == "cpu":
        return count == 0
    if word in ("gpu", "single-gpu", "multi-gpu"):
        return kind == "cuda" and (word == "gpu" or (count == 1) is (word == "single-gpu"))
    if word == "neuron":
        return kind == "neuron"
    return kind == "neuron" and instance_type.family.startswith(word)


def matches(clause: Clause, instance_type: InstanceType, *, by_family: bool) -> bool:
    """Return whether a type is what a clause names; ``by_family`` takes every size of a named type's family."""
    words = clause.hardware - {"many-instances"}
    if words and not any(has_hardware(instance_type, word) for word in words):
        return False
    if not (clause.types or clause.families or clause.chips):
        return bool(words)
    families = clause.families | (frozenset(map(family_of, clause.types)) if by_family else frozenset())
    chip = instance_type.accelerator.name.lower() if instance_type.accelerator else ""
    return (
        instance_type.name in clause.types
        or instance_type.family in families
        or any(
            re.match(rf"{re.escape(name)}\b", chip) and instance_type.accelerator_count >= count
            for count, name in clause.chips
        )
    )
