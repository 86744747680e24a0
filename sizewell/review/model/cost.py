"""What a change does to the bill. None is unknown, never zero."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class Range(ReviewModel):
    """USD per month at the least, expected and the most capacity that the scaling bounds allow."""

    minimum: float | None
    """USD per month at the least capacity that scaling allows; null where it is unknown."""
    expected: float | None
    """USD per month at average load; null where it is unknown."""
    maximum: float | None
    """USD per month at the largest capacity that scaling allows; null where it is unknown."""


class CostComponent(ReviewModel):
    """One line of the bill."""

    service: str
    """The AWS service by its own name, such as SageMaker, KMS, CloudWatch, VPC."""
    name: str
    """What is paid for, such as ml.g5.2xlarge instances, customer-managed key, alarm."""
    quantity: str
    """How much of it is expected, in words with the unit, such as 2 instances, 1,460 hours; empty where unknown."""
    unit_price: str
    """The price of one unit in words, such as 1.515 USD per hour; empty where unknown."""
    usd_per_month: Range
    """What it costs, in USD per month."""
    basis: Literal["published", "estimated", "usage", "unknown"]
    """Where the amount comes from: a published price, an estimate, a published price of use that nothing states
    (usage), or nowhere (unknown)."""
    price_date: str | None = None
    """The date of the price, YYYY-MM-DD; null where the source states none."""


class CostSide(ReviewModel):
    """What one workload, or the foundation, costs on one side."""

    components: tuple[CostComponent, ...]
    """The lines of the bill."""
    usd_per_month: Range
    """The sum of what is known, in USD per month; null where nothing is."""
    usd_per_1000_requests: float | None = None
    """USD for 1,000 requests at average load; null for what serves no requests, or where the load is unknown."""


class WorkloadCost(ReviewModel):
    """One workload, the foundation, or a stack of another app."""

    environment: str
    """The name of the environment."""
    workload: str
    """The name of the workload; of what all workloads share, or of another app, the name of the stack."""
    base: CostSide | None
    """What it costs in base; null where base does not have it."""
    head: CostSide | None
    """What it costs in head; null where head does not have it."""
    difference: Range
    """Head less base in USD per month; null where the amount of something that changes is not known."""
    causes: tuple[str, ...] = ()
    """What moved the cost: another type, other bounds, another price of the same type."""
    once: tuple[CostComponent, ...] = ()
    """What is paid once, for the deployment of the change: the second fleet of a blue/green update."""


class EnvironmentCost(ReviewModel):
    """The bill of one environment."""

    environment: str
    """The name of the environment."""
    region: str | None
    """The AWS region of the environment; null where nothing says it."""
    base: Range | None
    """The bill of base in USD per month; null where base does not have the environment."""
    head: Range | None
    """The bill of head in USD per month; null where head does not have the environment."""
    difference: Range
    """Head less base, in USD per month; null where the amount of something that changes is not known."""
    difference_percent: float | None
    """The difference in percent of the expected amount of base; null where that is zero or unknown."""
    unknown_changes: tuple[str, ...] = ()
    """What changes and has no known amount, with its workload: a type or a mode without a price."""
    budget_usd_per_month: float | None = None
    """The budget of the policy of head in USD per month; null where there is none."""
    known_component_count: int = 0
    """The number of lines of head whose expected amount is known."""
    unknown: tuple[str, ...] = ()
    """The lines of head whose amount is not known, in words."""
    not_priced: tuple[str, ...] = ()
    """The resource types of head that cost money or may, and that have no price here."""
    price_dates: tuple[str, ...] = ()
    """The dates of the prices, sorted; undated where a source states none."""
    workloads: tuple[WorkloadCost, ...] = ()
    """What each workload costs: changed ones first, the largest difference first."""
