"""The quotas of an account in a region that workloads use up, by their names in Service Quotas.

Names: "Amazon SageMaker AI endpoints and quotas", https://docs.aws.amazon.com/general/latest/gr/sagemaker.html; as a refusal
words them, "The account-level service limit 'ml.g4dn.xlarge for endpoint usage' is 0 Instances":
https://github.com/aws-samples/sagemaker-yolov3-detection-server/issues/1, read 2026-11-24. Codes are unproven, sources differ:
Service Quotas prints them.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

QuotaService = Literal["ec2", "lambda", "sagemaker"]
"""ServiceCode of Service Quotas."""
InstanceUse = Literal[
    "endpoint",
    "notebook instance",
    "processing job",
    "spot training job",
    "training job",
    # Beside "training job", which counts its instances, too:
    # https://docs.aws.amazon.com/sagemaker/latest/dg/train-warm-pools-resource-limits.html
    "training warm pool",
    "transform job",
]
_ALL_TYPES: Mapping[InstanceUse, str] = MappingProxyType(
    {
        "endpoint": "Number of instances across active endpoints",
        "notebook instance": "Total number of notebook instances",
        "processing job": "Number of instances across all processing jobs",
        "spot training job": "Number of instances across all spot training jobs",
        "training job": "Number of instances across all training jobs",
        "transform job": "Number of instances across all transform jobs",
    }
)
SERVERLESS_CONCURRENCY = "Maximum total concurrency that can be allocated across all serverless endpoints"
#: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
FUNCTION_CONCURRENCY = "Concurrent executions"


class Quota(NamedTuple):
    """One quota, and how much of it is used up at the same time at most."""

    service: QuotaService
    name: str
    needed: int


#: The quotas of running on-demand instances are in vCPUs, by the letters that the names of types begin with:
#: https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
_ON_DEMAND = "Running On-Demand {} instances"
#: And of Spot Instances, which P has by generation.
_SPOT = "All {} Spot Instance Requests"
_P_ON_SPOT = {"p2": "P4, P3 and P2", "p3": "P4, P3 and P2", "p4": "P4, P3 and P2", "p5": "P5", "p6": "P6"}
_OF_FAMILIES = (
    ("dl", "DL"),
    ("inf", "Inf"),
    ("trn", "Trn"),
    ("g", "G and VT"),
    ("vt", "G and VT"),
    ("p", "P"),
)
_STANDARD = "Standard (A, C, D, H, I, M, R, T, Z)"


def ec2_quotas(instance_types: Iterable[str], vcpus: int, *, spot: bool = False) -> Iterator[Quota]:
    """Yield the quotas of as many vCPUs of types of EC2, each of which can replace the others."""
    families = (*_P_ON_SPOT.items(), *_OF_FAMILIES) if spot else _OF_FAMILIES
    names = {
        next((words for prefix, words in families if instance_type.startswith(prefix)), _STANDARD)
        for instance_type in instance_types
    }
    pattern = _SPOT if spot else _ON_DEMAND
    for name in sorted(names):
        yield Quota("ec2", pattern.format(name), vcpus)


def instance_quotas(use: InstanceUse, counts: Mapping[str, int]) -> Iterator[Quota]:
    """Yield the quotas of a fleet by its instance types; of several types, each can replace the others."""
    for instance_type, count in counts.items():
        yield Quota("sagemaker", f"{instance_type} for {use} usage", count)
    if counts and use in _ALL_TYPES:
        yield Quota("sagemaker", _ALL_TYPES[use], max(counts.values()))


def instances_in(quotas: Iterable[Quota]) -> int:
    """Return how many instances of SageMaker quotas stand for: of uses that take turns, such as Spot and on demand, the most."""
    counts: dict[str, int] = {}
    for quota in quotas:
        if quota.name in _ALL_TYPES.values():
            counts[quota.name] = counts.get(quota.name, 0) + quota.needed
    return max(counts.values(), default=0)
