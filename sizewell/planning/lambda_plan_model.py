"""The plan of a Lambda function, as plain data."""

from typing import Literal

from sizewell.facts.lambda_functions import MIN_STORAGE_MB
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.workload_plan import ImagePlan


class LambdaFunctionPlan(OnDemandPlan):
    """One Lambda function with a version and an alias."""

    kind: Literal["lambda-function"] = "lambda-function"
    function_name: str
    image: ImagePlan
    architecture: Literal["x86_64", "arm64"]
    artifact_key: str | None
    """What the function loads from the artifact bucket; None where the model is in the image."""
    ephemeral_storage_mb: int
    """Of /tmp."""
    timeout_s: int
    """When Lambda ends a call."""

    @property
    def paid_storage_gb_seconds_per_request(self) -> float:
        """What /tmp has beyond the part that is free."""
        return (self.ephemeral_storage_mb - MIN_STORAGE_MB) / 1024 * self.service_time_ms / 1000
