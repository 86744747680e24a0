"""Effects that depend on the rest of the configuration: on zones, on the policy, on other keys of the workload."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sizewell.config.effects import Computed
from sizewell.planning.saved_workload import saved_kind
from sizewell.review.config_differences import MISSING, KeyChange
from sizewell.review.saved.configuration import (
    Environment,
    is_production,
    number,
    value_at,
    workloads,
)
from sizewell.review.words import listed
from sizewell.review.yaml_text import one_line
from sizewell.templates.values import mapping

_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_GONE = "nothing manages it any more, and its stack keeps running until somebody deletes it"
_OUTAGE = ": one failure away from an outage"


def _min_instances(change: KeyChange) -> str:
    """Tell what another lower bound of an endpoint means; without one, that of the policy holds."""
    base, head = (
        number(_or_policy(value, environment))
        for value, environment in (
            (change.base, change.base_environment),
            (change.head, change.head_environment),
        )
    )
    return _min_changed(change, base, head)


def _min_instances_of_all(change: KeyChange) -> str:
    """Tell the same of the policy, which holds for endpoints that state no bound of their own."""
    endpoints = [
        workload
        for workload in workloads(change.head_environment).values()
        if saved_kind(workload.get("kind")).min_instances_of_policy
    ]
    if all(map(_states_its_own, endpoints)):
        return "every endpoint states its own"
    return _min_changed(change, number(change.base), number(change.head))


def _states_its_own(endpoint: Mapping[str, Any]) -> bool:
    """Tell whether nothing of an endpoint follows the policy: neither its instances, nor the copies of a component."""
    components = mapping(endpoint.get("components")).values()
    copies = [value_at(mapping(component), "scaling", "min_copies") for component in components]
    sleeps = bool(copies) and all(count == 0 for count in copies)
    return None not in copies and (sleeps or value_at(endpoint, "scaling", "min_instances") is not None)


def _zones(change: KeyChange) -> str:
    """Tell what another number of zones means."""
    base, head = number(change.base), number(change.head)
    if base is None or head is None:
        return ""
    if head > base:
        return _zones_gained(int(head - base))
    return _zones_lost(int(base - head)) + (_OUTAGE if head < 2 and _in_production(change) else "")


def _zone_ids(change: KeyChange) -> str:
    """Tell what other zones mean: each has its own subnet, and the first is that of training on several instances."""
    if not isinstance(change.base, list) or not isinstance(change.head, list):
        return "every subnet is replaced, and instances move"
    left = [one_line(zone_id) for zone_id in change.base if zone_id not in change.head]
    entered = [one_line(zone_id) for zone_id in change.head if zone_id not in change.base]
    meaning = [f"instances leave {listed(left)}"] if left else []
    meaning += [f"instances may run in {listed(entered)}"] if entered else []
    if change.base[:1] != change.head[:1]:
        meaning.append(f"training on several instances runs in {listed(map(one_line, change.head[:1]))}")
    return "; ".join(meaning)


def _subnets(change: KeyChange) -> str:
    """Tell what other subnets mean: each stands for a zone."""
    if not isinstance(change.base, list) or not isinstance(change.head, list):
        return ""
    difference = len(change.head) - len(change.base)
    if difference < 0:
        outage = len(change.head) < 2 and _in_production(change)
        return _zones_lost(-difference) + (_OUTAGE if outage else "")
    return _zones_gained(difference) if difference else "other subnets: instances move"


def _workload(change: KeyChange) -> str:
    """Tell what a workload that is new, gone, renamed or of another kind means."""
    base, head = workloads(change.base_environment), workloads(change.head_environment)
    ours, theirs = base.get(change.workload), head.get(change.workload)
    if ours is not None and theirs is not None:
        return "it is deleted, and created anew as another kind"
    if ours is None:
        gone = [name for name in sorted(base.keys() - head.keys()) if base[name] == theirs]
        return f"{gone[0]} under another name: it is created anew" if gone else ""
    return _GONE


def _spot(change: KeyChange) -> str:
    """Tell what Spot risks."""
    if change.head is not True:
        return "on demand only"
    minutes = value_at(
        change.head_environment, "workloads", change.workload, "checkpoint", "interval_minutes"
    )
    saved = "no checkpoint" if minutes is None else f"checkpoint every {one_line(minutes)} minutes"
    return f"training may be interrupted; {saved}"


def _schedule(change: KeyChange) -> str:
    """Tell whether a job runs by itself."""
    if change.head is MISSING:
        return "runs only by hand"
    every = value_at(change.head_environment, "workloads", change.workload, "schedule", "every")
    return f"runs by itself every {every}" if isinstance(every, str) else "runs by itself"


def _or_policy(value: Any, environment: Environment) -> Any:
    return value_at(environment, "policy", "min_endpoint_instances") if value is MISSING else value


def _min_changed(change: KeyChange, base: float | None, head: float | None) -> str:
    if base is None or head is None or base == head:
        return ""
    if head > base:
        return (
            f"gains the {_ORDINALS[2]} zone"
            if base == 1 and _zone_count(change, change.head_environment) > 1
            else ""
        )
    if head == 0:
        return "scales to zero" + (
            ": the first request waits for an instance" if _in_production(change) else ""
        )
    zones = _zone_count(change, change.base_environment)
    lost = [zone for zone in _ORDINALS if head < zone <= min(base, zones)]
    if len(lost) == 1:
        meaning = f"loses the {_ORDINALS[lost[0]]} zone"
    elif lost:
        meaning = f"loses {len(lost)} of {len(lost) + int(head)} zones"
    else:
        meaning = "fewer instances at rest"
    return meaning + (_OUTAGE if head < 2 and _in_production(change) else "")


def _zone_count(change: KeyChange, environment: Environment) -> int:
    """Return the number of zones where a workload runs; of a network that nothing is known of, as many as there can be."""
    place = value_at(environment, *change.path[:2], "place")
    network = ("places", place, "network") if isinstance(place, str) else ("network",)
    count = number(value_at(environment, *network, "availability_zones"))
    subnet_ids = value_at(environment, *network, "subnet_ids")
    if count is None:
        return len(subnet_ids) if isinstance(subnet_ids, list) else max(_ORDINALS)
    return int(count)


def _in_production(change: KeyChange) -> bool:
    return is_production(change.head_environment) or is_production(change.base_environment)


def _zones_lost(count: int) -> str:
    return "loses a zone" if count == 1 else f"loses {count} zones"


def _zones_gained(count: int) -> str:
    return "gains a zone" if count == 1 else f"gains {count} zones"


COMPUTED: Mapping[Computed, Callable[[KeyChange], str]] = MappingProxyType(
    {
        Computed.MIN_INSTANCES: _min_instances,
        Computed.MIN_INSTANCES_OF_ALL: _min_instances_of_all,
        Computed.ZONES: _zones,
        Computed.ZONE_IDS: _zone_ids,
        Computed.SUBNETS: _subnets,
        Computed.WORKLOAD: _workload,
        Computed.SPOT: _spot,
        Computed.SCHEDULE: _schedule,
    }
)
