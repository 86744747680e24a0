"""The plan of a serverless endpoint, as plain data."""

from typing import ClassVar, Literal

from sizewell.planning.on_demand_plan_model import OnDemandPlan


class ServerlessEndpointPlan(OnDemandPlan):
    """One endpoint of SageMaker Serverless Inference."""

    in_vpc: ClassVar[bool] = False

    kind: Literal["serverless-endpoint"] = "serverless-endpoint"
    endpoint_name: str
    variant_name: str
    artifact_key: str
    artifact_compression: Literal["gzip", "none"]
    """Serverless endpoints take a model.tar.gz and nothing else: none is refused."""
    data_gb_per_request: float | None
    """What goes in and out; None where nothing is stated."""
