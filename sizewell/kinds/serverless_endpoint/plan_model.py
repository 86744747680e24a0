"""The plan of a serverless endpoint, as plain data."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from sizewell.facts.endpoint_metrics import variant_dimensions
from sizewell.facts.quotas import SERVERLESS_CONCURRENCY, Quota
from sizewell.planning.observed_model import ObservedModel
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.planned_variant import PlannedVariant
from sizewell.planning.workload_plan import AccessPlan, ImagePlan, ModelPackagePlan, PlanModelKind


class ServerlessEndpointPlan(OnDemandPlan):
    """One endpoint of SageMaker Serverless Inference."""

    in_vpc: ClassVar[bool] = False

    kind: Literal["serverless-endpoint"] = "serverless-endpoint"
    endpoint_name: str
    access: AccessPlan | None = None
    """Who may invoke it; None gives nobody the permission."""
    variant_name: str
    image: ImagePlan | None
    """None where a model package names it, and the artifact."""
    artifact_key: str | None
    artifact_compression: Literal["gzip", "none"]
    """Serverless endpoints take a model.tar.gz and nothing else: none is refused."""
    model_package: ModelPackagePlan | None = None
    data_gb_per_request: float | None
    """What goes in and out; None where nothing is stated."""

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return (self.image,) if self.image else ()

    @property
    def observed(self) -> Iterator[ObservedModel]:
        """Its model; of its workers only memory is published."""
        variant = variant_dimensions(self.endpoint_name, self.variant_name)
        yield ObservedModel(
            endpoint_name=self.endpoint_name,
            variant_name=self.variant_name,
            load=(variant,),
            host=variant,
            host_metrics=("MemoryUtilization",),
        )

    @property
    def planned_variants(self) -> Iterator[PlannedVariant]:
        """Its one variant."""
        yield PlannedVariant(
            endpoint_name=self.endpoint_name,
            variant_name=self.variant_name,
            memory_mb=self.memory_mb,
            max_concurrency=self.max_concurrency,
        )

    @property
    def quotas(self) -> Iterator[Quota]:
        """Requests that are answered at the same time."""
        yield Quota("sagemaker", SERVERLESS_CONCURRENCY, self.max_concurrency)


FACET = PlanModelKind(model=ServerlessEndpointPlan)
