"""The stack of a training that AWS Batch runs."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.batch_stack:BatchStack")
