"""The plan of a Lambda function, as plain data."""

from collections.abc import Iterator
from typing import Literal

from sizewell.facts.codedeploy import ShiftStrategy
from sizewell.facts.lambda_functions import MIN_STORAGE_MB
from sizewell.facts.quotas import FUNCTION_CONCURRENCY, Quota
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.workload_plan import AlarmPlan, ImagePlan, PlanModel, PlanModelKind


class LambdaRolloutPlan(PlanModel):
    """How CodeDeploy moves the traffic of the alias to a new version."""

    strategy: ShiftStrategy
    share_percent: int
    """Of the traffic: what moves first, or at a time."""
    wait_interval_s: int
    shift_s: int
    """From the first step to the last."""
    alarms: dict[str, AlarmPlan]
    """Of the new version alone, which call it back."""
    too_slow_s: dict[str, int]
    """What an alarm would take to go off, by name, of those that are not made because it is longer than the shift."""


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
    reserves_concurrency: bool = False
    """Whether ``max_concurrency`` is reserved for the function, and its bound; else it is what is expected."""
    rollout: LambdaRolloutPlan | None = None
    """None where a new version takes over all of the traffic at once."""

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return (self.image,)

    @property
    def paid_storage_gb_seconds_per_request(self) -> float:
        """What /tmp has beyond the part that is free."""
        return (self.ephemeral_storage_mb - MIN_STORAGE_MB) / 1024 * self.service_time_ms / 1000

    @property
    def quotas(self) -> Iterator[Quota]:
        """Requests that are answered at the same time."""
        yield Quota("lambda", FUNCTION_CONCURRENCY, self.max_concurrency)


FACET = PlanModelKind(model=LambdaFunctionPlan)
