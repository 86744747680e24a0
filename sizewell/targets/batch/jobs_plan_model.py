"""The plan of jobs that AWS Batch runs, whatever they do: one container each, which has an instance to itself."""

from collections.abc import Iterator
from typing import ClassVar

from sizewell.facts.quotas import Quota, ec2_quotas
from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.planning.workload_plan import PlanModel, StartsOnPlan, StateMachinePlan
from sizewell.targets.plan_model import RunOnEc2Plan

#: While an instance that was lost goes down, the next one comes up.
_SPARE_INSTANCES = 1


class BatchAttemptPlan(PlanModel):
    """A rung of the ladder: all types on Spot, or on demand."""

    spot: bool
    ends_after_s: int
    """Seconds after the start of the run at which it gives way to the next one, or misses the deadline."""
    instance_type: str
    """The first of the types."""
    instance_count: int = 1
    volume_size_gib: int
    usd_per_hour: float | None
    """What the first of the types is expected to cost; None is unknown."""


class BatchContainerPlan(PlanModel):
    """What a container asks of its instance: what all types have for it."""

    vcpus: int
    memory_mib: int
    gpu_count: int
    """NVIDIA GPUs."""


class BatchJobsPlan(RunOnEc2Plan, StateMachinePlan):
    """Jobs of one workload, as a state machine."""

    in_vpc: ClassVar[bool] = True

    job_name: str
    """Of the job definition, and what the names of jobs begin with."""
    state_machine_name: str
    attempts: tuple[BatchAttemptPlan, ...]
    container: BatchContainerPlan
    vcpus: int
    """Of the largest type."""
    starts_on: StartsOnPlan | None

    @property
    def max_vcpus(self) -> int:
        """Of all instances that a queue may have at a time: those of one run, and one that replaces a lost one."""
        return (self.attempts[0].instance_count + _SPARE_INSTANCES) * self.vcpus

    @property
    def quotas(self) -> Iterator[Quota]:
        """The vCPUs of the instances, on Spot and on demand."""
        for attempt in self.attempts:
            yield from ec2_quotas(self.instance_pools, self.max_vcpus, spot=attempt.spot)

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run, with every attempt."""
        return self.deadline_s + EXECUTION_GRACE_S
