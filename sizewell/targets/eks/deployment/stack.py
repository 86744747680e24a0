"""The stack of a model that pods serve."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.pod_stack:PodStack")
