"""Scaling bounds and policies that leave less capacity than before."""

from collections.abc import Iterator
from typing import Any

from sizewell.planning.saved_workload import SavedEndpoint
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.words import counted, moved, shown
from sizewell.templates.endpoints import EndpointChange, Variant
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, number
from sizewell.templates.variant_scaling import VariantScaling

#: Targets that are raised by more make instances noticeably hotter.
_HOTTER = 1.2
#: An upper bound that is raised by this factor, and by this many instances, is another bill.
_MUCH_MORE, _MANY_INSTANCES = 4, 10
_PROVISIONED = ("ProvisionedConcurrencyConfig", "ProvisionedConcurrentExecutions")
#: Where a template says how many requests a function answers at the same time.
_FUNCTION_CONCURRENCY = {
    "AWS::Lambda::Function": ("ReservedConcurrentExecutions",),
    "AWS::Lambda::Alias": _PROVISIONED,
    "AWS::Lambda::Version": _PROVISIONED,
}
#: A cooldown that is cut to less than this share is another behaviour.
_MUCH_SHORTER = 0.5


def _scaled(
    environment: EnvironmentPair,
) -> Iterator[tuple[EndpointChange, Variant, Variant, VariantScaling, VariantScaling]]:
    """Yield the variants that are autoscaled on both sides."""
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            before, after = endpoint.base.scaling.get(base.name), endpoint.head.scaling.get(head.name)
            if before and after:
                yield endpoint, base, head, before, after


def _subject(endpoint: EndpointChange, variant: Variant) -> str:
    return f"variant {variant.name} of {endpoint.subject}"


@hazard_rule("availability")
def capacity_lowered(environment: EnvironmentPair) -> Iterator[Found]:
    """The maximum number of instances falls below the old minimum, or below what the average traffic needs."""
    for endpoint, _, head, before, after in _scaled(environment):
        if before.maximum is None or after.maximum is None or after.maximum >= before.maximum:
            continue
        average = _average(environment, endpoint, head)
        if before.minimum is not None and after.maximum < before.minimum:
            bound = f"below the old minimum of {counted(before.minimum, 'instance')}"
        elif average is not None and after.maximum < average:
            bound = f"below what the average traffic needs, {counted(average, 'instance')}"
        else:
            continue
        yield Found(
            "warning",
            after.stack,
            after.logical_id,
            _subject(endpoint, head),
            f"maximum number of instances {moved(before.maximum, after.maximum)}, {bound}",
            "Autoscaling stops instances that serve now, and may not start them again. Latency rises, and requests fail at "
            "peak.",
            "Check the traffic of the last weeks, or keep the maximum. A high maximum costs nothing until it is needed.",
        )


@hazard_rule("money")
def capacity_raised(environment: EnvironmentPair) -> Iterator[Found]:
    """The maximum number of instances rises many times over, which the expected cost does not show."""
    for endpoint, _, head, before, after in _scaled(environment):
        if before.maximum is None or after.maximum is None:
            continue
        added = after.maximum - before.maximum
        if added >= _MANY_INSTANCES and after.maximum >= before.maximum * _MUCH_MORE:
            yield Found(
                "warning",
                after.stack,
                after.logical_id,
                _subject(endpoint, head),
                f"maximum number of instances {moved(before.maximum, after.maximum)}",
                f"A burst of requests, or a wrong metric, may now start {counted(added, 'more instance')} of "
                f"{head.instance_type or 'the variant'}. The expected cost stays the same, but the highest possible cost rises.",
                "Check the highest cost in the cost section, keep a budget alarm, and make sure that the quota allows the "
                "instances.",
            )


@hazard_rule("availability")
def concurrency_lowered(environment: EnvironmentPair) -> Iterator[Found]:
    """A serverless variant answers fewer requests at the same time."""
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            before, after = (mapping(variant.properties.get("ServerlessConfig")) for variant in (base, head))
            causes = [
                f"{key} {moved(was, now)}"
                for key in ("MaxConcurrency", "ProvisionedConcurrency")
                if (was := number(before.get(key))) is not None
                and (now := number(after.get(key))) is not None
                and now < was
            ]
            if causes:
                yield Found(
                    "warning",
                    endpoint.stack,
                    endpoint.logical_id,
                    _subject(endpoint, head),
                    "; ".join(causes),
                    "SageMaker throttles concurrent requests above MaxConcurrency. It starts a container, which takes seconds, "
                    "for requests above ProvisionedConcurrency.",
                    "Check ConcurrentExecutions and the throttled invocations of the last weeks.",
                )


