"""Instances that exist only during the deployment.

SageMaker API reference, DeploymentConfig: without a policy an update is blue/green with all traffic at once.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import counted, listed
from sizewell.templates.endpoints import EndpointChange, Variant
from sizewell.templates.values import mapping, number

#: Types that are scarce, and whose default quota is mostly zero: all of P and Trn, the largest of G and Inf.
_SCARCE = re.compile(r"ml\.((p\d|trn\d)\w*\.\w+|(g\d|inf\d)\w*\.(12|16|24|48)xlarge)")


@hazard_rule("availability")
def fleet_doubled(environment: Environment) -> Iterator[Found]:
    """During the update the instances exist twice, which the quotas must allow."""
    for endpoint in environment.diff.kept_endpoints:
        variants = [(base, head) for base, head in endpoint.variants if head.instance_type]
        if not variants or not environment.diff.updates_fleet(endpoint):
            continue
        rolling = mapping(endpoint.head.deployment.get("RollingUpdatePolicy"))
        needed = _needed(endpoint, variants, mapping(rolling.get("MaximumBatchSize")) if rolling else None)
        quotas = listed(
            f"{counted(count, 'instance')} of {instance_type}"
            for instance_type, count in sorted(needed.items())
        )
        scarce = sorted(name for name in needed if _SCARCE.fullmatch(name))
        yield Found(
            "notice" if rolling else "warning",
            endpoint.stack,
            endpoint.logical_id,
            endpoint.subject,
            "a rolling update brings a new endpoint configuration"
            if rolling
            else "a blue/green update brings a new endpoint configuration",
            (
                f"One batch of new instances runs beside the old ones. The account needs up to {quotas} at the same time."
                if rolling
                else f"Both fleets run and cost money until the old one is deleted. The account needs up to {quotas} at the "
                "same time."
            )
            + " The review does not know the quotas of the account. Above them, or without capacity, the update fails and "
            "rolls back.",
            f"Compare with {listed(f'{name} for endpoint usage' for name in sorted(needed))} in Service Quotas."
            + (
                f" {listed(scarce)} {'is' if len(scarce) == 1 else 'are'} scarce: reserve capacity, or use RollingUpdatePolicy."
                if scarce
                else ""
            ),
        )


def _needed(
    endpoint: EndpointChange, variants: list[tuple[Variant, Variant]], batch: Mapping[str, Any] | None
) -> dict[str, float | None]:
    """Return how many instances of each type there must be at the same time, at the most; None is unknown."""
    needed: dict[str, float | None] = {}
    for base, head in variants:
        old = endpoint.base.max_instance_count(base)
        new = endpoint.head.max_instance_count(head) if batch is None else _batch(old, batch)
        for name, count in ((base.instance_type, old), (head.instance_type, new)):
            if name:
                so_far = needed.get(name, 0)
                needed[name] = None if count is None or so_far is None else so_far + count
    return needed


def _batch(fleet: float | None, size: Mapping[str, Any]) -> float | None:
    value = number(size.get("Value"))
    if size.get("Type") == "CAPACITY_PERCENT":
        return None if value is None or fleet is None else math.ceil(fleet * value / 100)
    return value
