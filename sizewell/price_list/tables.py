"""From prices and descriptions to the tables of a project: sorted rows, so that the same answers make the same bytes."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO

from sizewell.instance_selection.catalog import EC2, RefreshedTables
from sizewell.instance_selection.catalog.tables import Row, columns_of, read_table
from sizewell.price_list.described_types import EC2_SOURCE, ENUM_SOURCE
from sizewell.price_list.products import ServicePrices

#: HyperPod has offers in the tables, and no prices.
_CLUSTER = "cluster"
QUERY_SOURCE, FILE_SOURCE = "aws-price-list-query", "aws-price-list-files"
_PUBLIC = "prices that AWS publishes"
_DATED_ROWS = "as_of_date of the rows"
#: Where rows come from, by ``source_id``: what, where, licence, date, tables.
_SOURCES = {
    FILE_SOURCE: (
        "Prices of SageMaker by usage, and of EC2 Linux on demand",
        "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws",
        _PUBLIC,
        _DATED_ROWS,
        "availability;prices",
    ),
    QUERY_SOURCE: (
        "Prices of SageMaker by usage, and of EC2 Linux on demand",
        "pricing:GetProducts",
        _PUBLIC,
        _DATED_ROWS,
        "availability;prices",
    ),
    EC2_SOURCE: (
        "Specifications of types",
        "ec2:DescribeInstanceTypes",
        "none stated",
        "not stated",
        "instances",
    ),
    ENUM_SOURCE: (
        "SageMaker service model enums (which usage accepts which ml.* type)",
        "Python package botocore, data/sagemaker",
        "Apache-2.0",
        "not stated",
        "instances",
    ),
}


@dataclass(frozen=True, slots=True)
class RegionPrices:
    """What AWS publishes of a region."""

    region: str
    source_id: str
    sagemaker: ServicePrices
    ec2: ServicePrices

    @property
    def types(self) -> frozenset[str]:
        """The types that SageMaker prices for any usage."""
        return frozenset(name for name, _ in self.sagemaker.usd_per_hour)

    def usages(self, name: str) -> tuple[str, ...]:
        """Return the usages for which SageMaker prices a type, sorted."""
        return tuple(sorted(usage for priced, usage in self.sagemaker.usd_per_hour if priced == name))


def refreshed_tables(
    current: RefreshedTables, refreshed: Iterable[RegionPrices], described: Iterable[Row]
) -> RefreshedTables:
    """Return the tables of a project with other rows for some regions, and with new types; all other rows stay."""
    by_region = {prices.region: prices for prices in refreshed}
    instances = {row["instance_type"]: row for row in (*_rows(current, "instances"), *described)}
    known = {row["instance_type"] for row in read_table("instances")} | instances.keys()
    kept = {
        table: [row for row in _rows(current, table) if row["region"] not in by_region]
        for table in ("availability", "prices")
    }
    availability = [
        *kept["availability"],
        *(row for of_region in by_region.values() for row in _offers(of_region)),
    ]
    prices = [
        *kept["prices"],
        *(row for of_region in by_region.values() for row in _prices(of_region, known)),
    ]
    used = {row["source_id"] for row in (*availability, *prices)}
    used |= {source for row in instances.values() for source in row["source_ids"].split(";")}
    sources = [
        dict(
            zip(columns_of("sources"), (source, *_SOURCES[source][:4], "A", _SOURCES[source][4]), strict=True)
        )
        for source in sorted(used & _SOURCES.keys())
    ]
    return RefreshedTables.of(
        {
            "availability": _text("availability", availability, "region", "instance_type"),
            "instances": _text("instances", instances.values(), "instance_type"),
            "prices": _text("prices", prices, "region", "instance_type", "usage"),
            "sources": _text("sources", sources, "source_id"),
        }
    )


def _offers(prices: RegionPrices) -> Iterable[Row]:
    for name in prices.types:
        yield {
            "region": prices.region,
            "instance_type": name,
            "usages": ";".join(prices.usages(name)),
            "source_id": prices.source_id,
            "as_of_date": prices.sagemaker.published,
        }


def _prices(prices: RegionPrices, known: Iterable[str]) -> Iterable[Row]:
    """Yield a row for each price; of EC2 those of types that SageMaker has, here or elsewhere."""
    of_sagemaker = prices.types | set(known)
    for service in (prices.sagemaker, prices.ec2):
        for (name, usage), usd in service.usd_per_hour.items():
            if usage != _CLUSTER and (usage != EC2 or name in of_sagemaker):
                yield {
                    "region": prices.region,
                    "instance_type": name,
                    "usage": usage,
                    "usd_per_hour": f"{usd.normalize():f}",
                    "source_id": prices.source_id,
                    "as_of_date": service.published,
                }


def _rows(tables: RefreshedTables, table: str) -> list[Row]:
    return list(csv.DictReader(tables.lines(table)))


def _text(table: str, rows: Iterable[Mapping[str, str]], *keys: str) -> str:
    """Return the text of a table; an empty one without rows."""
    ordered = sorted(rows, key=lambda row: [row[key] for key in keys])
    if not ordered:
        return ""
    file = StringIO()
    writer = csv.DictWriter(file, columns_of(table), lineterminator="\n")
    writer.writeheader()
    writer.writerows(ordered)
    return file.getvalue()


def lost_usages(old: Mapping[str, int], prices: RegionPrices) -> list[str]:
    """Return the usages that the catalog in use has prices or offers of, by number of types, and AWS has none of today.

    So much does not go in a day: the names of the price list have changed, and nothing of it can be trusted.
    """
    found = {usage for service in (prices.sagemaker, prices.ec2) for _, usage in service.usd_per_hour}
    return sorted(usage for usage, count in old.items() if count and usage not in found)
