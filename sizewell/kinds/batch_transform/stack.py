"""The stack of a batch transform."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.transform_stack:BatchTransformStack")
