"""The stack of a batch transform in a cluster."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.pod_stack:TransformPodStack")
