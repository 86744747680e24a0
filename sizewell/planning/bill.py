"""The expected monthly bill."""

from collections.abc import Iterable

from sizewell.instance_selection.catalog import PriceBasis
from sizewell.planning.bill_plan import Bill, BillLine


def build_bill(lines: Iterable[BillLine], budget_usd_per_month: float | None) -> Bill:
    """Add up what is known, and say what is not."""
    lines = tuple(lines)
    known = [
        (item, item.usd_per_month) for line in lines for item in line.items if item.usd_per_month is not None
    ]
    total: float | None = sum(usd for _, usd in known)
    if not total and any(item.usd_per_month is None for line in lines for item in line.items):
        total = None
    published = sum(usd for item, usd in known if item.basis is PriceBasis.PUBLISHED)
    return Bill(
        lines=lines,
        usd_per_month=total,
        fixed_usd_per_month=sum(usd for item, usd in known if item.is_fixed),
        published_share=published / total if total else None,
        unknown=tuple(line.workload for line in lines if line.usd_per_month is None),
        budget_usd_per_month=budget_usd_per_month,
        not_included=tuple(sorted({name for line in lines for name in line.paid_by_use})),
    )
