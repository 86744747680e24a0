"""SageMaker endpoints: instances with their volumes, serverless variants, data in and out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sizewell.facts.billing import HOURS_PER_MONTH, SECONDS_PER_MONTH
from sizewell.facts.scaling import INSTANCE_COUNT, PROVISIONED_CONCURRENCY
from sizewell.planning.saved_workload import SavedEndpoint, SavedVariant
from sizewell.review.cost.charges import (
    Amounts,
    Charge,
    Count,
    Fact,
    UnitPrice,
    by_count,
    by_use,
    number_words,
    span_words,
    unknown,
    usd_words,
)
from sizewell.review.cost.instance_prices import catalog_price, planned_price
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.endpoints import Endpoint, Variant
from sizewell.templates.template import Resource
from sizewell.templates.values import flag, mapping, number, text

SERVICE = "SageMaker"
_MB_PER_GB = 1024

_Bounds = tuple[float, float]


@prices("AWS::SageMaker::Endpoint")
def endpoint_charges(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what an endpoint costs with the configuration that it runs."""
    endpoint = stack.endpoint(resource)
    config = endpoint.config
    variants = (*endpoint.variants.values(), *endpoint.shadow_variants.values())
    is_chosen_later = text(resource.properties.get("EndpointConfigName")) is None
    if config is None or not variants or is_chosen_later:
        slot = f"instances {resource.logical_id}"
        yield from unknown(SERVICE, "endpoint instances", slot=slot, group=_group(endpoint))
        return
    for variant in variants:
        label = f" of variant {variant.name}" if len(variants) > 1 else ""
        if _serverless_config(variant):
            yield from _serverless(endpoint, variant, stack)
        else:
            yield from _instances(endpoint, variant, stack, label)
    if not all(map(_serverless_config, variants)):
        yield from by_use(SERVICE, "data in and out", stack.price(SERVICE, "endpoint_data_gb"))
        # On unless it is off (API reference, MetricsConfig).
        if (
            flag(mapping(config.properties.get("MetricsConfig")).get("EnableDetailedObservability"))
            is not False
        ):
            yield from by_use("CloudWatch", "detailed metrics", None)
    if flag(mapping(config.properties.get("DataCaptureConfig")).get("EnableCapture")):
        yield from by_use("S3", "captured data", stack.price("S3", "storage_gb_month"))


def instance_slot(endpoint: Endpoint, variant: Variant) -> str:
    """Return what the instances of a variant are compared by."""
    return f"instances {endpoint.resource.logical_id} {variant.name}"


def _group(endpoint: Endpoint) -> str:
    """Return what holds all that an endpoint pays for its capacity."""
    return f"endpoint {endpoint.resource.logical_id}"


def _group_of_known(endpoint: Endpoint, price: UnitPrice | None) -> str:
    """Return the group of what comes with the capacity: without a price it leaves the rest of the endpoint known."""
    return _group(endpoint) if price else ""


def _instances(endpoint: Endpoint, variant: Variant, stack: PlannedStack, label: str) -> Iterator[Charge]:
    slot = instance_slot(endpoint, variant)
    types = variant.instance_types
    count = _instance_count(endpoint, variant, stack)
    if not types or "${" in types[0] or count is None:
        yield from unknown(SERVICE, "endpoint instances", slot=slot, group=_group(endpoint))
        return
    first = types[0]
    price = _price_per_hour(first, variant, stack)
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
        yield charge if len(types) == 1 else _of_pools(charge, variant, count, stack)
    yield from _volumes(endpoint, variant, count, stack)


def _price_per_hour(instance_type: str, variant: Variant, stack: PlannedStack) -> UnitPrice | None:
    """Return what the plan says, else the catalog, less a Savings Plan of the policy; None is unknown."""
    planned = _planned(variant, stack)
    chosen = planned.selection.chosen if planned else None
    if chosen is None or chosen.instance_type != instance_type:
        price = catalog_price(stack.region, instance_type, "hosting")
    else:
        price = planned_price(chosen)
    percent = stack.side.savings_plan_percent
    if price is None or not percent:
        return price
    return replace(
        price,
        usd=price.usd * (1 - percent / 100),
        note=f"less {number_words(percent)} % of a Savings Plan",
    )


def _of_pools(charge: Charge, variant: Variant, count: Amounts, stack: PlannedStack) -> Charge:
    """Instance pools: SageMaker takes the first that has capacity, so the bounds are the cheapest and the dearest."""
    by_type = [_price_per_hour(instance_type, variant, stack) for instance_type in variant.instance_types]
    known = [price.usd for price in by_type if price]
    if charge.usd_per_month is None or len(known) < len(by_type):
        return charge
    usd_per_month = Amounts(
        count.minimum * HOURS_PER_MONTH * min(known),
        charge.usd_per_month.expected,
        count.maximum * HOURS_PER_MONTH * max(known),
    )
    return replace(charge, usd_per_month=usd_per_month)


