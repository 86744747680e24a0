"""The stack of a model whose pods work off a queue."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.queue_worker_stack:QueueWorkerStack")
