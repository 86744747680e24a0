"""Products of the AWS Price List: which of them is an hour of an instance, and what it costs.

The public files and the Price List Query API have the same products and terms:
https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-service-price-list-file-for-services.html
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

SAGEMAKER, EC2 = "AmazonSageMaker", "AmazonEC2"
#: The part of a usage type that names what runs the instance. No other is taken, such as TrSpt (managed Spot) and AsyncInf.
#: ``cluster`` is HyperPod. Unproven against a whole file of today: Processing, Tsform and Cluster.
_USAGES = {
    "Host": "hosting",
    "Train": "training",
    "Processing": "processing",
    "Tsform": "transform",
    "Notebk": "notebook",
    "Cluster": "cluster",
}
#: USE1-Host:ml.g5.xlarge. Where a region has no prefix, it begins with the part.
_SAGEMAKER_USAGE_TYPE = re.compile(r"(?:[A-Z0-9]+-)?(\w+):(ml\.[a-z0-9-]+\.[a-z0-9-]+)")
#: Linux on demand, shared hardware, no software: as the guide of the Query API filters it. A block of capacity or a reservation
#: has another ``capacitystatus``, and a Local Zone another ``locationType``.
EC2_FILTERS = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "locationType": "AWS Region",
}
_HOUR = "Hrs"

#: A type and its usage.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ServicePrices:
    """The prices of one service in one region, in USD per hour."""

    published: str
    """The ISO date on which AWS published them."""
    usd_per_hour: Mapping[Key, Decimal]
    differing: tuple[Key, ...] = ()
    """Those with several prices, of which the highest is taken."""


def sagemaker_key(attributes: Mapping[str, str]) -> Key | None:
    """Return the type and usage of a product of SageMaker; None for all that is no hour of an instance."""
    found = _SAGEMAKER_USAGE_TYPE.fullmatch(attributes.get("usagetype", ""))
    if found is None or found[1] not in _USAGES:
        return None
    return found[2], _USAGES[found[1]]


def ec2_key(attributes: Mapping[str, str]) -> Key | None:
    """Return the type of a product of EC2 on demand, under its name in SageMaker; None for all others."""
    name = attributes.get("instanceType", "")
    if "." not in name or any(attributes.get(key) != value for key, value in EC2_FILTERS.items()):
        return None
    return f"ml.{name}", "ec2"


KEYS: Mapping[str, Callable[[Mapping[str, str]], Key | None]] = {SAGEMAKER: sagemaker_key, EC2: ec2_key}


def hourly_prices(terms: Mapping[str, Any]) -> Iterator[Decimal]:
    """Yield what the on-demand terms of a product cost by the hour in USD; what is free is no price of an instance.

    An upfront fee has another unit than ``Hrs``.
    """
    for term in terms.values():
        for dimension in term.get("priceDimensions", {}).values():
            if dimension.get("unit") != _HOUR:
                continue
            try:
                usd = Decimal(dimension.get("pricePerUnit", {}).get("USD", ""))
            except InvalidOperation:
                continue
            if usd.is_finite() and usd > 0:
                yield usd


def service_prices(published: str, priced: Iterable[tuple[Key, Decimal]]) -> ServicePrices:
    """Return the prices by type and usage, whatever the order in which they come."""
    found: dict[Key, set[Decimal]] = {}
    for key, usd in priced:
        found.setdefault(key, set()).add(usd)
    return ServicePrices(
        published[:10],
        {key: max(found[key]) for key in sorted(found)},
        tuple(key for key in sorted(found) if len(found[key]) > 1),
    )
