"""Functions, APIs, schedules and rules: paid by use, which of functions and APIs the plan may know."""

from collections.abc import Iterator

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.lambda_functions import MIN_STORAGE_MB
from sizewell.planning.saved_workload import SavedEndpoint, SavedOnDemand
from sizewell.review.cost.charges import Amounts, Charge, Count, by_count, by_use, unknown
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import flag, is_given, mapping, number, with_placeholders

_MB_PER_GB = 1024


@prices("AWS::Lambda::Function")
def function(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the calls of a function cost: as many as the plan says, or else as are made."""
    properties, planned = resource.properties, _planned(resource, stack)
    cpu, memory_mb = _cpu(resource), number(properties.get("MemorySize"))
    if planned is None or memory_mb is None:
        yield from by_use("Lambda", "requests", stack.price("Lambda", "request"))
        yield from by_use("Lambda", f"duration, {cpu}", stack.price("Lambda", f"{cpu}_gb_s"))
        return
    requests, seconds = Amounts.fixed(planned.requests_per_month), planned.service_time_ms / 1000
    yield from by_count("Lambda", "requests", Count(requests, "request"), stack.price("Lambda", "request"))
    warm = "_warm" if planned.average_provisioned_concurrency else ""
    work = Count(requests, "request", memory_mb / _MB_PER_GB * seconds, "GB-seconds")
    yield from by_count("Lambda", f"duration, {cpu}", work, stack.price("Lambda", f"{cpu}{warm}_gb_s"))
    storage_mb = number(mapping(properties.get("EphemeralStorage")).get("Size")) or MIN_STORAGE_MB
    if storage_mb > MIN_STORAGE_MB:
        each = (storage_mb - MIN_STORAGE_MB) / _MB_PER_GB * seconds
        storage = Count(requests, "request", each, "GB-seconds")
        yield from by_count("Lambda", "ephemeral storage", storage, stack.price("Lambda", "storage_gb_s"))


@prices("AWS::Lambda::Alias", "AWS::Lambda::Version")
def function_version(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield the workers that a version or an alias keeps warm: what they cost depends on the memory of their function."""
    config = mapping(resource.properties.get("ProvisionedConcurrencyConfig"))
    if not config:
        return
    provisioned = number(config.get("ProvisionedConcurrentExecutions"))
    named = with_placeholders(resource.written.get("FunctionName")) or ""
    of = stack.resources.get(named.strip("${}"))
    memory_mb = number(of.properties.get("MemorySize")) if of else None
    if of is None or memory_mb is None or provisioned is None:
        yield from unknown("Lambda", "provisioned concurrency")
        return
    planned = _planned(of, stack)
    # Over a month it follows the load and the clock, which only the plan knows.
    expected = planned.average_provisioned_concurrency if planned else provisioned
    count = Amounts(min(provisioned, expected), expected, max(provisioned, expected))
    gb_seconds = memory_mb / _MB_PER_GB * SECONDS_PER_MONTH
    yield from by_count(
        "Lambda",
        "provisioned concurrency",
        Count(count, "unit of provisioned concurrency", gb_seconds, "GB-seconds"),
        stack.price("Lambda", f"{_cpu(of)}_provisioned_gb_s"),
    )


def _planned(function: Resource, stack: PlannedStack) -> SavedOnDemand | None:
    planned = stack.on_demand
    is_planned = planned is not None and function.properties.get("FunctionName") == planned.function_name
    return planned if is_planned else None


def _cpu(function: Resource) -> str:
    return "arm64" if function.properties.get("Architectures") == ["arm64"] else "x86"


@prices("AWS::ApiGateway::RestApi")
def rest_api(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the calls of an API cost: as many as the plan says, or else as are made."""
    planned = stack.workload if isinstance(stack.workload, SavedEndpoint) else stack.on_demand
    api = planned.access.api_gateway if planned and planned.access else None
    price = stack.price("API Gateway", "rest_request")
    if api is None:
        yield from by_use("API Gateway", "requests", price)
        return
    requests = Count(Amounts.fixed(api.requests_per_month), "request")
    yield from by_count("API Gateway", "requests", requests, price)


@prices("AWS::ApiGateway::Stage")
def stage(resource: Resource, _: PlannedStack) -> Iterator[Charge]:
    """Yield the cache of a stage, which is paid by the hour and by its size."""
    if flag(resource.properties.get("CacheClusterEnabled")):
        yield from unknown("API Gateway", "cache")


@prices("AWS::Scheduler::Schedule")
def schedule(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the invocations of a schedule cost."""
    yield from by_use("EventBridge", "schedules", stack.price("EventBridge", "scheduler_invocation"))


@prices("AWS::Events::Rule")
def rule(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what events cost: those of AWS services on the default bus are free."""
    if is_given(resource.written, "EventBusName") and resource.written["EventBusName"] != "default":
        yield from by_use("EventBridge", "custom events", stack.price("EventBridge", "custom_event"))
