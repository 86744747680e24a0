"""``sizewell catalog``: refresh the prices, offers and types of a project from AWS, and say how old they are."""

import csv
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sizewell.cli.errors import exit_with
from sizewell.cli.output import tell, write_file, write_files
from sizewell.config import ConfigError, environment_names
from sizewell.instance_selection.catalog import PACKAGED, RefreshedTables, load_catalog
from sizewell.instance_selection.catalog.tables import Row, read_table
from sizewell.planning.catalog_files import catalog_path, read_refreshed
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.lock import LockedEnvironment, lock_of
from sizewell.planning.lock_changes import LockChange
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.plan import DeploymentPlan
from sizewell.price_list.age import TableDates, table_dates
from sizewell.price_list.described_types import UnknownAcceleratorError, row_of
from sizewell.price_list.differences import (
    Coverage,
    RegionDifference,
    coverage,
    differences,
    listed_usages,
)
from sizewell.price_list.errors import PriceListError
from sizewell.price_list.products import EC2, SAGEMAKER, ServicePrices
from sizewell.price_list.public_files import public_prices
from sizewell.price_list.query_api import NotAllowedError, QueryApi
from sizewell.price_list.tables import (
    FILE_SOURCE,
    QUERY_SOURCE,
    RegionPrices,
    lost_usages,
    refreshed_tables,
)

#: Price list files, until what they say is accepted. The directory is in no commit.
DOWNLOADS = Path(".sizewell", "price-lists")


@dataclass(frozen=True, slots=True)
class Effect:
    """What other tables make of an environment, under its lock."""

    environment: str
    picks: tuple[LockChange, ...]
    """Each workload on instances, before and after; also those that stay."""
    usd_per_month: tuple[float | None, float | None]
    """The bill before and after; None is unknown."""
    fault: str
    """Why there is no plan, with the tables of today or with the refreshed ones; else empty."""


@dataclass(frozen=True)
class Refresh:
    """What AWS publishes today, beside what the project has."""

    before: RefreshedTables
    after: RefreshedTables
    regions: tuple[RegionDifference, ...]
    published: Mapping[str, tuple[str, str]]
    """By region, when AWS published the prices of SageMaker and of EC2."""
    source_id: str
    notes: tuple[str, ...]
    effects: tuple[Effect, ...]

    @property
    def is_current(self) -> bool:
        """Whether the project has all of it, with its dates."""
        return self.before == self.after


def find_refresh(config: Path, regions: Sequence[str], profile: str | None, host: str) -> Refresh:
    """Ask AWS, and compare; nothing is written but downloads. Raises ``ConfigError``, ``PriceListError`` and ``OSError``."""
    before = read_refreshed(config)
    regions = tuple(dict.fromkeys(regions)) or _regions_of(config)
    api = QueryApi.connect(profile)
    if api is None:
        tell(
            "There are no credentials: the public price list files are read, and new types are not described."
        )
    found: list[RegionPrices] = []
    for region in regions:
        prices = _prices_of(api, region, host)
        _refuse_lost(listed_usages(before, region), prices)
        found.append(prices)
    described, notes = _describe(api, found, before)
    after = refreshed_tables(before, found, described)
    if names := environment_names(config):
        tell(f"Planning {', '.join(names)} with both catalogs ...")
    return Refresh(
        before,
        after,
        differences(before, after, regions),
        {prices.region: (prices.sagemaker.published, prices.ec2.published) for prices in found},
        found[-1].source_id,
        (*notes, *_differing(found)),
        tuple(_effect(config, name, before, after) for name in names),
    )


def write_refresh(config: Path, refresh: Refresh) -> None:
    """Write the tables, all or none, and forget the downloads; raises ``RefusedError``."""
    path, before = catalog_path(config), dict(refresh.before.texts)
    changed = {table: text for table, text in refresh.after.texts if before.get(table) != text}
    write_files({path / f"{table}.csv": text.encode() for table, text in changed.items()})
    forget_downloads()


def forget_downloads() -> None:
    """Remove the price list files."""
    shutil.rmtree(DOWNLOADS, ignore_errors=True)


def _regions_of(config: Path) -> tuple[str, ...]:
    """Return the regions of all environments; raises ``ConfigError`` where one cannot be loaded."""
    found = {
        part.policy.region
        for name in environment_names(config)
        for _, part in load_inputs(config, name).loaded.environment.parts()
    }
    if not found:
        exit_with(f"there is no environment in {config.as_posix()}/: say which region: --region us-east-1")
    return tuple(sorted(found))


def _prices_of(api: QueryApi | None, region: str, host: str) -> RegionPrices:
    """Return the prices of a region by the API, or by the public files where the caller may not ask it."""
    if api is not None:
        try:
            of_services = [api.prices(service, region, tell) for service in (SAGEMAKER, EC2)]
            return RegionPrices(region, QUERY_SOURCE, *of_services)
        except NotAllowedError as error:
            tell(f"{error}\nThe public price list files are read in its place.")
    of_files: list[ServicePrices] = []
    _prepare_downloads()
    for service in (SAGEMAKER, EC2):
        tell(f"{service} of {region}: reading the price list file ...")
        of_files.append(public_prices(host, service, region, DOWNLOADS, tell))
    return RegionPrices(region, FILE_SOURCE, *of_files)


