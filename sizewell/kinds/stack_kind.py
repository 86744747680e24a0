"""What synthesis needs to know of a kind of workload: the stack that builds it."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class StackKind:
    """The stack of a kind."""

    module: ClassVar[str] = "stack"

    stack: str
    """``module:Class``; synth alone imports it, because it starts the CDK kernel."""
    group: Literal["endpoints", "training_jobs"] | None = None
    """The attribute of ``Platform`` that holds the stacks of this kind, beside ``stacks``."""
    outcome: Literal["JOB", "TRAINING", "TUNING"] = "JOB"
    """What a pipeline keeps of a run: ``constructs_lib.jobs.pipeline_definition.Outcome``."""

    def stack_class(self) -> Any:
        """Import and return the class of the stack."""
        module, name = self.stack.split(":")
        return getattr(import_module(module), name)
