"""Which variant answers which share of the requests.

SageMaker API reference, ProductionVariant: a variant gets its InitialVariantWeight over the sum of all of them, and 1.0
where none is written; UpdateEndpoint: RetainAllVariantProperties keeps DesiredWeight, unless it is excluded.
"""

from collections.abc import Iterator, Mapping

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import listed
from sizewell.templates.endpoints import Endpoint
from sizewell.templates.values import flag, maps, number


@hazard_rule("correctness")
def traffic_moved(environment: Environment) -> Iterator[Found]:
    """Variants get other shares of the requests."""
    for endpoint in environment.diff.kept_endpoints:
        base, head = _shares(endpoint.base), _shares(endpoint.head)
        names = sorted(name for name in base.keys() & head.keys() if base[name] != head[name])
        if not names or base.keys() != head.keys():
            continue
        switched = any((base[name] == 0) != (head[name] == 0) for name in names)
        kept = _keeps_weights(endpoint.head)
        yield Found(
            "notice" if kept else "warning",
            endpoint.stack,
            endpoint.logical_id,
            endpoint.subject,
            listed(f"share of variant {name} {base[name]:.0%} → {head[name]:.0%}" for name in names),
            "RetainAllVariantProperties keeps the weights of the endpoint. The new weights apply only to a new endpoint."
            if kept
            else "After the update a variant gets its first requests, or another variant gets none any more."
            if switched
            else "After the update the variants get other shares of the requests, whatever their capacity is.",
            "Add DesiredWeight to ExcludeRetainedVariantProperties if the weights are meant to change now."
            if kept
            else "Make sure that each variant has the instances for its share before the update.",
        )


def _shares(endpoint: Endpoint) -> Mapping[str, float]:
    """Return the share of each variant; empty where one of them is worked out at deployment."""
    weights = {
        name: number(variant.properties.get("InitialVariantWeight", 1))
        for name, variant in endpoint.variants.items()
    }
    known = {name: weight for name, weight in weights.items() if weight is not None}
    total = sum(known.values())
    if len(known) < len(weights) or total <= 0:
        return {}
    return {name: weight / total for name, weight in known.items()}


def _keeps_weights(endpoint: Endpoint) -> bool:
    properties = endpoint.resource.properties
    excluded = maps(properties.get("ExcludeRetainedVariantProperties"))
    return flag(properties.get("RetainAllVariantProperties")) is True and not any(
        excluded_property.get("VariantPropertyType") == "DesiredWeight" for _, excluded_property in excluded
    )
