"""Facts about SageMaker instance types: hardware, offers and prices per region, each with its source and date.

The facts are tables in ``data/``; ``docs/guides/catalog.md`` explains their columns and how to add to them.
"""

from sizewell.instance_selection.catalog.catalog import (
    Catalog,
    SpotHistory,
    UnknownInstanceTypeError,
    UnknownNameError,
    UnknownRegionError,
)
from sizewell.instance_selection.catalog.instance_types import Accelerator, Cpu, InstanceType, Usage
from sizewell.instance_selection.catalog.loading import (
    catalog_version,
    load_catalog,
    load_ec2_catalog,
    regions,
)
from sizewell.instance_selection.catalog.offers import Offer
from sizewell.instance_selection.catalog.prices import EC2, Price, PriceBasis, PriceRatio, PriceRow
from sizewell.instance_selection.catalog.refreshed import PACKAGED, REFRESHABLE, RefreshedTables

__all__ = [
    "EC2",
    "PACKAGED",
    "REFRESHABLE",
    "Accelerator",
    "Catalog",
    "Cpu",
    "InstanceType",
    "Offer",
    "Price",
    "PriceBasis",
    "PriceRatio",
    "PriceRow",
    "RefreshedTables",
    "SpotHistory",
    "UnknownInstanceTypeError",
    "UnknownNameError",
    "UnknownRegionError",
    "Usage",
    "catalog_version",
    "load_catalog",
    "load_ec2_catalog",
    "regions",
]
