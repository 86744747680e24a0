"""Whether SageMaker offers an instance type for a usage in one region."""

from collections.abc import Mapping
from typing import NamedTuple

from sizewell.instance_selection.catalog.instance_types import InstanceType, Usage


class Offer(NamedTuple):
    """Whether a deployment can be expected to find a type, and why."""

    offered: bool
    reason: str


class OfferList:
    """What AWS prices in one region.

    ``listed`` holds the usages with a published price per type; besides those of `Usage` it may hold ``cluster``
    (HyperPod). ``training_priced`` are types with a published training price. ``corrections`` give the reason why
    a (family, usage) of the API is not offered anywhere.

    An enum value is not an offer: the enums hold types that are priced in no region. The tables of the package list hosting,
    processing and transform. Of a usage that the list of the region has of no type, any other priced usage counts as a sign.
    """

    def __init__(
        self,
        region: str,
        listed: Mapping[str, frozenset[str]],
        training_priced: frozenset[str] = frozenset(),
        corrections: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self._region = region
        self._listed = listed
        self._listed_usages = frozenset[str]().union(*listed.values())
        self._training_priced = training_priced
        self._corrections = corrections or {}

    def offer(self, instance_type: InstanceType, usage: Usage) -> Offer:
        """Return whether the type is offered for the usage, and why."""
        if usage not in instance_type.usages:
            return Offer(False, f"the SageMaker API does not accept {instance_type.name} for {usage}")
        if correction := self._corrections.get((instance_type.family, usage)):
            return Offer(False, correction)
        listed = self._listed.get(instance_type.name, frozenset())
        priced = usage in listed or (usage is Usage.TRAINING and instance_type.name in self._training_priced)
        is_assumed = usage in (Usage.TRAINING, Usage.NOTEBOOK) and usage not in self._listed_usages
        if is_assumed and not priced:
            sign = f"prices it for {', '.join(sorted(listed))}" if listed else "prices no usage of it"
            return Offer(bool(listed), f"AWS {sign} in {self._region}; no list says so for {usage}")
        verb = "publishes" if priced else "does not publish"
        price = "an EC2 on-demand price" if usage is Usage.EC2 else f"a {usage} price"
        return Offer(priced, f"AWS {verb} {price} for it in {self._region}")
