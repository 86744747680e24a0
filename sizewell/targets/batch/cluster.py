"""How AWS Batch is described as a place to run: it makes all that it needs, so nothing has to exist."""

from typing import Annotated, Literal

from sizewell.config.cluster import Cluster, Runs, TargetKind
from sizewell.config.effects import OnChange
from sizewell.config.place import PlaceName
from sizewell.targets.training.lacks import TRAINING_LACKS
from sizewell.targets.transforming.lacks import TRANSFORM_LACKS


class BatchCluster(Cluster):
    """AWS Batch in an account and region: each workload has compute environments and job queues of its own."""

    type: Literal["batch"]
    """AWS Batch."""
    place: Annotated[PlaceName | None, OnChange(changed="everything in the cluster moves with it")] = None
    """Which of the places it is in; by default policy.account and policy.region. What runs there names the same."""


FACET = TargetKind(
    words="cluster of AWS Batch",
    model=BatchCluster,
    runs={
        "training-job": Runs(
            planned_as="batch-job",
            lacks={
                **TRAINING_LACKS,
                "max_instances": "a run has one instance; in SageMaker and in a cluster of Amazon EKS it may have several",
            },
        ),
        "batch-transform": Runs(planned_as="batch-transform-job", lacks=TRANSFORM_LACKS),
    },
)
