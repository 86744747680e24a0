"""All pricers, those of every module in ``pricers/``, and the types that cost nothing: ``free_types.csv``."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from sizewell.modules import modules_in
from sizewell.review.cost import pricers
from sizewell.review.cost.charges import Charge
from sizewell.review.cost.pricer import PlannedStack, Pricer, registered_pricers

modules_in(pricers)
PRICERS: Mapping[str, Pricer] = MappingProxyType(registered_pricers())

_FREE_TYPES = Path(__file__).with_name("free_types.csv")


@dataclass(frozen=True, slots=True)
class StackBill:
    """What the resources of one template cost."""

    charges: tuple[Charge, ...]
    not_priced: frozenset[str]
    """Resource types that cost money or may."""


@cache
def free_types() -> Mapping[str, str]:
    """Return the types that cost nothing, with the reason."""
    with _FREE_TYPES.open(encoding="utf-8", newline="") as file:
        return {row["resource_type"]: row["reason"] for row in csv.DictReader(file)}


def is_priced(resource_type: str) -> bool:
    """Tell whether it is known what a type costs, if only that it is nothing."""
    return resource_type in PRICERS or resource_type in free_types()


def price_stack(stack: PlannedStack) -> StackBill:
    """Price every resource of a template; one whose condition only the deployment knows counts, as it may be made."""
    charges: list[Charge] = []
    not_priced: set[str] = set()
    for resource in stack.resources.values():
        if pricer := PRICERS.get(resource.resource_type):
            charges.extend(pricer(resource, stack))
        elif not is_priced(resource.resource_type):
            not_priced.add(resource.resource_type)
    return StackBill(tuple(charges), frozenset(not_priced))
