"""The stack of a tuning job."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.tuning_stack:TuningStack", outcome="TUNING")
