"""Everything that one tuning workload needs, in one construct."""

from dataclasses import dataclass

from constructs_lib.job_kind import TUNING
from constructs_lib.job_state_machine import JobStateMachine
from constructs_lib.training_state_machine import TrainingStateMachineProps
from constructs_lib.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.tuning_search import TuningSearch, check_training_of
from constructs_lib.tuning_state_machine import TuningStateMachine


@dataclass(frozen=True, kw_only=True)
class TuningWorkflowProps(TrainingWorkflowProps):
    """A training workload whose ``job`` is repeated with other hyperparameters; its attempts are the types of each training.

    Raises ``TuningJobError`` for a job that a tuning cannot repeat.
    """

    search: TuningSearch

    def __post_init__(self) -> None:
        """Check the job against the search."""
        check_training_of(self.search, self.job)


class TuningWorkflow(TrainingWorkflow):
    """Execution role, state machine, schedule and alarms of one tuning workload."""

    kind = TUNING

    def _add_machine(
        self, workflow: TrainingWorkflowProps, props: TrainingStateMachineProps
    ) -> JobStateMachine:
        assert isinstance(workflow, TuningWorkflowProps)
        return TuningStateMachine(self, "Workflow", props=props, search=workflow.search)
