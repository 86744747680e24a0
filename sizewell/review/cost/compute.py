"""Functions, state machines, schedules and rules: all of them paid by use."""

from collections.abc import Iterator

from sizewell.review.cost.charges import Charge, by_use, unknown
from sizewell.review.cost.stack_view import RawResource, StackView
from sizewell.review.cost.training import training_charges
from sizewell.review.saved.plan import SavedTrainingJob
from sizewell.templates.values import is_given


def function(resource: RawResource, stack: StackView) -> Iterator[Charge]:
    """Yield what the calls of a function cost."""
    arm = stack.canonical(resource.properties.get("Architectures")) == ["arm64"]
    yield from by_use("Lambda", "requests", stack.price("Lambda", "request"))
    duration = stack.price("Lambda", "arm64_gb_s" if arm else "x86_gb_s")
    yield from by_use("Lambda", f"duration, {'arm64' if arm else 'x86'}", duration)


def function_version(resource: RawResource, _: StackView) -> Iterator[Charge]:
    """Yield the functions that a version or an alias keeps warm: what they cost depends on their memory."""
    if is_given(resource.properties, "ProvisionedConcurrencyConfig"):
        yield from unknown("Lambda", "provisioned concurrency")


def state_machine(resource: RawResource, stack: StackView) -> Iterator[Charge]:
    """Yield what the runs of a state machine cost, and of ours the training jobs that it starts."""
    express = resource.properties.get("StateMachineType") == "EXPRESS"
    price = None if express else stack.price("Step Functions", "state_transition")
    yield from by_use("Step Functions", "express runs" if express else "state transitions", price)
    if isinstance(stack.workload, SavedTrainingJob) and _is_first(resource, stack):
        yield from training_charges(stack.workload, stack)


def schedule(_: RawResource, stack: StackView) -> Iterator[Charge]:
    """Yield what the invocations of a schedule cost."""
    yield from by_use("EventBridge", "schedules", stack.price("EventBridge", "scheduler_invocation"))


def rule(resource: RawResource, stack: StackView) -> Iterator[Charge]:
    """Yield what events cost: those of AWS services on the default bus are free."""
    if is_given(resource.properties, "EventBusName") and resource.properties["EventBusName"] != "default":
        yield from by_use("EventBridge", "custom events", stack.price("EventBridge", "custom_event"))


def _is_first(resource: RawResource, stack: StackView) -> bool:
    machines = stack.of_type(resource.resource_type)
    return next((one.logical_id for one in machines), None) == resource.logical_id
