"""What prices a resource. A pricer registers itself: its function in ``pricers/`` has the decorator ``prices``."""

from collections.abc import Callable, Iterable, Mapping

from sizewell.review.cost.charges import Charge
from sizewell.review.cost.planned_stack import PlannedStack
from sizewell.templates.template import Resource

Pricer = Callable[[Resource, PlannedStack], Iterable[Charge]]
"""Yields what one resource of a stack is charged for."""

_PRICERS: dict[str, Pricer] = {}


def prices(*resource_types: str) -> Callable[[Pricer], Pricer]:
    """Register a function for the resource types that it prices; each type has one."""

    def register(pricer: Pricer) -> Pricer:
        for resource_type in resource_types:
            if resource_type in _PRICERS:
                raise ValueError(f"{resource_type} has two pricers")
            _PRICERS[resource_type] = pricer
        return pricer

    return register


def registered_pricers() -> Mapping[str, Pricer]:
    """Return the pricers that were imported so far, by resource type."""
    return dict(sorted(_PRICERS.items()))
