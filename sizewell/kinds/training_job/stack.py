"""The stack of a training job."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(
    stack="sizewell.stacks.training_stack:TrainingStack", group="training_jobs", outcome="TRAINING"
)
