"""The stack of one notebook."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.notebook.notebook import Notebook, NotebookProps
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.schedule_timing import schedule_timing


class NotebookStack(Stack):
    """Notebook instance, role and schedules of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the data key: tokens of this stack."""
    notebook: Notebook

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: NotebookPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.notebook = Notebook(
            self,
            "Notebook",
            props=NotebookProps(
                notebook_name=plan.notebook_name,
                instance_type=plan.instance_type,
                platform_identifier=plan.platform_identifier,
                volume_size_gib=plan.volume_size_gib,
                idle_shutdown_minutes=plan.idle_shutdown_minutes,
                stops=tuple(timing for stop in plan.stops if (timing := schedule_timing(stop))),
                read_prefixes=plan.read_prefixes,
                write_prefixes=plan.write_prefixes,
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
            ),
        )
