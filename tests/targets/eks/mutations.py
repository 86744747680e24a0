"""The legal manifests, and copies of them with one field changed."""

from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sizewell.targets.eks.legality import ManifestFault, legality_faults

INSTANCE_TYPES = frozenset({"g5.xlarge", "g5.2xlarge", "trn1.32xlarge", "m7i.large"})
DELETED = object()


@cache
def _read() -> tuple[dict[str, Any], ...]:
    return tuple(yaml.safe_load_all(Path(__file__).with_name("legal_manifests.yaml").read_text("utf-8")))


def legal_manifests() -> list[dict[str, Any]]:
    return deepcopy(list(_read()))


def faults_of(manifests: Iterable[dict[str, Any]]) -> tuple[ManifestFault, ...]:
    return legality_faults(list(manifests), instance_types=INSTANCE_TYPES)


def mutated(kind_and_name: str, path: str, value: object) -> list[dict[str, Any]]:
    """Return the legal manifests with one field changed.

    ``path`` has its keys and indices separated by spaces; ``+`` is the place after the last element of a list. The path
    ``""`` is the whole manifest.
    """
    manifests = legal_manifests()
    index = next(
        i for i, written in enumerate(manifests)
        if f"{written['kind']} {written['metadata']['name']}" == kind_and_name
    )  # fmt: skip
    *parents, last = [str(index), *path.split()]
    holder: Any = manifests
    for key in parents:
        holder = holder[int(key)] if isinstance(holder, list) else holder.setdefault(key, {})
    if last == "+":
        holder.append(value)
    elif value is DELETED:
        del holder[int(last) if isinstance(holder, list) else last]
    else:
        holder[int(last) if isinstance(holder, list) else last] = value
    return manifests
