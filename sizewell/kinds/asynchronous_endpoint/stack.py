"""The stack of an asynchronous endpoint."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.endpoint_stack:EndpointStack", group="endpoints")
