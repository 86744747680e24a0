"""What refreshed tables change: prices, offers, and what is not known."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sizewell.instance_selection.catalog import (
    EC2,
    Catalog,
    PriceBasis,
    RefreshedTables,
    UnknownRegionError,
    Usage,
    load_catalog,
)
from sizewell.instance_selection.catalog.tables import read_region

#: What SageMaker runs; EC2 has a price of its own.
SAGEMAKER_USAGES = tuple(usage for usage in Usage if usage is not Usage.EC2)


@dataclass(frozen=True, slots=True)
class PriceChange:
    """A price that AWS publishes, before and after; None where it published none."""

    instance_type: str
    usage: str
    before: float | None
    after: float | None

    @property
    def percent(self) -> float | None:
        """The change in percent; None where there are no two prices."""
        if self.before is None or self.after is None:
            return None
        return (self.after / self.before - 1) * 100


@dataclass(frozen=True)
class RegionDifference:
    """What changes in one region."""

    region: str
    prices: tuple[PriceChange, ...]
    """By type and usage; those that are the same are not there."""
    new_types: tuple[str, ...]
    gone_types: tuple[str, ...]
    coverage: Mapping[str, "Coverage"]
    """By usage, with the refreshed tables."""

    @cached_property
    def changed(self) -> tuple[PriceChange, ...]:
        """Prices that were and are, the largest change first."""
        both = (change for change in self.prices if change.percent is not None)
        return tuple(sorted(both, key=lambda c: (-abs(c.percent or 0.0), c.instance_type, c.usage)))

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes but dates."""
        return not (self.prices or self.new_types or self.gone_types)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many types are offered for a usage in a region, and of how many the price is known."""

    offered: int
    published: int
    estimated: int

    @property
    def unknown(self) -> int:
        """Offered types without a price: they are shown as unknown, and never counted as zero."""
        return self.offered - self.published - self.estimated


def differences(
    before: RefreshedTables, after: RefreshedTables, regions: Iterable[str]
) -> tuple[RegionDifference, ...]:
    """Return what changes in regions, in their order."""
    return tuple(_difference(before, after, region) for region in regions)


def _difference(before: RefreshedTables, after: RefreshedTables, region: str) -> RegionDifference:
    old, new = _published(before, region), _published(after, region)
    old_types, new_types = _offered(before, region), _offered(after, region)
    return RegionDifference(
        region,
        tuple(
            PriceChange(*key, old.get(key), new.get(key))
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ),
        tuple(sorted(new_types - old_types)),
        tuple(sorted(old_types - new_types)),
        coverage(load_catalog(region, after)),
    )


def _published(tables: RefreshedTables, region: str) -> dict[tuple[str, str], float]:
    """Return the newest price that a table has of each type and usage."""
    rows = sorted(read_region("prices", region, tables), key=lambda cells: cells[4])
    return {(name, usage): float(usd) for name, usage, usd, *_ in rows}


def _offered(tables: RefreshedTables, region: str) -> frozenset[str]:
    return frozenset(name for name, *_ in read_region("availability", region, tables))


def coverage(catalog: Catalog) -> dict[str, Coverage]:
    """Return, by usage, of how many types that a region offers the price is known."""
    return {usage.value: _coverage(catalog, usage) for usage in SAGEMAKER_USAGES}


def _coverage(catalog: Catalog, usage: Usage) -> Coverage:
    offered = [
        instance_type.name
        for instance_type in catalog.instance_types
        if catalog.is_offered(instance_type.name, usage)
    ]
    bases = [catalog.price(name, usage).basis for name in offered]
    return Coverage(len(offered), bases.count(PriceBasis.PUBLISHED), bases.count(PriceBasis.ESTIMATED))


def listed_usages(tables: RefreshedTables, region: str) -> dict[str, int]:
    """Return of how many types the catalog in use has an offer or a price in a region, by usage; nothing of a new region."""
    try:
        load_catalog(region, tables)
    except UnknownRegionError:
        return {}
    names: dict[str, set[str]] = {}
    for name, usages, *_ in read_region("availability", region, tables):
        for usage in usages.split(";"):
            names.setdefault(usage, set()).add(name)
    for name, usage, *_ in read_region("prices", region, tables):
        names.setdefault(usage, set()).add(name)
    # Studio and HyperPod choose no type here.
    wanted = {*(usage.value for usage in SAGEMAKER_USAGES), EC2}
    return {usage: len(found) for usage, found in sorted(names.items()) if usage in wanted}
