"""The plan of a training job."""

from collections.abc import Iterator
from typing import Literal

from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.planning.workload_plan import ImagePlan, PlanModelKind


class TrainingJobPlan(TrainedModelPlan):
    """One training job."""

    kind: Literal["training-job"] = "training-job"
    keep_alive_minutes: int | None = None
    """How long instances wait for the next run, and are paid for; None ends them with the run."""
    tensorboard: bool = False
    """Whether SageMaker copies what the script writes for TensorBoard."""
    training_plan_arn: str | None = None
    """Where its instances are reserved, and paid for."""

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return tuple(dict.fromkeys(attempt.image for attempt in self.attempts))

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of all attempts, and of the instances that wait for the next run."""
        yield from super().quotas
        if self.keep_alive_minutes is not None:
            yield from instance_quotas("training warm pool", self._most_instances(spot=False))


FACET = PlanModelKind(model=TrainingJobPlan)
