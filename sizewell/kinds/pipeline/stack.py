"""The stack of a pipeline."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.pipeline_stack:PipelineStack")
