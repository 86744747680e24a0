"""The stack of an endpoint of inference components."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.component_stack:ComponentStack")
