"""The managed instances of a service of Amazon ECS, one for each of its tasks, and what comes with them.

The template says between which numbers the tasks scale, and how large a volume is. The plan says which of the types is the first,
what it costs, and how many there are on average.
"""

from collections.abc import Iterator

from sizewell.review.cost.charges import Charge
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.review.cost.pricers.nodes import at, instance_charges
from sizewell.templates.template import Resource
from sizewell.templates.values import number


@prices("AWS::ECS::Service")
def service_charges(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the instances of the tasks cost."""
    fee = ("ECS", "Managed Instances fee")
    yield from instance_charges(
        stack, _bounds(resource, stack), "ecs-managed-instances", fee, _volume_gb(stack)
    )


def _bounds(service: Resource, stack: PlannedStack) -> tuple[float, float] | None:
    """Return the least and the most tasks; None where the template does not say it."""
    target = _of_type(stack, "AWS::ApplicationAutoScaling::ScalableTarget")
    if target is None:
        count = number(service.properties.get("DesiredCount"))
        return None if count is None else (count, count)
    low, high = number(target.properties.get("MinCapacity")), number(target.properties.get("MaxCapacity"))
    return None if low is None or high is None else (low, max(low, high))


def _volume_gb(stack: PlannedStack) -> float | None:
    """Return the size of the volume of an instance; None where the template does not say it."""
    provider = _of_type(stack, "AWS::ECS::CapacityProvider")
    path = ("ManagedInstancesProvider", "InstanceLaunchTemplate", "StorageConfiguration")
    return number(at(provider, *path).get("StorageSizeGiB")) if provider else None


def _of_type(stack: PlannedStack, resource_type: str) -> Resource | None:
    return next((each for each in stack.resources.values() if each.resource_type == resource_type), None)
