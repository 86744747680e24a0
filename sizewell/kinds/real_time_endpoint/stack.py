"""The stack of a real-time endpoint."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.endpoint_stack:EndpointStack", group="endpoints")
