"""What the plans of models in tasks of a service of Amazon ECS have in common, one task on each instance."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from sizewell.facts.quotas import Quota, ec2_quotas
from sizewell.planning.workload_plan import PlanModel
from sizewell.targets.plan_model import ClusterPlan
from sizewell.targets.serving.plan_model import ServedOnEc2Plan

#: Ours. One after the other, many tasks would take longer than CloudFormation waits for a service (3 hours).
_REPLACED_AT_ONCE_PERCENT = 25


class EcsClusterPlan(ClusterPlan):
    """The cluster, as the configuration describes it."""

    certificate_arn: str
    caller_security_groups: tuple[str, ...]
    proxy_image: str


class TaskPlan(PlanModel):
    """What a task asks of its instance: what all types of the capacity provider have for it."""

    architecture: Literal["X86_64", "ARM64"]
    vcpus: int
    cpu_units: int
    memory_mib: int
    proxy_memory_mib: int
    """Of that, what the container beside the model has: a proxy, or what works off a queue."""
    gpu_count: int
    """NVIDIA GPUs."""
    neuron: bool
    """Whether it has all Neuron devices."""
    volume_size_gib: int
    """The volume of its instance, for images and the model."""
    startup_s: int
    """What it may take to start."""
    longest_answer_s: int
    """After what an answer is ended."""


class EcsTasksPlan(ServedOnEc2Plan):
    """One model in tasks of a service."""

    in_vpc: ClassVar[bool] = True

    cluster: EcsClusterPlan
    service_name: str
    task: TaskPlan
    vcpus: int
    """Of the largest type."""

    @property
    def max_percent(self) -> int:
        """How many tasks may run during a deployment, in percent of those that should: one more at least, or a quarter."""
        least = self.scaling.min_instance_count if self.scaling else self.initial_instance_count
        return 100 + max(-(-100 // max(1, least)), _REPLACED_AT_ONCE_PERCENT)

    @property
    def max_tasks(self) -> int:
        """How many tasks run at most, during a deployment at peak."""
        most = self.scaling.max_instance_count if self.scaling else self.initial_instance_count
        return most * self.max_percent // 100

    @property
    def quotas(self) -> Iterator[Quota]:
        """The vCPUs of all instances while tasks are replaced."""
        yield from ec2_quotas(self.instance_pools, self.max_tasks * self.vcpus)
