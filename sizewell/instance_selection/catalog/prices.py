"""What an hour of an instance type costs in one region, and how well that is known."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sizewell.instance_selection.catalog.instance_types import InstanceType, Usage

#: The ``usage`` of a price row that is the EC2 Linux on-demand price of the same hardware.
EC2 = Usage.EC2.value
#: The ``size`` of a price ratio that holds for each size of a family without a ratio of its own.
ANY_SIZE = "*"


class PriceBasis(StrEnum):
    """How a price is known."""

    PUBLISHED = "published"
    """Read from an AWS price list, for this usage or for another usage of the same type."""
    ESTIMATED = "estimated"
    """EC2 on-demand price of the region x the verified ratio of the family."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """USD of one instance for one hour, on demand; None (never zero) when unknown.

    ``as_of`` is the ISO date of the published price, or of the EC2 price; None when the source states none.
    """

    usd_per_hour: float | None
    basis: PriceBasis
    source_ids: tuple[str, ...] = ()
    as_of: str | None = None
    note: str = ""


class PriceRow(NamedTuple):
    """A price as a source states it; ``usage`` is one of `Usage`, ``studio`` or `EC2`."""

    instance_type: str
    usage: str
    usd_per_hour: float
    source_id: str
    as_of: str | None = None


class PriceRatio(NamedTuple):
    """SageMaker price / EC2 on-demand price of a family, verified on ``pairs`` of published prices."""

    family: str
    size: str
    ratio: float
    pairs: int = 1
    source_ids: tuple[str, ...] = ()


class PriceList:
    """The prices of one region.

    The SageMaker price of a type is the same for every usage but for rounding, and the ratio to EC2 is the same
    in every region: both hold for all published pairs (``price_ratios.csv``, checked by the tests of the data).
    """

    def __init__(
        self,
        rows: Iterable[PriceRow],
        ratios: Iterable[PriceRatio] = (),
        reliability: Mapping[str, str] | None = None,
    ) -> None:
        self._rows: defaultdict[str, list[PriceRow]] = defaultdict(list)
        for row in rows:
            self._rows[row.instance_type].append(row)
        self._ratios = {(ratio.family, ratio.size): ratio for ratio in ratios}
        self._reliability = reliability or {}

    def price(self, instance_type: InstanceType, usage: Usage) -> Price:
        """Return the best known price: of this usage, of another usage, estimated from EC2, or unknown."""
        rows = self._rows.get(instance_type.name, [])
        same_usage = [row for row in rows if row.usage == usage]
        other_usages = [row for row in rows if row.usage not in (usage, EC2)]
        if same_usage:
            return self._published(same_usage)
        if other_usages:
            return self._published(other_usages, of_other_usage=True)
        return self._estimated(instance_type, [row for row in rows if row.usage == EC2])

    def _published(self, rows: list[PriceRow], *, of_other_usage: bool = False) -> Price:
        best = self._best(rows)
        notes = []
        if of_other_usage:
            notes.append(f"price of {best.usage}, which differs from other usages by rounding at most")
        amounts = {row.usd_per_hour for row in rows}
        if len(amounts) > 1:
            notes.append(f"sources state {min(amounts)} to {max(amounts)}; the newest is taken")
        if best.as_of is None:
            notes.append("the source states no date")
        return Price(
            usd_per_hour=best.usd_per_hour,
            basis=PriceBasis.PUBLISHED,
            source_ids=(best.source_id,),
            as_of=best.as_of,
            note="; ".join(notes),
        )

    def _estimated(self, instance_type: InstanceType, ec2_rows: list[PriceRow]) -> Price:
        family = instance_type.family
        ratio = self._ratios.get((family, instance_type.size)) or self._ratios.get((family, ANY_SIZE))
        if not ec2_rows or ratio is None:
            missing = "no EC2 on-demand price" if not ec2_rows else f"no verified ratio to EC2 for {family}"
            return Price(
                usd_per_hour=None,
                basis=PriceBasis.UNKNOWN,
                note=f"no SageMaker price in this region and {missing}",
            )
        ec2 = self._best(ec2_rows)
        return Price(
            usd_per_hour=round(ec2.usd_per_hour * ratio.ratio, 4),
            basis=PriceBasis.ESTIMATED,
            source_ids=tuple(dict.fromkeys((ec2.source_id, *ratio.source_ids))),
            as_of=ec2.as_of,
            note=f"EC2 on-demand {ec2.usd_per_hour} x {ratio.ratio}, the ratio of {ratio.pairs} published pairs",
        )

    def _best(self, rows: list[PriceRow]) -> PriceRow:
        """Return the newest row; the most reliable of several; the first by source and usage of equals."""
        rows = sorted(
            rows, key=lambda row: (self._reliability.get(row.source_id, "~"), row.source_id, row.usage)
        )
        return max(rows, key=lambda row: row.as_of or "")
