"""What the deployment of a change costs once: the second fleet of an endpoint that gets another configuration.

SageMaker moves an endpoint to a new configuration by blue/green: all instances of the new fleet run beside those of
the old one (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-blue-green.html). A rolling update
has only one batch more (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-rolling.html).
"""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from sizewell.review.cost.bill import WorkloadBill, to_range
from sizewell.review.cost.charges import Amounts, Charge, counted_noun
from sizewell.review.cost.pricers.endpoints import instance_slot
from sizewell.review.model import CostComponent
from sizewell.templates.deployment import DeploymentDiff
from sizewell.templates.endpoints import Endpoint, EndpointChange
from sizewell.templates.values import mapping, number

#: Nothing says how long a deployment takes: it depends on the model, the checks and the traffic shift.
ASSUMED_HOURS = 1.0


def second_fleets(diff: DeploymentDiff) -> Iterator[Endpoint]:
    """Yield the endpoints, as head has them, that both sides have and that run another configuration in head."""
    for pair in diff.endpoints:
        if pair.base and pair.head:
            change = EndpointChange(pair.stack, pair.logical_id, pair.base, pair.head)
            if diff.updates_fleet(change):
                yield pair.head


def second_fleet_components(endpoint: Endpoint, bill: WorkloadBill) -> Iterator[CostComponent]:
    """Yield what the instances that run beside the old ones cost."""
    batch = _batch(endpoint)
    variants = (*endpoint.variants.values(), *endpoint.shadow_variants.values())
    for variant in variants:
        for charge in bill.slots.get(instance_slot(endpoint, variant), ()):
            if charge.count:
                whose = f" of variant {variant.name}" if len(variants) > 1 else ""
                yield _component(charge, charge.count.number, charge.count.noun, batch, whose)


def _component(
    charge: Charge, count: Amounts, noun: str, batch: Mapping[str, Any] | None, whose: str
) -> CostComponent:
    extra = Amounts(*(_in_batch(n, batch) for n in (count.minimum, count.expected, count.maximum)))
    return CostComponent(
        service=charge.service,
        name=f"{'second fleet' if batch is None else 'one batch more'}: {charge.name}{whose}",
        quantity=f"{counted_noun(extra.expected, noun)} for an hour, which is assumed",
        unit_price=charge.price.words if charge.price else "",
        usd_per_month=to_range(extra.times(ASSUMED_HOURS * charge.price.usd) if charge.price else None),
        basis=charge.basis,
        price_date=charge.price.as_of if charge.price else None,
    )


def _batch(endpoint: Endpoint) -> Mapping[str, Any] | None:
    """Return the batch of a rolling update; None is blue/green."""
    return mapping(mapping(endpoint.deployment.get("RollingUpdatePolicy")).get("MaximumBatchSize")) or None


def _in_batch(count: float, batch: Mapping[str, Any] | None) -> float:
    size = number(batch.get("Value")) if batch else None
    if batch is None or size is None:
        return count
    instances = ceil(count * size / 100) if batch.get("Type") == "CAPACITY_PERCENT" else size
    return float(min(instances, count))
