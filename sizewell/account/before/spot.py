"""How likely EC2 has Spot capacity for the pools of clusters now.

A score of 10 is a request that likely succeeds, one of 1 a request that does not, and none is a promise:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-sps-works.html. It is of EC2: nobody says whether managed Spot training of
SageMaker takes its instances from the same capacity, so it is not asked of those.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, passes, warns
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan
from sizewell.targets.eks.pods_plan_model import EksPlan

#: Ours: of a scale from 1 to 10.
_LOW = 3


@dataclass(frozen=True)
class _SpotPool:
    workload: str
    instance_types: tuple[str, ...]
    instances: int
    """At most."""


def _subjects(place: Place) -> Iterator[_SpotPool]:
    for workload in place.workloads:
        if isinstance(workload, EksPlan) and "spot" in workload.node_pool.capacity_types:
            pool = workload.node_pool
            yield _SpotPool(workload.name, pool.instance_types, pool.max_nodes)
        elif isinstance(workload, BatchJobsPlan) and any(attempt.spot for attempt in workload.attempts):
            yield _SpotPool(
                workload.name,
                workload.instance_pools,
                max(attempt.instance_count for attempt in workload.attempts),
            )


def _ask(aws: AwsAccount, subject: _SpotPool) -> Iterator[Answer]:
    answer = aws.client("ec2").get_spot_placement_scores(
        InstanceTypes=list(subject.instance_types),
        TargetCapacity=subject.instances,
        RegionNames=[aws.region],
        SingleAvailabilityZone=False,
    )
    score = max((of_region["Score"] for of_region in answer["SpotPlacementScores"]), default=0)
    types = ", ".join(subject.instance_types)
    words = f"score {score} of 10 for {subject.instances} of {types}" if score else f"no score for {types}"
    if score > _LOW:
        yield passes(subject.workload, words)
    else:
        yield warns(
            subject.workload,
            f"{words}: Spot capacity is not likely now",
            "allow more types or on-demand capacity, or expect to wait",
        )


SPOT = Check(
    name="spot",
    actions=("ec2:GetSpotPlacementScores",),
    subjects=_subjects,
    ask=_ask,
    named=lambda pool: pool.workload,
)
