"""The stack of a batch transform that AWS Batch runs."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.batch_stack:TransformByBatchStack")
