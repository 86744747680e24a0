"""What fewer instances or zones mean for staying up."""

from typing import Any

from sizewell.review.configuration.differences import MISSING
from sizewell.review.configuration.environment import Environment, is_production, value_at, workloads
from sizewell.review.configuration.value_meanings import Facts, number

_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_OUTAGE = ": one failure away from an outage"


def fewest_instances(facts: Facts) -> str:
    """Tell what another lower bound of an endpoint means; without one, that of the policy holds."""
    base, head = (
        number(_or_policy(value, environment))
        for value, environment in (
            (facts.base, facts.base_environment),
            (facts.head, facts.head_environment),
        )
    )
    return _fewest(facts, base, head)


def fewest_instances_of_all(facts: Facts) -> str:
    """Tell the same of the policy, which holds for endpoints that state no bound of their own."""
    endpoints = [
        one for one in workloads(facts.head_environment).values() if one.get("kind") == "real-time-endpoint"
    ]
    if all(value_at(one, "scaling", "min_instances") is not None for one in endpoints):
        return "every endpoint states its own"
    return _fewest(facts, number(facts.base), number(facts.head))


def max_instance_count(facts: Facts) -> str:
    """Tell what another upper bound means."""
    base, head = number(facts.base), number(facts.head)
    if base is None or head is None:
        return ""
    return "carries a smaller peak" if head < base else "may grow, and cost, more at the peak"


def fewer_zones(facts: Facts) -> str:
    """Tell what another number of zones means."""
    base, head = number(facts.base), number(facts.head)
    if base is None or head is None:
        return ""
    if head > base:
        return _zones_gained(int(head - base))
    return _zones_lost(int(base - head)) + (_OUTAGE if head < 2 and _in_production(facts) else "")


def subnets(facts: Facts) -> str:
    """Tell what other subnets mean: each stands for a zone."""
    if not isinstance(facts.base, list) or not isinstance(facts.head, list):
        return ""
    difference = len(facts.head) - len(facts.base)
    if difference < 0:
        outage = len(facts.head) < 2 and _in_production(facts)
        return _zones_lost(-difference) + (_OUTAGE if outage else "")
    return _zones_gained(difference) if difference else "other subnets: instances move"


def _or_policy(value: Any, environment: Environment) -> Any:
    return value_at(environment, "policy", "min_endpoint_instances") if value is MISSING else value


def _fewest(facts: Facts, base: float | None, head: float | None) -> str:
    if base is None or head is None or base == head:
        return ""
    if head > base:
        return (
            f"gains the {_ORDINALS[2]} zone" if base == 1 and _zone_count(facts.head_environment) > 1 else ""
        )
    if head == 0:
        return "scales to zero" + (
            ": the first request waits for an instance" if _in_production(facts) else ""
        )
    zones = _zone_count(facts.base_environment)
    lost = [zone for zone in _ORDINALS if head < zone <= min(base, zones)]
    if len(lost) == 1:
        told = f"loses the {_ORDINALS[lost[0]]} zone"
    elif lost:
        told = f"loses {len(lost)} of {len(lost) + int(head)} zones"
    else:
        told = "fewer instances at rest"
    return told + (_OUTAGE if head < 2 and _in_production(facts) else "")


def _zone_count(environment: Environment) -> int:
    """Return the number of zones; of a network that nothing is known of, as many as there can be."""
    count = number(value_at(environment, "network", "availability_zones"))
    subnet_ids = value_at(environment, "network", "subnet_ids")
    if count is None:
        return len(subnet_ids) if isinstance(subnet_ids, list) else max(_ORDINALS)
    return int(count)


def _in_production(facts: Facts) -> bool:
    return is_production(facts.head_environment) or is_production(facts.base_environment)


def _zones_lost(count: int) -> str:
    return "loses a zone" if count == 1 else f"loses {count} zones"


def _zones_gained(count: int) -> str:
    return "gains a zone" if count == 1 else f"gains {count} zones"
