"""The stack of a model that tasks serve."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.task_stack:TaskStack")
