"""The stack of a model whose tasks work off a queue."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.task_worker_stack:TaskWorkerStack")
