"""Whether SageMaker offers an instance type for a usage in one region."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sizewell.instance_selection.catalog.instance_types import InstanceType, Usage


class OfferBasis(StrEnum):
    """Where the answer comes from."""

    API = "api"
    """The enum of the SageMaker API."""
    PRICE_LIST = "price_list"
    """AWS publishes a price for the usage in the region, or none."""
    ASSUMED = "assumed"
    """Concluded from other usages of the type: nobody publishes a list for this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """An answer with its reason; ``offered`` is true when a deployment can be expected to find the type."""

    offered: bool
    basis: OfferBasis
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
            return Offer(
                offered=False,
                basis=OfferBasis.API,
                reason=f"the SageMaker API does not accept {instance_type.name} for {usage}",
            )
        if correction := self._corrections.get((instance_type.family, usage)):
            return Offer(offered=False, basis=OfferBasis.PRICE_LIST, reason=correction)
        listed = self._listed.get(instance_type.name, frozenset())
        priced = usage in listed or (usage is Usage.TRAINING and instance_type.name in self._training_priced)
        is_assumed = usage in (Usage.TRAINING, Usage.NOTEBOOK) and usage not in self._listed_usages
        if is_assumed and not priced:
            return self._assumed(listed, usage)
        verb = "publishes" if priced else "does not publish"
        price = "an EC2 on-demand price" if usage is Usage.EC2 else f"a {usage} price"
        return Offer(
            offered=priced,
            basis=OfferBasis.PRICE_LIST,
            reason=f"AWS {verb} {price} for it in {self._region}",
        )

    def _assumed(self, listed: frozenset[str], usage: Usage) -> Offer:
        if listed:
            reason = f"AWS prices it for {', '.join(sorted(listed))} in {self._region}; no list says so for {usage}"
        else:
            reason = f"AWS prices no usage of it in {self._region}; no list says so for {usage}"
        return Offer(offered=bool(listed), basis=OfferBasis.ASSUMED, reason=reason)
