"""A development notebook, which stops when nobody works with it and when the working day ends."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import S3Key, fault
from sizewell.config.effects import Below, OnChange, OnItems, OnNumber, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.host_needs import Accelerators, MemoryGib, Vcpus
from sizewell.config.instances import InstanceConstraints, OnInstances
from sizewell.config.kind import ConfigKind
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.request_members import Violation
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.config.time_zones import time_zone_violations
from sizewell.config.tree import KeyPath
from sizewell.config.working_hours import WorkingHours
from sizewell.facts.notebook_instances import VOLUME_BOUNDS_GIB

Prefixes = Annotated[tuple[S3Key, ...], Field(max_length=20)]


class Notebook(OnInstances):
    """A SageMaker notebook instance for development: JupyterLab in the VPC, without internet access and root."""

    kind: Literal["notebook"]
    """The workload is a SageMaker notebook instance; policy.allow_notebooks must allow it."""
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has, beside and before those of the environment."""
    vcpus: Vcpus = 2
    """The least number of vCPUs."""
    memory_gib: MemoryGib = 4
    """The least memory of the host in GiB."""
    accelerators: Accelerators = 0
    """The least number of NVIDIA GPUs; 0 takes a type without any where that is cheaper."""
    volume_gib: Annotated[
        int,
        Field(ge=VOLUME_BOUNDS_GIB[0], le=VOLUME_BOUNDS_GIB[1]),
        OnNumber("AWS refuses it: a volume never shrinks", "the volume grows, and costs more"),
    ] = 20
    """The size of the volume in GiB, on which all notebooks are; it is paid for at all hours, and never shrinks."""
    idle_shutdown_minutes: Annotated[
        int, Field(ge=10, le=1440), OnNumber("stops earlier without work", "stops later without work")
    ] = 60
    """Minutes without work in any kernel or terminal after which it stops."""
    working_hours: Annotated[
        WorkingHours, Below(OnChange("it is stopped at other times")), SelectionNeed.TIMES
    ]
    """When it may run; at any other time it is stopped within the hour, whoever has started it."""
    hours_per_month: Annotated[
        Annotated[float, Field(ge=0.1, le=744)] | None,
        OnNumber("is paid for fewer hours", "is paid for more hours"),
        SelectionNeed.TIMES,
    ] = None
    """Hours that it runs in a month, for the bill; by default all working hours."""
    read_prefixes: Annotated[
        Prefixes, OnItems(lost="{items} may not be read any more", gained="{items} may be read")
    ] = ()
    """Prefixes of the artifact bucket that it may read."""
    write_prefixes: Annotated[
        Prefixes,
        OnItems(lost="{items} may not be written any more", gained="{items} may be read and written"),
    ] = ()
    """Prefixes of the artifact bucket that it may read and write."""
    instances: Annotated[InstanceConstraints, SelectionNeed.INSTANCES] = InstanceConstraints()
    """Limits on the choice of the instance type, which must meet every need all the same."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in; by default policy.account and policy.region."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that people in the notebook work as, in place of one that is made for it; it must allow
    sagemaker:StopNotebookInstance."""

    @model_validator(mode="after")
    def _hours_are_working_hours(self) -> Self:
        most = self.working_hours.hours_per_month
        if self.hours_per_month is not None and self.hours_per_month > most:
            raise fault(
                "hours_per_month",
                f"is {self.hours_per_month:g}, but working_hours has {most:.0f} in a month, and it is stopped at all others",
            )
        return self

    def contained(self) -> Mapping[KeyPath, Any]:
        """Return nothing: SageMaker chooses what a notebook runs in."""
        return {}

    @property
    def paid_hours_per_month(self) -> float:
        """Hours that it runs in a month, stated or not."""
        return self.hours_per_month or self.working_hours.hours_per_month


def _rules(environment: Environment, name: str, notebook: Notebook) -> Iterator[Violation]:
    if not environment.policy.allow_notebooks:
        yield (
            ("workloads", name, "kind"),
            "notebooks are not allowed in this environment: state the workload in the file of an environment for development, "
            f"with policy.allow_notebooks: true there; if base.yaml has it, write {name}: null here",
        )
    path = ("workloads", name, "working_hours", "time_zone")
    yield from time_zone_violations(path, notebook.working_hours.time_zone)


FACET = ConfigKind(rank=12, model=Notebook, rules=_rules)
