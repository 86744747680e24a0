"""Notebook instances: the hours that the plan says, or all of them, and the volume, which is there all the time."""

from collections.abc import Iterator

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.planning.saved_workload import SavedChoice
from sizewell.review.cost.charges import Amounts, Charge, Count, Fact, by_count, number_words
from sizewell.review.cost.instance_prices import catalog_price, planned_price
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import number

SERVICE = "SageMaker"
#: API reference: CreateNotebookInstance, VolumeSizeInGB.
_DEFAULT_VOLUME_GIB = 5


@prices("AWS::SageMaker::NotebookInstance")
def notebook(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield its hours and its volume; without a plan nobody knows that it stops."""
    properties = resource.properties
    instance_type, planned = str(properties.get("InstanceType")), stack.workload
    price, hours = catalog_price(stack.region, instance_type, "notebook"), Amounts.fixed(HOURS_PER_MONTH)
    if isinstance(planned, SavedChoice) and planned.instance_type == instance_type:
        chosen = planned.selection.chosen
        price, used = planned_price(chosen), chosen.estimate.duration_hours or HOURS_PER_MONTH
        hours = Amounts(used, used, used / (chosen.estimate.utilization or 1.0))
    yield from by_count(
        SERVICE,
        f"{instance_type} notebook",
        Count(hours, "hour"),
        price,
        slot="notebook",
        facts={
            "instance type": Fact(instance_type),
            "hours of use in a month": Fact(number_words(hours.expected)),
        },
    )
    size_gib = number(properties.get("VolumeSizeInGB")) or _DEFAULT_VOLUME_GIB
    yield from by_count(
        SERVICE,
        "notebook volumes",
        Count(Amounts.fixed(1), f"volume of {number_words(size_gib)} GB", size_gib, "GB-month"),
        stack.price(SERVICE, "notebook_volume_gb_month"),
        facts={"volume": Fact(f"{number_words(size_gib)} GB")},
    )
