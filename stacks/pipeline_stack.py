"""The stack of one pipeline."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.pipeline import Pipeline, PipelineProps
from constructs_lib.jobs.pipeline_definition import Outcome, QualityGate, RegisterStep, RunStep
from sizewell.kinds.pipeline.plan_model import PipelinePlan, RegisterStepPlan, RunStepPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.schedule_timing import schedule_timing, start_events

_OUTCOMES = {"training-job": Outcome.TRAINING, "tuning-job": Outcome.TUNING}


class PipelineStack(Stack):
    """State machine, schedule, alarms and model groups of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    pipeline: Pipeline

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: PipelinePlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.pipeline = Pipeline(
            self,
            "Pipeline",
            props=PipelineProps(
                workload_name=plan.name,
                state_machine_name=plan.state_machine_name,
                levels=[[_step(step) for step in level] for level in plan.levels],
                time_limit_s=plan.time_limit_s,
                schedule=schedule_timing(plan.schedule),
                events=start_events(plan.starts_on),
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                report_success=plan.report_success,
            ),
        )


def _step(step: RunStepPlan | RegisterStepPlan) -> RunStep | RegisterStep:
    if isinstance(step, RegisterStepPlan):
        return RegisterStep(
            name=step.name,
            trained_by=step.trained_by,
            group=step.group,
            group_name=step.group_name,
            image_uri=step.image.uri,
            is_approved=step.is_approved,
        )
    return RunStep(
        name=step.name,
        state_machine_name=step.state_machine_name,
        time_limit_s=step.time_limit_s,
        outcome=_OUTCOMES.get(step.workload_kind, Outcome.JOB),
        takes_hyperparameters=step.workload_kind == "training-job",
        reads=step.reads,
        gates=tuple(QualityGate(**dict(gate)) for gate in step.gates),
    )
