"""The nodes of what runs in a cluster of Amazon EKS, one for each pod of its workload, and what comes with them.

The objects say between which numbers the pods scale, whether nodes may be on Spot, and how large a volume is. The plan says which
of the types is the first, what it costs, how many there are on average and on Spot, and how often and how long a run lasts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.node_fees import fee_share
from sizewell.planning.saved_workload import SavedChoice, SavedJob
from sizewell.review.cost.charges import (
    Amounts,
    Charge,
    Count,
    Fact,
    UnitPrice,
    by_count,
    by_use,
    number_words,
    span_words,
    unknown,
)
from sizewell.review.cost.instance_prices import planned_price
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.review.cost.pricers.cluster_runs import run_charges
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, number

_EC2 = "EC2"
#: The group of the node class of EKS Auto Mode, which takes a fee.
_AUTO_MODE = "eks.amazonaws.com"
_CAPACITY_TYPE = "karpenter.sh/capacity-type"
_FEE = ("EKS", "Auto Mode fee")
_OF_ADVISOR = "on-demand price less the published EC2 Spot saving of the region"
#: Node groups cost nothing themselves (https://aws.amazon.com/eks/pricing/).
_NODE_GROUPS = "eks-node-groups"


@prices("AWS::EKS::Nodegroup")
def node_group_charges(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the nodes of a node group cost: of a model, one is for a new pod while the old one still answers."""
    volume_gb = _volume_of_template_gb(stack)
    if isinstance(job := stack.workload, SavedJob):
        kind = "spot" if resource.properties.get("CapacityType") == "SPOT" else "on-demand"
        yield from run_charges(job, stack, _NODE_GROUPS, _FEE, volume_gb=volume_gb, capacity_types=[kind])
        return
    scaling = at(resource, "ScalingConfig")
    low, high = number(scaling.get("MinSize")), number(scaling.get("MaxSize"))
    bounds = None if low is None or high is None else (low, max(low, high - 1))
    yield from instance_charges(stack, bounds, _NODE_GROUPS, _FEE, volume_gb)


