"""A refresh and the state of a catalog on a console, and as data."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.catalog_command import Effect, Refresh, RegionStatus
from sizewell.cli.formats import UNKNOWN, usd
from sizewell.instance_selection.wording import counted
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.lock_changes import LockChange
from sizewell.price_list import age
from sizewell.price_list.differences import Coverage, PriceChange, RegionDifference

#: Changes of price, types and faults that are printed before the rest is counted.
SHOWN = 10


def print_refresh(refresh: Refresh, console: Console) -> None:
    """Print what changes: prices, types, what is unknown, and the picks and bills of each environment."""
    for region in refresh.regions:
        for line in _region_lines(region, refresh):
            console.print(line, soft_wrap=True)
    for note in refresh.notes:
        console.print(f"Note: {note}", soft_wrap=True)
    for effect in refresh.effects:
        _print_effect(effect, console)


def _region_lines(region: RegionDifference, refresh: Refresh) -> Iterator[str]:
    sagemaker, ec2 = refresh.published[region.region]
    yield f"{region.region}: prices of {sagemaker} (SageMaker) and {ec2} (EC2), from {refresh.source_id}"
    if region.is_empty:
        yield "  nothing changed but the dates"
    added = sum(change.before is None for change in region.prices)
    gone = sum(change.after is None for change in region.prices)
    if region.prices:
        yield f"  prices: {len(region.changed)} changed, {added} new, {gone} gone"
    for change in region.changed[:SHOWN]:
        yield (
            f"    {change.instance_type} {change.usage}: {change.before:g} -> {change.after:g} USD per hour "
            f"({change.percent:+.1f} %)"
        )
    if (more := len(region.changed) - SHOWN) > 0:
        yield f"    and {more} more; --json has all"
    for title, types in (("new types", region.new_types), ("types gone", region.gone_types)):
        if types:
            rest = f" and {len(types) - SHOWN} more" if len(types) > SHOWN else ""
            yield f"  {title}: {', '.join(types[:SHOWN])}{rest}"
    unknown = [
        f"{usage} {coverage.unknown} of {coverage.offered}"
        for usage, coverage in region.coverage.items()
        if coverage.unknown
    ]
    if unknown:
        yield f"  offered types without a known price: {', '.join(unknown)}"


def _print_effect(effect: Effect, console: Console) -> None:
    before, after = effect.usd_per_month
    if effect.fault:
        console.print(f"{effect.environment}: there is no plan to compare", style="red", soft_wrap=True)
        console.print(effect.fault, markup=False, soft_wrap=True)
        return
    changed = [pick for pick in effect.picks if _is_notable(pick)]
    bill = (
        f"{usd(before)} -> {usd(after)} USD per month"
        if before != after
        else f"{usd(after)} USD per month as before"
    )
    picks = sum(pick.changes_pick for pick in changed)
    line = f"{effect.environment}: {counted(picks, 'pick')} changed, {bill}"
    console.print(line, soft_wrap=True)
    if changed:
        table = Table(box=box.SIMPLE_HEAD)
        for column in ("workload", "was", "is"):
            table.add_column(column, no_wrap=True)
        for column in ("USD/month was", "is"):
            table.add_column(column, justify="right", no_wrap=True)
        for pick in changed:
            table.add_row(
                pick.workload,
                _pick(pick.before),
                _pick(pick.after),
                _month(pick.before),
                _month(pick.after),
                style="bold" if pick.changes_pick else None,
            )
        console.print(table)


def _is_notable(pick: LockChange) -> bool:
    return pick.changes_pick or _month(pick.before) != _month(pick.after)


def _pick(locked: LockedWorkload | None) -> str:
    return "" if locked is None else f"{locked.instance_count} x {locked.instance_type}"


def _month(locked: LockedWorkload | None) -> str:
    return UNKNOWN if locked is None else usd(locked.usd_per_month)


def print_status(found: Sequence[RegionStatus], console: Console) -> None:
    """Print the dates of each region, where its rows are from, and of how many types the price is known."""
    table = Table(box=box.SIMPLE_HEAD)
    usages = tuple(found[0].coverage) if found else ()
    for column in ("region", "catalog", "prices of", "Spot of"):
        table.add_column(column, overflow="fold")
    for usage in usages:
        table.add_column(usage, justify="right", overflow="fold")
    for status in found:
        table.add_row(
            status.region,
            "project" if status.is_refreshed else "package",
            _period(status.prices.oldest, status.prices.newest),
            status.spot.newest or UNKNOWN,
            *(_known(status.coverage[usage]) for usage in usages),
        )
    console.print(table)
    console.print(
        "Each usage: types with a published price + with an estimated one / that are offered.", soft_wrap=True
    )
    for status in found:
        console.print(
            f"{status.region}: prices from {', '.join(status.prices.sources) or 'no source'}", soft_wrap=True
        )
    for status in found:
        if status.prices.oldest is None:
            line = (
                f"{status.region}: no price is known; run: sizewell catalog refresh --region {status.region}"
            )
            console.print(line, style="yellow", soft_wrap=True)
        elif (days := age.days_old(status.prices.oldest, age.today())) > age.MAX_AGE_DAYS:
            line = f"{status.region}: the oldest price is {days} days old; run: sizewell catalog refresh --region {status.region}"
            console.print(line, style="yellow", soft_wrap=True)


def _period(oldest: str | None, newest: str | None) -> str:
    if oldest is None or newest is None:
        return UNKNOWN
    return oldest if oldest == newest else f"{oldest} to {newest}"


def _known(coverage: Coverage) -> str:
    return f"{coverage.published}+{coverage.estimated}/{coverage.offered}"


def status_to_json(found: Sequence[RegionStatus]) -> str:
    """Return the state as data."""
    data = [
        {
            "region": status.region,
            "catalog": "project" if status.is_refreshed else "package",
            **{
                name: {
                    "rows": dates.rows,
                    "oldest": dates.oldest,
                    "newest": dates.newest,
                    "sources": dates.sources,
                }
                for name, dates in (
                    ("prices", status.prices),
                    ("offers", status.offers),
                    ("spot", status.spot),
                )
            },
            "types": {usage: _coverage_data(known) for usage, known in status.coverage.items()},
        }
        for status in found
    ]
    return _json({"regions": data})


def refresh_to_json(refresh: Refresh, *, written: bool) -> str:
    """Return a refresh as data."""
    return _json(
        {
            "changed": any(not region.is_empty for region in refresh.regions),
            "written": written,
            "source": refresh.source_id,
            "regions": [
                {
                    "region": region.region,
                    "prices_of": dict(
                        zip(("sagemaker", "ec2"), refresh.published[region.region], strict=True)
                    ),
                    "prices": [_price_data(change) for change in region.prices],
                    "new_types": region.new_types,
                    "gone_types": region.gone_types,
                    "types": {usage: _coverage_data(known) for usage, known in region.coverage.items()},
                }
                for region in refresh.regions
            ],
            "notes": refresh.notes,
            "environments": [
                {
                    "environment": effect.environment,
                    "usd_per_month": dict(zip(("before", "after"), effect.usd_per_month, strict=True)),
                    "picks": [
                        {
                            "workload": pick.workload,
                            "changes": pick.changes_pick,
                            "before": _pick_data(pick.before),
                            "after": _pick_data(pick.after),
                        }
                        for pick in effect.picks
                    ],
                    "fault": effect.fault or None,
                }
                for effect in refresh.effects
            ],
        }
    )


def _price_data(change: PriceChange) -> dict[str, Any]:
    return {
        "instance_type": change.instance_type,
        "usage": change.usage,
        "before": change.before,
        "after": change.after,
    }


def _coverage_data(coverage: Coverage) -> dict[str, int]:
    return {
        "offered": coverage.offered,
        "published": coverage.published,
        "estimated": coverage.estimated,
        "unknown": coverage.unknown,
    }


def _pick_data(locked: LockedWorkload | None) -> dict[str, Any] | None:
    if locked is None:
        return None
    return {
        "instance_type": locked.instance_type,
        "instance_count": locked.instance_count,
        "usd_per_month": locked.usd_per_month,
        "price_date": locked.price_date,
    }


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
