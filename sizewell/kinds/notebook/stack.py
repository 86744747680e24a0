"""The stack of a notebook."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.notebook_stack:NotebookStack")
