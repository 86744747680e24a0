"""How a published recommendation names instance types: a type, a family (``ml.g5.*``), or a word such as ``single-gpu``."""

from collections.abc import Callable, Iterable
from typing import Final

from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import InstanceType

REGION: Final = "us-east-1"
"""Where types must be offered, and whose prices count."""
SERVERLESS: Final = "serverless"
"""No instance at all."""
ANY_OTHER: Final = "any-other"
"""All types that the row neither recommends nor accepts."""


def _kind(instance_type: InstanceType) -> str:
    return instance_type.accelerator.kind if instance_type.accelerator else ""


GROUPS: dict[str, Callable[[InstanceType], bool]] = {
    "cpu": lambda t: not t.accelerator_count,
    "gpu": lambda t: _kind(t) == "cuda",
    "single-gpu": lambda t: _kind(t) == "cuda" and t.accelerator_count == 1,
    "multi-gpu": lambda t: _kind(t) == "cuda" and t.accelerator_count > 1,
    "neuron": lambda t: _kind(t) == "neuron",
}


def family_of(name: str) -> str:
    """Return the family of a type or of ``ml.g5.*``; another word stays as it is."""
    return name.removeprefix("ml.").partition(".")[0]


def matches(name: str, instance_type: InstanceType) -> bool:
    """Return whether a name means a type."""
    if name in GROUPS:
        return GROUPS[name](instance_type)
    return name in (instance_type.name, f"ml.{instance_type.family}.*")


def names_family(names: Iterable[str], instance_type: InstanceType) -> bool:
    """Return whether one of the names means a type, or another size of its family."""
    return any(matches(name, instance_type) or family_of(name) == instance_type.family for name in names)


def unknown_name(names: Iterable[str], words: Iterable[str]) -> str | None:
    """Return what is wrong with the first name that means nothing; ``words`` are allowed beside types and families."""
    types = load_catalog(REGION).instance_types
    known = {*words, *(t.name for t in types), *(f"ml.{t.family}.*" for t in types)}
    for name in names:
        if name not in known:
            sizes = [t.name for t in types if t.family == family_of(name)]
            allowed = sizes or ["a type such as ml.g5.xlarge", "a family such as ml.g5.*", *words]
            return f"{name} is unknown; allowed: {', '.join(allowed)}"
    return None
