"""Which kind of hardware an instance type is."""

from collections.abc import Iterable
from functools import cache

from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import regions
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.review.parity.settings import SettingPath

_INSTANCE_TYPES = (
    "InstanceType",
    "instance_type",
    "InstanceTypes",
    "AllowedInstanceTypes",
    "instance_types",
    "DBInstanceClass",
    "CacheNodeType",
    "NodeType",
)
_IMAGES = (
    "Image",
    "ImageUri",
    "ImageId",
    "TrainingImage",
    "InferenceAmiVersion",
    "AmiType",
    "AlgorithmName",
    "image",
    "alias",
)
#: In a pool of nodes (https://karpenter.sh/docs/concepts/nodepools/#instance-types), and for a training in a container.
_IN_A_LIST = (("node.kubernetes.io/instance-type", "values"), ("INSTANCE_TYPE", "value"))


def is_instance_type(path: SettingPath) -> bool:
    """Tell whether a setting names instance types."""
    return path[-1] in _INSTANCE_TYPES or path[-2:] in _IN_A_LIST


def is_image(path: SettingPath) -> bool:
    """Tell whether a setting says which image runs, or on which operating system."""
    return path[-1] in _IMAGES


def hardware_kinds(instance_types: Iterable[str]) -> frozenset[str | None]:
    """Return what images for these types must be built for; None stands for types that no table knows."""
    return frozenset(_kind(name) for name in instance_types)


@cache
def _kind(name: str) -> str | None:
    # What a type is made of is the same in all regions.
    catalog = load_catalog(regions()[0])
    found = catalog.find(name) or catalog.find(f"ml.{name}")
    kind = hardware_kind(found) if found else None
    return kind.value if kind else None
