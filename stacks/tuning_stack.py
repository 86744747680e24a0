"""The stack of one tuning job."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation_parameters import read_foundation_references
from constructs_lib.references import FoundationReferences
from constructs_lib.tuning_search import (
    CategoricalRange,
    IntervalRange,
    TuningObjective,
    TuningSearch,
    WarmStart,
)
from constructs_lib.tuning_workflow import TuningWorkflow, TuningWorkflowProps
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.tuning_plan_model import RangePlan, SearchPlan, TuningJobPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.schedule_timing import schedule_timing
from sizewell.stacks.training_stack import training_job_props


class TuningStack(Stack):
    """State machine, schedule and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    tuning: TuningWorkflow

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: TuningJobPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.tuning = TuningWorkflow(
            self,
            "Tuning",
            props=TuningWorkflowProps(
                workload_name=plan.name,
                state_machine_name=plan.state_machine_name,
                job=training_job_props(plan),
                search=_search(plan.search),
                image_repository_arn=plan.image.repository_arn,
                schedule=schedule_timing(plan.schedule),
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
            ),
        )


def _search(plan: SearchPlan) -> TuningSearch:
    objective, start = plan.objective, plan.warm_start
    return TuningSearch(
        strategy=_word(plan.strategy),
        objective=TuningObjective(
            metric_name=objective.metric, goal=_word(objective.goal), regex=objective.regex
        ),
        ranges=tuple(map(_range, plan.ranges)),
        max_jobs=plan.max_jobs,
        max_parallel_jobs=plan.max_parallel_jobs,
        max_runtime_s=plan.max_runtime_s,
        early_stopping=plan.early_stopping,
        hyperband_max_resource=plan.hyperband_max_epochs,
        warm_start=WarmStart(parents=start.parents, warm_start_type=_word(start.type)) if start else None,
    )


def _range(plan: RangePlan) -> IntervalRange | CategoricalRange:
    if plan.scaling is None:
        return CategoricalRange(name=plan.name, values=plan.values)
    low, high = plan.values
    return IntervalRange(
        name=plan.name,
        kind=_word(plan.type),
        min_value=low,
        max_value=high,
        scaling_type=_word(plan.scaling),
    )


def _word(name: str) -> Any:
    """Return how the API writes a word of the plan: ReverseLogarithmic of reverse-logarithmic."""
    return "".join(part.capitalize() for part in name.split("-"))
