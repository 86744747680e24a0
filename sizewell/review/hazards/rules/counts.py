"""The number of instances that an update leaves.

``RetainAllVariantProperties`` keeps what autoscaling did; without it an update sets InitialInstanceCount (aws-cdk#23151).
"""

from collections.abc import Iterator

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import counted, listed, moved, shown
from sizewell.templates.endpoints import Endpoint, EndpointChange, Variant
from sizewell.templates.values import flag, maps

_RETAIN, _EXCLUDE = "RetainAllVariantProperties", "ExcludeRetainedVariantProperties"
_COUNT = "DesiredInstanceCount"


@hazard_rule("availability")
def counts_lost(environment: Environment) -> Iterator[Found]:
    """An update resets the number of instances to fewer than autoscaling had set."""
    for endpoint in environment.diff.kept_endpoints:
        scaled = [(b, h) for b, h in endpoint.variants if h.name in endpoint.head.scaling]
        causes = _no_longer_kept(endpoint) if scaled else []
        if causes:
            counts = listed(f"{h.name} to {counted(h.initial_instance_count, 'instance')}" for _, h in scaled)
            yield Found(
                "warning",
                endpoint.stack,
                endpoint.logical_id,
                endpoint.subject,
                "; ".join(causes),
                f"Each update with another configuration resets the number of instances ({counts}), whatever autoscaling had "
                "set. At peak these are too few until autoscaling has caught up.",
                f"Keep {_RETAIN} true, and leave {_COUNT} out of {_EXCLUDE}.",
            )
        elif _keeps(endpoint.head) is False:
            for base, head in endpoint.variants:
                yield from _set_back(environment, endpoint, base, head)


def _no_longer_kept(endpoint: EndpointChange) -> list[str]:
    base, head = endpoint.base.resource.properties, endpoint.head.resource.properties
    if _keeps(endpoint.base) is not True or _keeps(endpoint.head) is not False:
        return []
    if flag(head.get(_RETAIN)) is not True:
        return [f"{_RETAIN} {moved(base.get(_RETAIN), head.get(_RETAIN))}"]
    return [f"{_COUNT} is added to {_EXCLUDE}"]


def _keeps(endpoint: Endpoint) -> bool | None:
    """Tell whether an update keeps the counts; None where that is worked out at deployment."""
    properties = endpoint.resource.properties
    if _RETAIN not in properties:
        return False
    excluded = any(
        excluded_property.get("VariantPropertyType") == _COUNT
        for _, excluded_property in maps(properties.get(_EXCLUDE))
    )
    return False if excluded else flag(properties[_RETAIN])


def _set_back(
    environment: Environment, endpoint: EndpointChange, base: Variant, head: Variant
) -> Iterator[Found]:
    count = head.initial_instance_count
    subject = f"variant {head.name} of {endpoint.subject}"
    if count is None:
        return
    scaling = endpoint.base.scaling.get(head.name)
    if scaling and head.name in endpoint.head.scaling:
        if environment.diff.updates_fleet(endpoint) and (scaling.maximum is None or scaling.maximum > count):
            yield Found(
                "warning",
                endpoint.stack,
                endpoint.logical_id,
                subject,
                f"the endpoint gets another configuration without {_RETAIN}",
                f"The update sets the number of instances to InitialInstanceCount, {shown(count)}. Autoscaling may have raised "
                f"it to {counted(scaling.maximum, 'instance')}. At peak {shown(count)} is too few until autoscaling has caught "
                "up.",
                f"Set {_RETAIN} to true on the endpoint, or deploy at a quiet hour.",
            )
    elif base.initial_instance_count is not None and count < base.initial_instance_count:
        yield Found(
            "warning",
            endpoint.stack,
            endpoint.logical_id,
            subject,
            f"InitialInstanceCount {moved(base.initial_instance_count, count)}",
            f"The update sets the number to {counted(count, 'instance')}, even if somebody had raised it by hand.",
            "Make sure that the remaining instances carry the peak traffic.",
        )
