"""The stack of one tuning job."""

from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.jobs.tuning_search import SearchedRange, TuningSearch
from constructs_lib.jobs.tuning_workflow import TuningWorkflow, TuningWorkflowProps
from sizewell.kinds.tuning_job.plan_model import TuningJobPlan
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.stacks.training_stack import TrainingStack


class TuningStack(TrainingStack):
    """State machine, schedule and alarms of one workload: ``training`` is a ``TuningWorkflow``."""

    def _add_workflow(self, plan: TrainedModelPlan, props: TrainingWorkflowProps) -> TrainingWorkflow:
        assert isinstance(plan, TuningJobPlan)
        ranges = tuple(SearchedRange(**dict(searched)) for searched in plan.search.ranges)
        search = TuningSearch(**{**dict(plan.search), "ranges": ranges})
        return TuningWorkflow(self, "Tuning", props=TuningWorkflowProps(**vars(props), search=search))
