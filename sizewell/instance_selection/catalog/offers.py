"""Whether SageMaker offers an instance type for a usage in one region."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sizewell.instance_selection.catalog.instance_types import InstanceType, Usage


class Offer(NamedTuple):
    """Whether a deployment can be expected to find a type, and why."""

    offered: bool
    reason: str


@dataclass(frozen=True)
class OfferList:
    """What AWS prices in one region.

    ``listed`` holds the usages with a published price per type; besides those of `Usage` it may hold ``cluster``
    (HyperPod). ``training_priced`` are types with a published training price. ``corrections`` give the reason why
    a (family, usage) of the API is not offered anywhere.

    An enum value is not an offer: the enums hold types that are priced in no region. The tables of the package list hosting,
    processing and transform. Of a usage that the list of the region has of no type, any other priced usage counts as a sign.
    """

    region: str
    listed: Mapping[str, frozenset[str]]
    training_priced: frozenset[str]
    corrections: Mapping[tuple[str, str], str]

    @cached_property
    def _listed_usages(self) -> frozenset[str]:
        return frozenset[str]().union(*self.listed.values())

    def offer(self, instance_type: InstanceType, usage: Usage) -> Offer:
        """Return whether the type is offered for the usage, and why."""
        if usage not in instance_type.usages:
            return Offer(False, f"the SageMaker API does not accept {instance_type.name} for {usage}")
        if correction := self.corrections.get((instance_type.family, usage)):
            return Offer(False, correction)
        listed = self.listed.get(instance_type.name, frozenset())
        priced = usage in listed or (usage is Usage.TRAINING and instance_type.name in self.training_priced)
        is_assumed = usage in (Usage.TRAINING, Usage.NOTEBOOK) and usage not in self._listed_usages
        if is_assumed and not priced:
            sign = f"prices it for {', '.join(sorted(listed))}" if listed else "prices no usage of it"
            return Offer(bool(listed), f"AWS {sign} in {self.region}; no list says so for {usage}")
        verb = "publishes" if priced else "does not publish"
        price = "an EC2 on-demand price" if usage is Usage.EC2 else f"a {usage} price"
        return Offer(priced, f"AWS {verb} {price} for it in {self.region}")
