"""The stack of a serverless endpoint."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.serverless_stack:ServerlessStack")
