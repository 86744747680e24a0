"""The stack of one pipeline."""

from typing import Any

from constructs import Construct

from constructs_lib.jobs.pipeline import Pipeline, PipelineProps
from constructs_lib.jobs.pipeline_definition import Outcome, QualityGate, RegisterStep, RunStep
from sizewell.kinds.pipeline.plan_model import PipelinePlan, RegisterStepPlan, RunStepPlan
from sizewell.kinds.registry import facet
from sizewell.kinds.stack_kind import StackKind
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of


class PipelineStack(WorkloadStack):
    """State machine, schedule, alarms and model groups of one workload."""

    pipeline: Pipeline

    def __init__(self, scope: Construct, construct_id: str, *, plan: PipelinePlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.pipeline = Pipeline(
            self,
            "Pipeline",
            props=self.props(
                PipelineProps,
                plan,
                workload_name=plan.name,
                levels=[[_step(step) for step in level] for level in plan.levels],
                **start_props(plan),
            ),
        )


def _step(step: RunStepPlan | RegisterStepPlan) -> RunStep | RegisterStep:
    if isinstance(step, RegisterStepPlan):
        return props_of(RegisterStep, step, image_uri=step.image.uri)
    outcome = Outcome[facet(step.workload_kind, StackKind).outcome]
    return props_of(
        RunStep,
        step,
        outcome=outcome,
        takes_hyperparameters=outcome is Outcome.TRAINING,
        gates=tuple(props_of(QualityGate, gate) for gate in step.gates),
    )