def _volumes(endpoint: Endpoint, variant: Variant, count: Amounts, stack: PlannedStack) -> Iterator[Charge]:
    size_gb = number(variant.properties.get("VolumeSizeInGB"))
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


def _instance_count(endpoint: Endpoint, variant: Variant, stack: PlannedStack) -> Amounts | None:
    """Return the least, the average and the most; None where the template leaves them to the deployment.

    What the template says goes before what the plan says: it is what will be deployed.
    """
    workload, initial = _planned(variant, stack), variant.initial_instance_count
    bounds = _scaled(endpoint, variant, INSTANCE_COUNT) or _managed(variant) or _planned_bounds(workload)
    if bounds is None:
        return None if initial is None else Amounts.fixed(initial)
    low, high = bounds
    average = workload.selection.chosen.estimate.instances_paid if workload else None
    expected = next((count for count in (average, initial) if count is not None), low)
    return Amounts(low, min(max(expected, low), high), high)


def _scaled(endpoint: Endpoint, variant: Variant, dimension: str) -> _Bounds | None:
    scaling = endpoint.scaling.get(variant.name)
    if scaling is None or scaling.dimension != dimension:
        return None
    return _bounds(scaling.minimum, scaling.maximum)


def _managed(variant: Variant) -> _Bounds | None:
    scaling = variant.managed_scaling
    if scaling.get("Status") == "DISABLED":
        return None
    return _bounds(number(scaling.get("MinInstanceCount")), number(scaling.get("MaxInstanceCount")))


def _planned_bounds(workload: SavedVariant | None) -> _Bounds | None:
    scaling = workload.scaling if workload else None
    return _bounds(scaling.min_instance_count, scaling.max_instance_count) if scaling else None


def _bounds(low: float | None, high: float | None) -> _Bounds | None:
    return (low, max(low, high)) if low is not None and high is not None else None


def _planned(variant: Variant, stack: PlannedStack) -> SavedVariant | None:
    workload = stack.workload
    return workload.variant(variant.name) if isinstance(workload, SavedEndpoint) else None


def _serverless_config(variant: Variant) -> Mapping[str, Any]:
    return mapping(variant.properties.get("ServerlessConfig"))


def _serverless(endpoint: Endpoint, variant: Variant, stack: PlannedStack) -> Iterator[Charge]:
    config, planned = _serverless_config(variant), stack.on_demand
    memory_mb, provisioned = (
        number(config.get("MemorySizeInMB")),
        number(config.get("ProvisionedConcurrency")),
    )
    size = f", {number_words(memory_mb / _MB_PER_GB)} GB" if memory_mb else ""
    slot, group = instance_slot(endpoint, variant), _group(endpoint)
    price = stack.price(SERVICE, "serverless_gb_s" if provisioned is None else "serverless_warm_gb_s")
    name = f"serverless inference{size}"
    if planned is None or memory_mb is None:
        yield from by_use(SERVICE, name, price, slot=slot, group=group)
    else:
        requests = Amounts.fixed(planned.requests_per_month)
        gb_seconds = memory_mb / _MB_PER_GB * planned.service_time_ms / 1000
        work = Count(requests, "request", gb_seconds, "GB-seconds")
        yield from by_count(SERVICE, name, work, price, slot=slot, group=group)
    data = stack.price(SERVICE, "serverless_data_gb")
    if planned is None or planned.data_gb_per_request is None:
        yield from by_use(SERVICE, "serverless data in and out", data)
    else:
        requests = Amounts.fixed(planned.requests_per_month)
        in_and_out = Count(requests, "request", planned.data_gb_per_request, "GB")
        yield from by_count(SERVICE, "serverless data in and out", in_and_out, data)
    if provisioned is None or memory_mb is None:
        return
    low, high = _scaled(endpoint, variant, PROVISIONED_CONCURRENCY) or (provisioned, provisioned)
    expected = planned.average_provisioned_concurrency if planned else min(max(provisioned, low), high)
    # Schedules go beyond the bounds that a deployment sets.
    count = Amounts(min(low, expected), expected, max(high, expected))
    gb_seconds = memory_mb / _MB_PER_GB * SECONDS_PER_MONTH
    price = stack.price(SERVICE, "serverless_provisioned_gb_s")
    yield from by_count(
        SERVICE,
        "provisioned concurrency",
        Count(count, f"unit of provisioned concurrency{size}", gb_seconds, "GB-seconds"),
        price,
        slot=f"provisioned concurrency {slot}",
        group=_group_of_known(endpoint, price),
        facts={"provisioned concurrency": Fact(span_words(low, high))},
    )