@hazard_rule("availability")
def function_concurrency_lowered(environment: EnvironmentPair) -> Iterator[Found]:
    """A Lambda function, or an alias or version of it, answers fewer requests at the same time."""
    for resource_type, path in _FUNCTION_CONCURRENCY.items():
        for stack, base, head in environment.diff.kept(resource_type):
            was, now = (number(_at(resource, path)) for resource in (base, head))
            if was is None or now is None or now >= was:
                continue
            yield Found(
                "warning",
                stack,
                head.logical_id,
                f"function {head.path}",
                f"{path[-1]} {moved(was, now)}",
                "Lambda throttles concurrent requests above ReservedConcurrentExecutions. It starts an execution environment, "
                "which takes seconds, for requests above the provisioned concurrency.",
                "Check ConcurrentExecutions and Throttles of the last weeks.",
            )


def _at(resource: Resource, path: tuple[str, ...]) -> Any:
    value: Any = resource.properties
    for key in path:
        value = mapping(value).get(key)
    return value


def _average(environment: EnvironmentPair, endpoint: EndpointChange, variant: Variant) -> int | None:
    workload = environment.workload_of_stack(endpoint.stack)
    planned = workload.variant(variant.name) if isinstance(workload, SavedEndpoint) else None
    if planned is not None and planned.instance_type == variant.instance_type:
        return planned.selection.chosen.estimate.instances_at_average
    return None


@hazard_rule("availability")
def scaling_removed(environment: EnvironmentPair) -> Iterator[Found]:
    """A variant is no longer autoscaled."""
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            before = endpoint.base.scaling.get(base.name)
            if before is None or head.name in endpoint.head.scaling or head.managed_scaling:
                continue
            bounds = f"{shown(before.minimum)} to {counted(before.maximum, 'instance')}"
            yield Found(
                "warning",
                endpoint.stack,
                endpoint.logical_id,
                _subject(endpoint, head),
                f"autoscaling from {bounds} is removed",
                "The variant keeps the number of instances that it has at the deployment. That may be too few at peak, or too "
                "many at all other times.",
                "Keep autoscaling. Otherwise set the number of instances that the peak needs, and check it after the "
                "deployment.",
            )


@hazard_rule("availability")
def scaling_target_raised(environment: EnvironmentPair) -> Iterator[Found]:
    """Each instance of the same type carries over 20 % more before autoscaling starts another one."""
    for endpoint, base_variant, head, before, after in _scaled(environment):
        if base_variant.instance_type != head.instance_type:
            continue
        for metric in sorted(before.targets.keys() & after.targets.keys()):
            base, target = before.targets[metric], after.targets[metric]
            if base > 0 and target > base * _HOTTER:
                yield Found(
                    "warning",
                    after.stack,
                    after.logical_id,
                    _subject(endpoint, head),
                    f"TargetValue of {metric} {moved(base, target)} ({target / base - 1:+.0%})",
                    "Each instance of the same type carries more before autoscaling starts another one. Latency rises, and "
                    "less capacity is left for a sudden peak.",
                    "Make sure that a load test on this type has shown that one instance carries this load.",
                )


@hazard_rule("availability")
def scale_in_cooldown_shortened(environment: EnvironmentPair) -> Iterator[Found]:
    """Autoscaling stops one instance after another much sooner."""
    for endpoint, _, head, before, after in _scaled(environment):
        for metric in sorted(before.scale_in_cooldowns_s.keys() & after.scale_in_cooldowns_s.keys()):
            base, cooldown = before.scale_in_cooldowns_s[metric], after.scale_in_cooldowns_s[metric]
            if cooldown < base * _MUCH_SHORTER:
                yield Found(
                    "notice",
                    after.stack,
                    after.logical_id,
                    _subject(endpoint, head),
                    f"scale-in cooldown of {metric} {moved(base, cooldown)} seconds",
                    "Autoscaling stops one instance after another sooner. If traffic comes and goes, it stops instances that "
                    "it starts again minutes later.",
                    "Keep the cooldown longer than a new instance needs to start.",
                )
