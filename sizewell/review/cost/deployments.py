"""What the deployment of a change costs once: the second fleet of an endpoint that gets another configuration.

SageMaker moves an endpoint to a new configuration by blue/green: all instances of the new fleet run beside those of
the old one (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-blue-green.html). A rolling update
has only one batch more (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-rolling.html).
"""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from sizewell.review.cost.amounts import Amounts, to_range
from sizewell.review.cost.charges import counted_noun
from sizewell.review.cost.components import WorkloadBill
from sizewell.review.cost.endpoints import endpoint_config, instance_slot, variants_of
from sizewell.review.cost.stack_view import RawResource, StackView
from sizewell.review.model.cost import CostComponent
from sizewell.templates.values import mapping, number

#: Nothing says how long a deployment takes: it depends on the model, the checks and the traffic shift.
ASSUMED_HOURS = 1.0
_ENDPOINT = "AWS::SageMaker::Endpoint"
_MODEL = "AWS::SageMaker::Model"
#: Changed in place.
_IN_PLACE = "Tags"


def deployment_components(base: StackView, head: StackView, bill: WorkloadBill) -> Iterator[CostComponent]:
    """Yield the second fleets of the endpoints that both sides have and that run another configuration in head."""
    for endpoint in head.of_type(_ENDPOINT):
        before = base.resources.get(endpoint.logical_id)
        if before is None or before.resource_type != _ENDPOINT:
            continue
        old, new = endpoint_config(before, base), endpoint_config(endpoint, head)
        if old and new and _deployed(old, base) != _deployed(new, head):
            for variant in variants_of(new):
                yield from _second_fleet(endpoint, variant, bill)


def _second_fleet(
    endpoint: RawResource, variant: Mapping[str, Any], bill: WorkloadBill
) -> Iterator[CostComponent]:
    for charge in bill.slots.get(instance_slot(endpoint, variant), ()):
        if charge.count is None:
            continue
        batch = _batch(endpoint)
        count = charge.count.number
        extra = Amounts(*(_in_batch(n, batch) for n in (count.minimum, count.expected, count.maximum)))
        yield CostComponent(
            service=charge.service,
            name=f"{'second fleet' if batch is None else 'one batch more'}: {charge.name}",
            quantity=f"{counted_noun(extra.expected, charge.count.noun)} for an hour, which is assumed",
            unit_price=charge.price.words if charge.price else "",
            usd_per_month=to_range(extra.times(ASSUMED_HOURS * charge.price.usd) if charge.price else None),
            basis=charge.basis,
            price_date=charge.price.as_of if charge.price else None,
        )


def _batch(endpoint: RawResource) -> Mapping[str, Any] | None:
    """Return the batch of a rolling update; None is blue/green."""
    deployment = mapping(endpoint.properties.get("DeploymentConfig"))
    return mapping(mapping(deployment.get("RollingUpdatePolicy")).get("MaximumBatchSize")) or None


def _in_batch(count: float, batch: Mapping[str, Any] | None) -> float:
    size = number(batch.get("Value")) if batch else None
    if batch is None or size is None:
        return count
    instances = ceil(count * size / 100) if batch.get("Type") == "CAPACITY_PERCENT" else size
    return float(min(instances, count))


def _deployed(config: RawResource, stack: StackView) -> Any:
    """Return all that makes a configuration another one: itself, and its models, which are replaced as well."""
    names = [variant.get("ModelName") for variant in variants_of(config)]
    models = [stack.referred(name, _MODEL, "ModelName") for name in names]
    return [_spelled(config, stack), [_spelled(model, stack) for model in models if model]]


def _spelled(resource: RawResource, stack: StackView) -> Any:
    properties = {name: value for name, value in resource.properties.items() if name != _IN_PLACE}
    return resource.logical_id, stack.canonical(properties)