def _prepare_downloads() -> None:
    DOWNLOADS.mkdir(parents=True, exist_ok=True)
    write_file(DOWNLOADS / ".gitignore", "*\n")


def _refuse_lost(known: Mapping[str, int], prices: RegionPrices) -> None:
    if lost := lost_usages(known, prices):
        counts = ", ".join(f"{usage} (of {known[usage]} types today)" for usage in lost)
        raise PriceListError(
            f"the price list of {prices.region} has no price for {counts}\n  so much does not go in a day: its names may have "
            "changed. Nothing is taken; please report it with this message"
        )


def _describe(
    api: QueryApi | None, found: Sequence[RegionPrices], tables: RefreshedTables
) -> tuple[list[Row], list[str]]:
    """Return the rows of types that no table has, and what is not known of others."""
    known = {row["instance_type"] for row in read_table("instances")}
    known |= {row["instance_type"] for row in csv.DictReader(tables.lines("instances"))}
    usages: dict[str, set[str]] = {}
    for prices in found:
        for name in prices.types - known:
            usages.setdefault(name, set()).update(set(prices.usages(name)) - {"cluster"})
    if not usages:
        return [], []
    names = ", ".join(sorted(usages))
    if api is None:
        return [], [f"not in the catalog, and not described without credentials: {names}"]
    try:
        accepted = api.accepted()
        answers = {
            f"ml.{described['InstanceType']}": described
            for prices in found
            for described in api.describe(sorted(name.removeprefix("ml.") for name in usages), prices.region)
        }
    except NotAllowedError as error:
        return [], [f"not in the catalog, and not described: {names}; {error}"]
    rows, notes = [], []
    for name in sorted(usages):
        if name not in answers:
            notes.append(f"{name}: EC2 does not describe it in these regions; it is not added")
            continue
        of_type = usages[name] | {usage for usage, types in accepted.items() if name in types}
        try:
            rows.append(row_of(answers[name], sorted(of_type)))
        except UnknownAcceleratorError as error:
            notes.append(f"{name}: no table has its accelerator, {error}; it is not added")
        except (KeyError, TypeError, ValueError) as error:
            notes.append(f"{name}: EC2 describes it in a shape that is not known, {error!r}; it is not added")
    return rows, notes


def _differing(found: Sequence[RegionPrices]) -> list[str]:
    return [
        f"{prices.region}: several prices for {name} ({usage}); the highest is taken"
        for prices in found
        for service in (prices.sagemaker, prices.ec2)
        for name, usage in service.differing
    ]


def _effect(config: Path, name: str, before: RefreshedTables, after: RefreshedTables) -> Effect:
    plans: list[DeploymentPlan | None] = []
    faults: list[str] = []
    for tables, when in ((before, "today"), (after, "with the refreshed catalog")):
        try:
            plans.append(_plan(config, load_inputs(config, name, refreshed=tables)))
        except ConfigError as error:
            plans.append(None)
            faults.append(f"{when}: {error.render()}")
    old, new = (_picks(plan) for plan in plans)
    known = (old.workloads if old else {}), (new.workloads if new else {})
    return Effect(
        name,
        tuple(
            LockChange(name, workload, known[0].get(workload), known[1].get(workload), "")
            for workload in sorted(known[0].keys() | known[1].keys())
        )
        if all(plans)
        else (),
        (_bill(plans[0]), _bill(plans[1])),
        "\n".join(faults),
    )


def _plan(config: Path, inputs: PlanInputs) -> DeploymentPlan:
    file = read_lock_file(config)
    locked = file.lock.environments.get(inputs.loaded.environment.name) if file else None
    return inputs.plan(locked, within_budget=False)


def _picks(plan: DeploymentPlan | None) -> LockedEnvironment | None:
    return lock_of(plan) if plan else None


def _bill(plan: DeploymentPlan | None) -> float | None:
    return plan.bill.usd_per_month if plan else None


@dataclass(frozen=True, slots=True)
class RegionStatus:
    """What the catalog of a project has of a region."""

    region: str
    is_refreshed: bool
    prices: TableDates
    offers: TableDates
    spot: TableDates
    coverage: Mapping[str, Coverage]


def find_status(config: Path, regions: Sequence[str]) -> tuple[RegionStatus, ...]:
    """Return the state of regions; of those of the environments, when none is named. Raises ``ConfigError``."""
    tables = read_refreshed(config)
    return tuple(
        RegionStatus(
            region,
            table_dates("prices", region, tables) != table_dates("prices", region, PACKAGED),
            table_dates("prices", region, tables),
            table_dates("availability", region, tables),
            table_dates("spot_advisor", region, tables),
            coverage(load_catalog(region, tables)),
        )
        for region in tuple(dict.fromkeys(regions)) or _regions_of(config)
    )
