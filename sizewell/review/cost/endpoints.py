"""SageMaker endpoints: instances with their volumes, serverless variants, data in and out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sizewell.facts.scaling import PROVISIONED_CONCURRENCY
from sizewell.review.cost.amounts import Amounts
from sizewell.review.cost.charges import Charge, Count, Fact, by_count, by_use, unknown
from sizewell.review.cost.instance_bounds import instance_count, scaled_bounds
from sizewell.review.cost.instance_prices import hosting_price
from sizewell.review.cost.prices import UnitPrice
from sizewell.review.cost.stack_view import RawResource, StackView
from sizewell.review.cost.wording import HOURS_PER_MONTH, number_words, span_words, usd_words
from sizewell.templates.values import flag, mapping, maps, number

SERVICE = "SageMaker"
_VARIANT_LISTS = ("ProductionVariants", "ShadowProductionVariants")
_MB_PER_GB = 1024
_SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600


def endpoint_charges(endpoint: RawResource, stack: StackView) -> Iterator[Charge]:
    """Yield what an endpoint costs with the configuration that it runs."""
    config = endpoint_config(endpoint, stack)
    variants = tuple(variants_of(config)) if config else ()
    if config is None or not variants:
        slot = f"instances {endpoint.logical_id}"
        yield from unknown(SERVICE, "endpoint instances", slot=slot, group=_group(endpoint))
        return
    for variant in variants:
        label = f" of variant {_variant_name(variant)}" if len(variants) > 1 else ""
        if mapping(variant.get("ServerlessConfig")):
            yield from _serverless(endpoint, stack, variant)
        else:
            yield from _instances(endpoint, stack, variant, label)
    if any(not mapping(variant.get("ServerlessConfig")) for variant in variants):
        yield from by_use(SERVICE, "data in and out", stack.price(SERVICE, "endpoint_data_gb"))
    if flag(mapping(config.properties.get("DataCaptureConfig")).get("EnableCapture")):
        yield from by_use("S3", "captured data", stack.price("S3", "storage_gb_month"))


def endpoint_config(endpoint: RawResource, stack: StackView) -> RawResource | None:
    """Return the configuration that an endpoint runs; None where another stack or account has it."""
    name = endpoint.properties.get("EndpointConfigName")
    return stack.referred(name, "AWS::SageMaker::EndpointConfig", "EndpointConfigName")


def variants_of(config: RawResource) -> Iterator[Mapping[str, Any]]:
    """Yield the production and shadow variants that are written out."""
    for name in _VARIANT_LISTS:
        for _, variant in maps(config.properties.get(name)):
            yield variant


def instance_slot(endpoint: RawResource, variant: Mapping[str, Any]) -> str:
    """Return what the instances of a variant are compared by."""
    return f"instances {endpoint.logical_id} {_variant_name(variant)}"


def _group(endpoint: RawResource) -> str:
    """Return what holds all that an endpoint pays for its capacity."""
    return f"endpoint {endpoint.logical_id}"


def _instances(
    endpoint: RawResource, stack: StackView, variant: Mapping[str, Any], label: str
) -> Iterator[Charge]:
    slot = instance_slot(endpoint, variant)
    types = _instance_types(variant)
    count = instance_count(stack, endpoint, variant)
    if not types or count is None:
        yield from unknown(SERVICE, "endpoint instances", slot=slot, group=_group(endpoint))
        return
    first = types[0]
    price = hosting_price(stack, first)
    facts = {
        f"instance type{label}": Fact(" or ".join(types)),
        f"instances{label}": Fact(span_words(count.minimum, count.maximum)),
    }
    if count.minimum < count.maximum:
        facts[f"average instances{label}"] = Fact(number_words(count.expected))
    if price:
        source = f", {price.note}" if price.note else " (catalog)"
        facts[f"price of {first}"] = Fact(usd_words(price.usd), f" USD per hour{source}")
    hours = Count(count, f"{first} instance", HOURS_PER_MONTH, "hours")
    charges = by_count(
        SERVICE, f"{first} instances", hours, price, slot=slot, group=_group(endpoint), facts=facts
    )
    for charge in charges:
        yield charge if len(types) == 1 else _of_pools(charge, stack, types, count)
    yield from _volumes(endpoint, stack, variant, count)


def _of_pools(charge: Charge, stack: StackView, types: tuple[str, ...], count: Amounts) -> Charge:
    """Instance pools: SageMaker takes the first that has capacity, so the bounds are the cheapest and the dearest."""
    prices = [hosting_price(stack, one) for one in types]
    known = [price.usd for price in prices if price]
    if charge.usd_per_month is None or len(known) < len(types):
        return charge
    usd_per_month = Amounts(
        count.minimum * HOURS_PER_MONTH * min(known),
        charge.usd_per_month.expected,
        count.maximum * HOURS_PER_MONTH * max(known),
    )
    return replace(charge, usd_per_month=usd_per_month)


def _volumes(
    endpoint: RawResource, stack: StackView, variant: Mapping[str, Any], count: Amounts
) -> Iterator[Charge]:
    size_gb = number(variant.get("VolumeSizeInGB"))
    if size_gb is not None:
        words = f"{number_words(size_gb)} GB"
        price = stack.price(SERVICE, "endpoint_volume_gb_month")
        yield from by_count(
            SERVICE,
            "endpoint volumes",
            Count(count, f"volume of {words}", size_gb, "GB-month"),
            price,
            slot=f"volumes {instance_slot(endpoint, variant)}",
            group=_group_of_known(endpoint, price),
            facts={"endpoint volume": Fact(words)},
        )


def _serverless(endpoint: RawResource, stack: StackView, variant: Mapping[str, Any]) -> Iterator[Charge]:
    config = mapping(variant.get("ServerlessConfig"))
    memory_mb = number(config.get("MemorySizeInMB"))
    size = f", {number_words(memory_mb / _MB_PER_GB)} GB" if memory_mb else ""
    yield from by_use(
        SERVICE,
        f"serverless inference{size}",
        stack.price(SERVICE, "serverless_gb_s"),
        slot=instance_slot(endpoint, variant),
        group=_group(endpoint),
    )
    yield from by_use(SERVICE, "serverless data in and out", stack.price(SERVICE, "serverless_data_gb"))
    provisioned = number(config.get("ProvisionedConcurrency"))
    if provisioned is None or memory_mb is None:
        return
    low, high = scaled_bounds(stack, endpoint, variant, PROVISIONED_CONCURRENCY) or (provisioned, provisioned)
    count = Amounts(low, min(max(provisioned, low), high), high)
    gb_seconds = memory_mb / _MB_PER_GB * _SECONDS_PER_MONTH
    price = stack.price(SERVICE, "serverless_provisioned_gb_s")
    yield from by_count(
        SERVICE,
        "provisioned concurrency",
        Count(count, f"unit of provisioned concurrency{size}", gb_seconds, "GB-seconds"),
        price,
        slot=f"provisioned concurrency {instance_slot(endpoint, variant)}",
        group=_group_of_known(endpoint, price),
        facts={"provisioned concurrency": Fact(span_words(low, high))},
    )


def _group_of_known(endpoint: RawResource, price: UnitPrice | None) -> str:
    """Return the group of what comes with the capacity: without a price it leaves the rest of the endpoint known."""
    return _group(endpoint) if price else ""


def _instance_types(variant: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the type of a variant, or those of its pools in the order in which they are tried."""
    pools = sorted(
        (number(pool.get("Priority")) or 0.0, place, str(pool.get("InstanceType")))
        for place, pool in maps(variant.get("InstancePools"))
    )
    if pools:
        return tuple(name for _, _, name in pools)
    only = variant.get("InstanceType")
    return (only,) if isinstance(only, str) else ()


def _variant_name(variant: Mapping[str, Any]) -> str:
    return str(variant.get("VariantName", ""))
