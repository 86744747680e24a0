"""The stack of a processing job."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.processing_stack:ProcessingStack")
