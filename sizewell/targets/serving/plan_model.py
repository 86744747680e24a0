"""The plan of a model on instances of EC2, whatever places its containers there."""

from typing import Literal

from sizewell.instance_selection.results import EndpointEstimate, Selection
from sizewell.planning.endpoint_plan_model import AnsweredLaterPlan
from sizewell.planning.workload_plan import (
    AccessPlan,
    AlarmPlan,
    PlanModel,
)
from sizewell.targets.plan_model import OnEc2Plan


class ReplicaScalingPlan(PlanModel):
    """Between which numbers of containers it scales, and by what."""

    min_instance_count: int
    max_instance_count: int
    signal: Literal["invocations", "concurrency", "backlog"]
    target_value: float
    """Of one container: requests in a second, requests in progress, or those that wait as well."""
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    derivation: str
    """Where the target comes from."""


class ServedOnEc2Plan(OnEc2Plan):
    """One model that containers serve, one on each instance."""

    artifact_key: str | None
    """None where the model is in the image."""
    artifact_compression: Literal["gzip", "none"]
    initial_instance_count: int
    """Containers at average load."""
    average_requests_per_second: float
    max_concurrent_requests: int
    """The most requests in one container: more are refused, or wait in the queue."""
    scaling: ReplicaScalingPlan | None
    """None where the number of containers is fixed."""
    alarms: dict[str, AlarmPlan]
    """By the key that the alarm has in the configuration."""
    selection: Selection[EndpointEstimate]

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether some container always runs."""
        return True

    @property
    def locked_facts(self) -> dict[str, object]:
        """The containers at average load and at peak."""
        estimate = self.selection.chosen.estimate
        return {
            "instance_count": estimate.instances_at_average,
            "peak_instance_count": estimate.instances_at_peak,
            "kind": None,
            "target": self.target,
        }


class QueuePlan(AnsweredLaterPlan):
    """A queue of Amazon SQS, which holds requests until a container has room for them."""

    name: str
    url: str
    """Manifests cannot read outputs of a stack: it follows from account, region and name."""
    answers_topic_arn: str
    """The topic that hears of answers: the one that is stated, or that is made."""
    failures_topic_arn: str
    """The same of requests that failed."""
    max_receives: int
    """How often a request is tried before it becomes a dead letter."""
    visibility_timeout_s: int
    """How long nobody else gets a request of a container that no longer tells that it works on it."""


class QueueWorkerPlan(ServedOnEc2Plan):
    """One model whose containers work off a queue."""

    queue: QueuePlan
    access: AccessPlan | None
    """Who may send requests; None gives nobody the permission."""

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether some container runs without work."""
        return not self.queue.sleeps

    @property
    def keeps_inference_data(self) -> bool:
        """Whether requests and answers lie in the artifact bucket."""
        return True
