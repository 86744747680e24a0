"""The items that a line of a bill consists of, and the names of what is paid by use."""

from sizewell.facts.service_prices import service_price
from sizewell.instance_selection.catalog import PriceBasis
from sizewell.instance_selection.results import Cost
from sizewell.planning.bill_plan import BillItem, BillLine

SAGEMAKER = "SageMaker"
BY_USE_OF_LOG_GROUP = ("CloudWatch log ingestion", "CloudWatch log storage")
BY_USE_OF_TOPIC = ("SNS requests",)


def bill_line(workload: str, items: list[BillItem], paid_by_use: tuple[str, ...]) -> BillLine:
    """Return the line of a workload; its basis is that of its first item, and unknown where that has no price."""
    known = [item.usd_per_month for item in items if item.usd_per_month is not None]
    first = items[0] if items else None
    return BillLine(
        workload=workload,
        usd_per_month=None if first and first.usd_per_month is None else sum(known, 0.0),
        basis=first.basis if first else PriceBasis.PUBLISHED,
        items=tuple(items),
        paid_by_use=tuple(sorted(paid_by_use)),
    )


def instance_item(name: str, cost: Cost, service: str = SAGEMAKER) -> BillItem:
    """Return what the chosen instances cost."""
    return BillItem(
        service=service, name=name, usd_per_month=cost.usd_per_month, basis=cost.basis, is_fixed=False
    )


def alarm_item(region: str, name: str, count: int) -> BillItem:
    """Return what alarms cost, each of one metric."""
    return priced_item(region, "CloudWatch", name, "alarm", count, is_fixed=True)


def priced_item(
    region: str, service: str, name: str, price_name: str, quantity: float | None, *, is_fixed: bool = False
) -> BillItem:
    """Return a quantity at its price; the amount is unknown where the quantity or the price is."""
    price = service_price(region, service, price_name)
    usd = price.usd * quantity if price and quantity is not None else None
    basis = PriceBasis.UNKNOWN if usd is None else PriceBasis.PUBLISHED
    return BillItem(service=service, name=name, usd_per_month=usd, basis=basis, is_fixed=is_fixed)
