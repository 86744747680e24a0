"""The expected monthly bill."""

from collections.abc import Iterable

from sizewell.instance_selection.catalog import PriceBasis
from sizewell.instance_selection.results import Cost
from sizewell.planning.plan import Bill, BillLine

#: What costs money besides instances and has no price in the catalog.
NOT_INCLUDED = (
    "VPC interface endpoints",
    "EBS volumes",
    "S3",
    "KMS",
    "CloudWatch",
    "Step Functions",
    "data transfer",
)


def build_bill(costs: Iterable[tuple[str, Cost]], budget_usd_per_month: float | None) -> Bill:
    """Add up what is known, and say what is not."""
    lines = tuple(
        BillLine(workload=name, usd_per_month=cost.usd_per_month, basis=cost.basis) for name, cost in costs
    )
    known = [line for line in lines if line.usd_per_month is not None]
    total = sum(line.usd_per_month or 0.0 for line in known)
    published = sum(line.usd_per_month or 0.0 for line in known if line.basis is PriceBasis.PUBLISHED)
    return Bill(
        lines=lines,
        usd_per_month=total,
        published_share=published / total if total else None,
        unknown=tuple(line.workload for line in lines if line.usd_per_month is None),
        budget_usd_per_month=budget_usd_per_month,
        not_included=NOT_INCLUDED,
    )
