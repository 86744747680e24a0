"""The stack of one notebook."""

from typing import Any

from constructs import Construct

from constructs_lib.notebook.notebook import Notebook, NotebookProps
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.stacks.schedule_timing import schedule_timing
from sizewell.stacks.workload_stack import WorkloadStack


class NotebookStack(WorkloadStack):
    """Notebook instance, role and schedules of one workload."""

    notebook: Notebook

    def __init__(self, scope: Construct, construct_id: str, *, plan: NotebookPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        stops = tuple(timing for stop in plan.stops if (timing := schedule_timing(stop)))
        self.notebook = Notebook(self, "Notebook", props=self.props(NotebookProps, plan, stops=stops))
