"""The plan: every decision of one environment, as plain data.

Pure and deterministic: the same configuration and catalog give the same bytes. Stacks read it and decide nothing;
``plan.json`` beside the templates is this model.
"""

from typing import Annotated

from pydantic import Field

from sizewell.planning.bill_plan import Bill
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.pipeline_plan_model import PipelinePlan
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.quotas import QuotaPlan
from sizewell.planning.saved_files import PLAN_VERSION
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan
from sizewell.planning.training_plan_model import TrainingJobPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.tuning_plan_model import TuningJobPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan, PlanModel

#: What runs and ends, as a state machine.
JobPlan = BatchTransformPlan | ProcessingJobPlan | TrainingJobPlan | TuningJobPlan
InstanceWorkload = VariantPlan | ComponentEndpointPlan | JobPlan | NotebookPlan
AnyWorkloadPlan = Annotated[
    EndpointPlan
    | ServerlessEndpointPlan
    | LambdaFunctionPlan
    | ComponentEndpointPlan
    | JobPlan
    | PipelinePlan
    | NotebookPlan,
    Field(discriminator="kind"),
]


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
    def on_instances(self) -> tuple[InstanceWorkload, ...]:
        """Those whose instance type is chosen, and locked: of an endpoint, each of its variants."""
        return tuple(
            choice
            for one in self.workloads
            if isinstance(one, InstanceWorkloadPlan)
            for choice in (one.variants if isinstance(one, EndpointPlan) else (one,))
        )

    @property
    def endpoints(self) -> tuple[EndpointPlan, ...]:
        """What SageMaker serves on instances."""
        return tuple(one for one in self.workloads if isinstance(one, EndpointPlan))

    @property
    def batch_transforms(self) -> tuple[BatchTransformPlan, ...]:
        """What runs rows through a model, job by job."""
        return tuple(one for one in self.workloads if isinstance(one, BatchTransformPlan))

    @property
    def processing_jobs(self) -> tuple[ProcessingJobPlan, ...]:
        """What runs a script over data."""
        return tuple(one for one in self.workloads if isinstance(one, ProcessingJobPlan))

    @property
    def training_jobs(self) -> tuple[TrainingJobPlan, ...]:
        """What trains."""
        return tuple(one for one in self.workloads if isinstance(one, TrainingJobPlan))

    @property
    def tuning_jobs(self) -> tuple[TuningJobPlan, ...]:
        """What trains many times over, in search of the best hyperparameters."""
        return tuple(one for one in self.workloads if isinstance(one, TuningJobPlan))

    @property
    def foundations(self) -> dict[str | None, FoundationPlan]:
        """By the name of the place, that of the policy first."""
        return {one.place: one for one in (self.foundation, *self.places)}
