"""The same resource under another logical id: what it does goes on, although the old one is gone."""

from collections.abc import Sequence

from sizewell.templates.template import Resource, StackPair


def has_the_same(stack: StackPair, gone: Resource, properties: Sequence[str]) -> bool:
    """Tell whether head has a new resource of the type with equal properties of these names."""
    base, head = (side.resources if side else {} for side in (stack.base, stack.head))
    return any(
        resource.resource_type == gone.resource_type
        and logical_id not in base
        and all(resource.properties.get(name) == gone.properties.get(name) for name in properties)
        for logical_id, resource in head.items()
    )
