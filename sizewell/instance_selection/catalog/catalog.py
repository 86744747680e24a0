"""The catalog of one region: every instance type with its offers, prices and Spot history, and errors for unknown names."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass

from sizewell.instance_selection.catalog.instance_types import InstanceType, Usage
from sizewell.instance_selection.catalog.offers import Offer, OfferList
from sizewell.instance_selection.catalog.prices import Price, PriceList, PriceRatio, PriceRow
from sizewell.instance_selection.catalog.refreshed import PACKAGED, RefreshedTables


@dataclass(frozen=True, kw_only=True, slots=True)
class SpotHistory:
    """What the EC2 Spot Instance Advisor said on ``as_of`` about the month before.

    ``savings_percent`` is the discount on the on-demand price, negative where Spot cost more; ``interruption_band``
    the share of instances that were interrupted (``<5%`` to ``>20%``). These are figures of EC2: SageMaker
    publishes none for managed Spot training.
    """

    savings_percent: float
    interruption_band: str
    as_of: str


class Catalog:
    """Facts about all instance types as seen from one region.

    Tests build one from rows; everything else calls `load_catalog`. ``listed`` maps a type to the usages that AWS
    prices in the region; ``corrections`` maps (family, usage) to the reason why it is not offered; ``reliability``
    maps a source to its class, ``A`` the best; ``version`` computes the digest of the data when it is asked for. ``refreshed``
    are the tables of the project that it was made with.
    """

    def __init__(
        self,
        region: str,
        instance_types: Iterable[InstanceType],
        *,
        prices: Iterable[PriceRow] = (),
        ratios: Iterable[PriceRatio] = (),
        listed: Mapping[str, frozenset[str]] | None = None,
        corrections: Mapping[tuple[str, str], str] | None = None,
        spot: Mapping[str, SpotHistory] | None = None,
        reliability: Mapping[str, str] | None = None,
        version: Callable[[], str] = lambda: "hand-built",
        refreshed: RefreshedTables = PACKAGED,
    ) -> None:
        self.region = region
        self.refreshed = refreshed
        self.instance_types: tuple[InstanceType, ...] = tuple(
            sorted(instance_types, key=lambda instance_type: instance_type.name)
        )
        self._by_name = {instance_type.name: instance_type for instance_type in self.instance_types}
        rows = tuple(prices)
        self._prices = PriceList(rows, ratios, reliability)
        training_priced = frozenset(row.instance_type for row in rows if row.usage == Usage.TRAINING)
        self._offers = OfferList(region, listed or {}, training_priced, corrections or {})
        self._spot = spot or {}
        self._known_prices: dict[tuple[str, Usage], Price] = {}
        self._version = version

    @property
    def version(self) -> str:
        """Digest of the data files: equal versions mean equal answers."""
        return self._version()

    def with_types(self, change: Callable[[InstanceType], InstanceType | None]) -> "Catalog":
        """Return the same offers and prices with other facts on each type; without those that become None."""
        changed = copy(self)
        changed.instance_types = tuple(filter(None, map(change, self.instance_types)))
        changed._by_name = {instance_type.name: instance_type for instance_type in changed.instance_types}
        return changed

    def find(self, name: str) -> InstanceType | None:
        """Return the type of that name, or None."""
        return self._by_name.get(name)

    def get(self, name: str) -> InstanceType:
        """Return the type of that name. Raises ``UnknownInstanceTypeError``, whose message holds near matches."""
        if (found := self.find(name)) is None:
            raise UnknownInstanceTypeError(name, self._by_name)
        return found

    def offer(self, name: str, usage: Usage) -> Offer:
        """Return whether the region offers the type for the usage, and why. Raises ``UnknownInstanceTypeError``."""
        return self._offers.offer(self.get(name), usage)

    def is_offered(self, name: str, usage: Usage) -> bool:
        """Return the answer of `offer` alone."""
        return self.offer(name, usage).offered

    def price(self, name: str, usage: Usage) -> Price:
        """Return the on-demand price of the type, whether or not it is offered. Raises ``UnknownInstanceTypeError``."""
        key = name, usage
        found = self._known_prices.get(key)
        if found is None:
            found = self._known_prices[key] = self._prices.price(self.get(name), usage)
        return found

    def spot(self, name: str) -> SpotHistory | None:
        """Return the Spot history of the type in the region; None where the advisor has none."""
        return self._spot.get(name)


class UnknownNameError(LookupError):
    """A name that is not in the catalog; ``near_matches`` holds up to three similar ones, best first."""

    kind = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches  # only here: a start-up that succeeds need not load it

        self.name = name
        self.near_matches = tuple(get_close_matches(name, list(known), n=3))
        hint = f"; did you mean {' or '.join(self.near_matches)}?" if self.near_matches else ""
        super().__init__(f"unknown {self.kind} {name!r}{hint}")


class UnknownInstanceTypeError(UnknownNameError):
    """An instance type that no enum of SageMaker holds."""

    kind = "instance type"


class UnknownRegionError(UnknownNameError):
    """A region that AWS publishes no SageMaker price for."""

    kind = "region"
