"""The plan: every decision of one environment, as plain data.

Pure and deterministic: the same configuration and catalog give the same bytes. Stacks read it and decide nothing;
``plan.json`` beside the templates is this model.
"""

from typing import Annotated, Any, TypeVar

from pydantic import Field, PlainValidator, SerializeAsAny

from sizewell.kinds.registry import facet
from sizewell.planning.bill_plan import Bill
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.quotas import QuotaPlan
from sizewell.planning.saved_files import PLAN_VERSION
from sizewell.planning.workload_plan import InstanceWorkloadPlan, PlanModel, PlanModelKind, WorkloadPlan

P = TypeVar("P", bound=WorkloadPlan)


def _of_its_kind(workload: Any) -> WorkloadPlan:
    """Return the plan of a workload, of the model of its kind. Raises ``UnknownKindError``."""
    if isinstance(workload, WorkloadPlan):
        return workload
    return facet(workload["kind"], PlanModelKind).model.model_validate(workload)


AnyWorkloadPlan = Annotated[SerializeAsAny[WorkloadPlan], PlainValidator(_of_its_kind)]


class WorkingHoursPlan(PlanModel):
    """When people work; at all other times what can stop is stopped."""

    weekdays: tuple[str, ...]
    start: str
    end: str
    time_zone: str
    hours_per_week: float


class DeploymentPlan(PlanModel):
    """One environment."""

    schema_version: int = PLAN_VERSION
    platform: str
    environment: str
    account: str
    region: str
    production: bool
    catalog_version: str
    """A digest of the catalog's data: the same choice can be made again."""
    nag_packs: tuple[str, ...]
    tags: dict[str, str] = Field(default={})
    """Of everything, beside platform and environment."""
    working_hours: WorkingHoursPlan | None = None
    """None runs everything at all hours."""
    role_path: str | None = None
    """The IAM path of every role and managed policy; None is /."""
    foundation: FoundationPlan
    places: tuple[FoundationPlan, ...] = ()
    """Of what runs in other accounts and regions."""
    workloads: tuple[AnyWorkloadPlan, ...]
    """By kind, then by place, and in the order of the configuration."""
    bill: Bill
    quotas: tuple[QuotaPlan, ...] = ()
    """What each account must be allowed in each region, by name."""

    @property
    def on_instances(self) -> tuple[InstanceWorkloadPlan, ...]:
        """Those whose instance type is chosen, and locked: of an endpoint, each of its variants."""
        return tuple(choice for workload in self.workloads for choice in workload.choices)

    @property
    def endpoints(self) -> tuple[EndpointPlan, ...]:
        """What SageMaker serves on instances."""
        return self.of(EndpointPlan)

    def of(self, model: type[P]) -> tuple[P, ...]:
        """Return the workloads whose plans are of a model."""
        return tuple(workload for workload in self.workloads if isinstance(workload, model))

    @property
    def foundations(self) -> dict[str | None, FoundationPlan]:
        """By the name of the place, that of the policy first."""
        return {foundation.place: foundation for foundation in (self.foundation, *self.places)}
