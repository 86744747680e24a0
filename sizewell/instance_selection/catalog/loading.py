"""Build the catalog of a region from the data tables."""

import csv
from dataclasses import replace
from functools import cache, partial

from sizewell.facts.node_fees import fee_share
from sizewell.instance_selection.catalog.catalog import Catalog, SpotHistory, UnknownRegionError
from sizewell.instance_selection.catalog.instance_types import Accelerator, Cpu, InstanceType, Usage
from sizewell.instance_selection.catalog.prices import EC2, PriceRatio, PriceRow
from sizewell.instance_selection.catalog.refreshed import PACKAGED, RefreshedTables
from sizewell.instance_selection.catalog.tables import (
    DATA_DIRECTORY,
    Row,
    items,
    number,
    read_region,
    read_regions,
    read_table,
    record,
)


@cache
def load_catalog(region: str, refreshed: RefreshedTables = PACKAGED) -> Catalog:
    """Return the catalog of a region, with what a project refreshed of it; it is read once per process.

    Raises:
        UnknownRegionError: AWS prices no SageMaker instance there.
    """
    listed = {
        name: frozenset(items(usages)) for name, usages, *_ in read_region("availability", region, refreshed)
    }
    if not listed:
        raise UnknownRegionError(region, regions(refreshed))
    return Catalog(
        region,
        _instance_types(refreshed),
        prices=(
            PriceRow(name, usage, float(usd_per_hour), source_id, as_of or None)
            for name, usage, usd_per_hour, source_id, as_of in read_region("prices", region, refreshed)
        ),
        ratios=(
            PriceRatio(
                row["family"], row["size"], float(row["ratio"]), int(row["pairs"]), items(row["source_ids"])
            )
            for row in read_table("price_ratios")
        ),
        listed=listed,
        corrections={(row["family"], row["usage"]): row["reason"] for row in read_table("offer_corrections")},
        spot=_spot(region),
        reliability=_reliability(refreshed),
        version=partial(catalog_version, refreshed),
        refreshed=refreshed,
    )


def _spot(region: str) -> dict[str, SpotHistory]:
    return {
        name: SpotHistory(savings_percent=int(savings_percent), interruption_band=band, as_of=as_of)
        for name, savings_percent, band, _, as_of in read_region("spot_advisor", region)
    }


def _reliability(refreshed: RefreshedTables) -> dict[str, str]:
    rows = (*csv.DictReader(refreshed.lines("sources")), *read_table("sources"))
    return {row["source_id"]: row["reliability"] for row in rows}


@cache
def load_ec2_catalog(region: str, manager: str = "", refreshed: RefreshedTables = PACKAGED) -> Catalog:
    """Return the same hardware under the names of EC2, as far as AWS prices it on demand there; it is read once per process.

    Prices include the fee of a ``manager`` of instances that takes one: ``sizewell.facts.node_fees``.

    Raises:
        UnknownRegionError: no EC2 price of the region is known.
    """
    prices = [
        PriceRow(
            _ec2_name(name),
            usage,
            float(usd_per_hour) * (1 + fee_share(manager, _ec2_name(name).partition(".")[0])),
            source_id,
            as_of or None,
        )
        for name, usage, usd_per_hour, source_id, as_of in read_region("prices", region, refreshed)
        if usage == EC2
    ]
    if not prices:
        raise UnknownRegionError(region, read_regions("prices", refreshed))
    return Catalog(
        region,
        (
            replace(instance_type, name=_ec2_name(instance_type.name), usages=frozenset({Usage.EC2}))
            for instance_type in _instance_types(refreshed)
        ),
        prices=prices,
        listed={row.instance_type: frozenset({EC2}) for row in prices},
        spot={
            _ec2_name(name): _of_price_with_fee(
                history, fee_share(manager, _ec2_name(name).partition(".")[0])
            )
            for name, history in _spot(region).items()
        },
        reliability=_reliability(refreshed),
        version=partial(catalog_version, refreshed),
        refreshed=refreshed,
    )


def _of_price_with_fee(history: SpotHistory, share: float) -> SpotHistory:
    """Return what Spot saves of a price with a fee, which has no discount."""
    return replace(history, savings_percent=history.savings_percent / (1 + share))


def _ec2_name(name: str) -> str:
    return name.removeprefix("ml.")


@cache
def regions(refreshed: RefreshedTables = PACKAGED) -> tuple[str, ...]:
    """Return the regions of which the catalog knows what AWS offers, in alphabetical order; of some it knows no price."""
    return read_regions("availability", refreshed)


@cache
def catalog_version(refreshed: RefreshedTables = PACKAGED) -> str:
    """Return the first 12 digits of the SHA-256 of all data files in the order of their names, then of the refreshed tables."""
    from hashlib import sha256  # only here: most runs do not ask

    digest = sha256()
    for path in sorted(DATA_DIRECTORY.glob("*.csv")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    for table, text in refreshed.texts:
        digest.update(f"refreshed {table}.csv".encode())
        digest.update(text.encode())
    return digest.hexdigest()[:12]


@cache
def _instance_types(refreshed: RefreshedTables) -> tuple[InstanceType, ...]:
    accelerators = {row["accelerator"]: accelerator_of(row) for row in read_table("accelerators")}
    cpus = {row["family"]: cpu_of(row, row["family"]) for row in read_table("cpus")}
    packaged = {row["instance_type"]: row for row in read_table("instances")}
    added = {row["instance_type"]: row for row in csv.DictReader(refreshed.lines("instances"))}
    return tuple(
        _instance_type(row, cpus.get(row["family"]), accelerators.get(row["accelerator"]))
        for row in (added | packaged).values()
    )


def _instance_type(row: Row, cpu: Cpu | None, accelerator: Accelerator | None) -> InstanceType:
    return record(
        InstanceType,
        row,
        name=row["instance_type"],
        usages=frozenset(Usage(usage) for usage in items(row["usages"])),
        cpu=cpu,
        accelerator=accelerator,
    )


def accelerator_of(row: Row) -> Accelerator:
    """Return the chip of a row with the columns of ``accelerators.csv``."""
    return record(Accelerator, row, name=row["accelerator"])


def cpu_of(row: Row, name: str) -> Cpu:
    """Return the processor of a row with the columns of ``cpus.csv``."""
    return Cpu(
        name=name,
        threads_per_core=int(row["threads_per_core"] or 2),
        vcpus_per_socket=int(row["vcpus_per_socket"]) if row["vcpus_per_socket"] else None,
        sustained_clock_ghz=number(row["sustained_clock_ghz"]),
        instructions_per_clock=number(row["instructions_per_clock"]),
        peak_fp32_gflops_per_vcpu=_peak_per_vcpu(row, "fp32_flops_per_cycle_per_core"),
        peak_bf16_gflops_per_vcpu=_peak_per_vcpu(row, "bf16_flops_per_cycle_per_core"),
        peak_int8_gops_per_vcpu=_peak_per_vcpu(row, "int8_ops_per_cycle_per_core"),
        memory_bandwidth_gb_s_per_vcpu=(
            round(float(row["memory_bandwidth_gb_s_per_socket"]) / int(row["vcpus_per_socket"]), 3)
            if row["vcpus_per_socket"]
            else None
        ),
    )


def _peak_per_vcpu(row: Row, operations_per_cycle: str) -> float | None:
    if not row[operations_per_cycle]:
        return None
    return float(row["sustained_clock_ghz"]) * float(row[operations_per_cycle]) / int(row["threads_per_core"])
