"""The stack of a training in a cluster."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.pod_stack:JobPodStack")