@prices("Kubernetes::NodePool")
def node_charges(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the nodes of a pool cost."""
    manager = "eks-auto-mode" if _is_auto_mode(resource) else ""
    has_runs = any(_of_kind(stack, kind) is not None for kind in ("CronJob", "JobSet"))
    if isinstance(job := stack.workload, SavedJob) and has_runs:
        capacity_types = _capacity_types(resource)
        yield from run_charges(
            job, stack, manager, _FEE, volume_gb=_volume_gb(stack), capacity_types=capacity_types
        )
    else:
        instances, *others = instance_charges(stack, _bounds(stack), manager, _FEE, _volume_gb(stack))
        yield from _by_capacity_type(instances, stack, _capacity_types(resource))
        yield from others


def instance_charges(
    stack: PlannedStack,
    bounds: tuple[float, float] | None,
    manager: str,
    fee: tuple[str, str],
    volume_gb: float | None,
) -> Iterator[Charge]:
    """Yield what the instances of a workload cost, ``bounds`` of them, the fee of their manager, and their volumes."""
    workload = stack.workload
    price = planned_price(workload.selection.chosen) if isinstance(workload, SavedChoice) else None
    if not isinstance(workload, SavedChoice) or price is None or bounds is None:
        yield from unknown(_EC2, "instances", slot="nodes", group="nodes")
        return
    low, high = bounds
    average = workload.selection.chosen.estimate.instances_paid
    count = Amounts(low, min(max(low if average is None else average, low), high), high)
    first = workload.instance_type
    share = fee_share(manager, first.partition(".")[0])
    # The plan has the price with the fee to five decimals; EC2's own has no more.
    own = UnitPrice(round(price.usd / (1 + share), 5), price.unit, price.as_of, price.basis, price.note)
    facts = {
        "instance type": Fact(first),
        "nodes": Fact(span_words(low, high)),
        "average nodes": Fact(number_words(count.expected)),
    }
    hours = Count(count, f"{first} instance", HOURS_PER_MONTH, "hours")
    yield from by_count(_EC2, f"{first} instances", hours, own, slot="nodes", group="nodes", facts=facts)
    if share:
        service, name = fee
        fee_price = UnitPrice(own.usd * share, price.unit, price.as_of, price.basis)
        yield from by_count(service, name, hours, fee_price, slot="fee of nodes", group="nodes")
    if volume_gb is not None:
        yield from by_count(
            _EC2,
            "volumes of nodes",
            Count(count, f"volume of {number_words(volume_gb)} GB", volume_gb, "GB-month"),
            stack.price(_EC2, "gp3_gb_month"),
        )
    yield from by_use(_EC2, "data transfer between zones", None)


def _by_capacity_type(
    instances: Charge, stack: PlannedStack, capacity_types: Sequence[str]
) -> Iterator[Charge]:
    """Yield the instances that are on Spot apart from those on demand; at the most, Spot has no capacity."""
    spot = stack.workload.spot_capacity if isinstance(stack.workload, SavedChoice) else None
    price, usd, count = instances.price, instances.usd_per_month, instances.count
    if price is None or usd is None or count is None:
        yield instances
        return
    share = spot.share if spot and "spot" in capacity_types else 0.0
    facts = {**instances.facts, "nodes on Spot": Fact(number_words(share * 100), " %")}
    if share < 1:
        yield replace(
            instances,
            usd_per_month=usd.times(1 - share),
            count=replace(count, number=count.number.times(1 - share)),
            facts=facts,
        )
    if spot is None or not share:
        return
    paid_share, on_spot = 1 - (spot.savings_percent or 0.0) / 100, usd.times(share)
    yield replace(
        instances,
        name=f"{instances.name} on Spot",
        slot="nodes on Spot" if share < 1 else instances.slot,
        basis="estimated" if spot.savings_percent else instances.basis,
        price=replace(price, usd=price.usd * paid_share, basis="estimated", note=_OF_ADVISOR),
        usd_per_month=Amounts(on_spot.minimum * paid_share, on_spot.expected * paid_share, on_spot.maximum),
        count=replace(count, number=count.number.times(share), noun=count.noun.replace(" ", " Spot ")),
        facts={} if share < 1 else facts,
    )


def _capacity_types(pool: Resource) -> list[str]:
    """Return what a pool may launch: on demand where it does not say."""
    requirements = map(mapping, at(pool, "spec", "template", "spec").get("requirements") or ())
    stated = [each.get("values") for each in requirements if each.get("key") == _CAPACITY_TYPE]
    return [str(value) for values in stated for value in values or ()] or ["on-demand"]


def _is_auto_mode(pool: Resource) -> bool:
    return at(pool, "spec", "template", "spec", "nodeClassRef").get("group") == _AUTO_MODE


def _bounds(stack: PlannedStack) -> tuple[float, float] | None:
    """Return the least and the most pods; None where the objects do not say it."""
    if (scaler := _of_kind(stack, "ScaledObject")) is not None:
        spec = at(scaler, "spec")
        low, high = number(spec.get("minReplicaCount")), number(spec.get("maxReplicaCount"))
        return None if low is None or high is None else (low, max(low, high))
    deployment = _of_kind(stack, "Deployment")
    replicas = number(at(deployment, "spec").get("replicas", 1)) if deployment else None
    return None if replicas is None else (replicas, replicas)


def _volume_of_template_gb(stack: PlannedStack) -> float | None:
    """Return the size of the volume of an instance; None where its launch template does not say it."""
    templates = (
        each for each in stack.resources.values() if each.resource_type == "AWS::EC2::LaunchTemplate"
    )
    volumes = [
        number(mapping(mapping(volume).get("Ebs")).get("VolumeSize"))
        for template in templates
        for volume in at(template, "LaunchTemplateData").get("BlockDeviceMappings") or ()
    ]
    known = [size for size in volumes if size is not None]
    return sum(known) if known and len(known) == len(volumes) else None


def _volume_gb(stack: PlannedStack) -> float | None:
    """Return the size of the volume of a node; None where its class does not say it."""
    if (karpenter := _of_kind(stack, "EC2NodeClass")) is not None:
        volumes = at(karpenter, "spec").get("blockDeviceMappings") or ()
        sizes = [mapping(mapping(volume).get("ebs")).get("volumeSize") for volume in volumes]
    else:
        node_class = _of_kind(stack, "NodeClass")
        sizes = [at(node_class, "spec", "ephemeralStorage").get("size")] if node_class else []
    known = [number(str(size).removesuffix("Gi")) for size in sizes if size is not None]
    return sum(size for size in known if size is not None) if known and None not in known else None


def _of_kind(stack: PlannedStack, kind: str) -> Resource | None:
    wanted = f"Kubernetes::{kind}"
    return next((each for each in stack.resources.values() if each.resource_type == wanted), None)


def at(resource: Resource, *path: str) -> Mapping[str, Any]:
    """Return what is below a path of the properties; empty where there is nothing."""
    found: Mapping[str, Any] = resource.properties
    for key in path:
        found = mapping(found.get(key))
    return found
