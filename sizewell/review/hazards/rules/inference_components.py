"""Inference components: how many copies of a model an endpoint runs.

SageMaker API reference, InferenceComponentRuntimeConfig: CopyCount is the number of copies that are deployed;
UpdateInferenceComponent takes it, and has no member that retains what runs, as UpdateEndpoint has.
"""

from collections.abc import Iterator

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import moved
from sizewell.templates.template import Resource, ResourcePair
from sizewell.templates.values import mapping, number, references_in, text
from sizewell.templates.variant_scaling import TARGET

COMPONENT = "AWS::SageMaker::InferenceComponent"


def component_name(component: Resource) -> str:
    """Return the name of an inference component; the path of its construct where CloudFormation makes the name up."""
    return text(component.properties.get("InferenceComponentName")) or component.path


@hazard_rule("availability")
def copies_lowered(environment: Environment) -> Iterator[Found]:
    """An inference component has fewer copies or none, or is removed."""
    for pair in environment.diff.resources(COMPONENT):
        base, head = (
            side if side and side.resource_type == COMPONENT else None for side in (pair.base, pair.head)
        )
        if base is None:
            continue
        if head is None:
            if not _goes_with_its_endpoint(environment, pair, base):
                yield _found(environment, pair, base, f"copies {moved(_copies(base), None)}", none_left=True)
            continue
        before, after = _copies(base), _copies(head)
        if before is not None and after is not None and after < before:
            yield _found(environment, pair, base, f"CopyCount {moved(before, after)}", none_left=after == 0)


@hazard_rule("availability")
def copies_reset(environment: Environment) -> Iterator[Found]:
    """An update of an inference component resets the number of copies that autoscaling had set."""
    for pair in environment.diff.resources(COMPONENT):
        base, head = pair.base, pair.head
        if base is None or head is None or pair.stack.head is None:
            continue
        name = component_name(head)
        change = environment.diff.change_of(pair.stack.name, head.logical_id)
        is_scaled = any(
            resource.resource_type == TARGET
            and text(resource.properties.get("ResourceId")) == f"inference-component/{name}"
            for resource in pair.stack.head.resources.values()
        )
        if change is None or change.action is None or not is_scaled or _copies(head) is None:
            continue
        yield Found(
            "warning",
            pair.stack.name,
            head.logical_id,
            f"inference component {name}",
            f"autoscaled, and updated with CopyCount {_copies(head):g}",
            f"UpdateInferenceComponent sets CopyCount as well. It removes the copies above {_copies(head):g} that autoscaling "
            "had added, and autoscaling adds them again as it sees the load.",
            "Deploy at a quiet hour, or set min_copies to the copies that run now (CurrentCopyCount of "
            "DescribeInferenceComponent) for this deployment.",
        )


def _goes_with_its_endpoint(environment: Environment, pair: ResourcePair, base: Resource) -> bool:
    """Tell whether another hazard says it: the endpoint or the whole stack goes, or the component moves."""
    if pair.stack.head is None or pair.head is not None:
        return True
    if (pair.stack.name, pair.logical_id) in environment.diff.moved:
        return True
    gone = environment.diff.removed_ids.get(pair.stack.name, frozenset())
    return any(
        reference.name in gone for reference in references_in([base.properties.get("EndpointName")])
    ) or any(
        endpoint.head is None
        for endpoint in environment.diff.endpoints_named(text(base.properties.get("EndpointName")))
    )


def _found(
    environment: Environment, pair: ResourcePair, base: Resource, cause: str, *, none_left: bool
) -> Found:
    return Found(
        "danger" if none_left and environment.production else "warning",
        pair.stack.name,
        pair.logical_id,
        f"inference component {component_name(base)}",
        cause,
        "No copy of the model is left, and every request to the component fails."
        if none_left
        else "Fewer copies answer the same requests. Latency rises, and requests are throttled at peak.",
        "Make sure that no client calls it. Its metric Invocations must be zero."
        if none_left
        else "Make sure that the remaining copies carry the peak traffic.",
    )


def _copies(component: Resource) -> float | None:
    return number(mapping(component.properties.get("RuntimeConfig")).get("CopyCount"))
