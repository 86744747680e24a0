"""The plan of a notebook."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.instance_selection.results import NotebookEstimate, Selection
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.workload_plan import InstanceWorkloadPlan, PlanModelKind, SchedulePlan


class NotebookPlan(InstanceWorkloadPlan):
    """One notebook instance."""

    has_variables: ClassVar[bool] = False

    kind: Literal["notebook"] = "notebook"
    notebook_name: str
    instance_type: str
    platform_identifier: str
    volume_size_gib: int
    idle_shutdown_minutes: int
    stops: tuple[SchedulePlan, ...]
    """Every hour outside of the working hours: whoever has started it then."""
    read_prefixes: tuple[str, ...]
    write_prefixes: tuple[str, ...]
    """May be read as well."""
    selection: Selection[NotebookEstimate]

    @property
    def shared_logs(self) -> SharedLogs:
        """Those of its instance."""
        return SharedLogs(of="NotebookInstances", name=self.notebook_name)

    @property
    def quotas(self) -> Iterator[Quota]:
        """That of its instance."""
        yield from instance_quotas("notebook instance", {self.instance_type: 1})


FACET = PlanModelKind(model=NotebookPlan)
