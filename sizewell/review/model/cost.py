"""What a change does to the bill. None is unknown, never zero."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class Range(ReviewModel):
    """USD per month at the least, expected and the most capacity that the scaling bounds allow."""

    minimum: float | None
    expected: float | None
    maximum: float | None


class CostComponent(ReviewModel):
    """One line of the bill."""

    service: str
    """AWS's own name: ``SageMaker``, ``KMS``, ``CloudWatch``, ``VPC``."""
    name: str
    """What is paid for: ``ml.g5.2xlarge instances``, ``customer-managed key``, ``alarm``."""
    quantity: str
    """How much, in words with unit, of the expected amount: ``2 instances, 1,460 hours``; empty where unknown."""
    unit_price: str
    """``1.515 USD per hour``; empty where unknown."""
    usd_per_month: Range
    basis: Literal["published", "estimated", "usage", "unknown"]
    """usage: priced by use that nothing states, so that the amount is unknown although the unit price may be known."""
    price_date: str | None = None


class CostSide(ReviewModel):
    """What one workload, or the foundation, costs on one side."""

    components: tuple[CostComponent, ...]
    usd_per_month: Range
    """The sum of what is known; None where nothing is."""
    usd_per_1000_requests: float | None = None
    """At the average traffic; None for what serves no requests, or where the traffic is unknown."""


class WorkloadCost(ReviewModel):
    """One workload, the foundation, or a stack of another app."""

    environment: str
    workload: str
    base: CostSide | None
    """None where it does not exist on that side."""
    head: CostSide | None
    difference: Range
    """Head less base, of what is known on both sides."""
    causes: tuple[str, ...] = ()
    """What moved it: another type, other bounds, another price of the same type."""
    once: tuple[CostComponent, ...] = ()
    """Paid once for the deployment of the change: the second fleet of a blue/green update."""


class EnvironmentCost(ReviewModel):
    """The bill of one environment."""

    environment: str
    region: str | None
    base: Range | None
    head: Range | None
    difference: Range
    difference_percent: float | None
    """Of the expected amount; None where the base is zero or unknown."""
    budget_usd_per_month: float | None = None
    known_component_count: int = 0
    """Components of head whose expected amount is known."""
    unknown: tuple[str, ...] = ()
    """Components of head whose amount is not known, in words."""
    not_priced: tuple[str, ...] = ()
    """Resource types of head that cost money or may, and that nobody here prices."""
    price_dates: tuple[str, ...] = ()
    """Dates of the prices, sorted; ``undated`` where a source states none."""
    workloads: tuple[WorkloadCost, ...] = ()
    """Changed ones first, the largest difference first."""
