"""Functions, schedules and rules: all of them paid by use."""

from collections.abc import Iterator

from sizewell.review.cost.charges import Charge, by_use, unknown
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import is_given


@prices("AWS::Lambda::Function")
def function(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the calls of a function cost."""
    arm = resource.properties.get("Architectures") == ["arm64"]
    yield from by_use("Lambda", "requests", stack.price("Lambda", "request"))
    duration = stack.price("Lambda", "arm64_gb_s" if arm else "x86_gb_s")
    yield from by_use("Lambda", f"duration, {'arm64' if arm else 'x86'}", duration)


@prices("AWS::Lambda::Alias", "AWS::Lambda::Version")
def function_version(resource: Resource, _: PlannedStack) -> Iterator[Charge]:
    """Yield the functions that a version or an alias keeps warm: what they cost depends on their memory."""
    if is_given(resource.written, "ProvisionedConcurrencyConfig"):
        yield from unknown("Lambda", "provisioned concurrency")


@prices("AWS::Scheduler::Schedule")
def schedule(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the invocations of a schedule cost."""
    yield from by_use("EventBridge", "schedules", stack.price("EventBridge", "scheduler_invocation"))


@prices("AWS::Events::Rule")
def rule(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what events cost: those of AWS services on the default bus are free."""
    if is_given(resource.written, "EventBusName") and resource.written["EventBusName"] != "default":
        yield from by_use("EventBridge", "custom events", stack.price("EventBridge", "custom_event"))
