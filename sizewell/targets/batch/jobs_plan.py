"""What is decided alike for all that AWS Batch runs: its volume, its container, and the variables that it may have."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sizewell.facts.batch import MAX_DEFINITION_BYTES, RESERVED_VARIABLES
from sizewell.facts.interface_endpoints import OF_TASKS
from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.schedule import plan_starts_on
from sizewell.targets.batch.instance_types import container_memory_mib
from sizewell.targets.batch.jobs_plan_model import BatchContainerPlan, BatchJobsPlan
from sizewell.targets.plan_model import ClusterPlan

ASSUMPTIONS = (
    "AWS Batch leaves a container 92.5 % of the memory of an instance, less 100 MiB: no page of AWS states it",
    "a job shares the network of its instance: isolation is a security group that lets HTTPS out alone, and the role of the "
    "instance may do nothing but run jobs",
    "the image runs its arguments as a command, or has no entry point, and has Python",
)
#: What instances and jobs call.
SERVICES = (*OF_TASKS, "logs")
#: Ours. What the system takes of the volume of an instance, and the image, as large as one for LLMs.
_SYSTEM_GIB, _IMAGE_GIB = 30, 30
#: Ours. Of a job definition, all but the texts that the plan knows: names, ARNs, locations.
_REST_BYTES = 3 * 1024


def batch_fields(stated: Stated, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a ``BatchJobsPlan`` but its attempts; ``fields`` are those of any plan for instances of EC2."""
    workload, name = stated.workload, stated.names.workload(stated.name)
    catalog = load_ec2_catalog(stated.policy.region, refreshed=stated.catalog.refreshed)
    types = [catalog.get(instance_type) for instance_type in fields["instance_pools"]]
    return {
        **fields,
        "volume_size_gib": fields["volume_size_gib"] + _SYSTEM_GIB + _IMAGE_GIB,
        "cluster": ClusterPlan(key=workload.target, name=workload.target),
        "job_name": name,
        "state_machine_name": name,
        "container": BatchContainerPlan(
            vcpus=min(instance_type.vcpus for instance_type in types),
            memory_mib=_least_memory_mib(types),
            gpu_count=fields["gpu_count"],
        ),
        "vcpus": max(instance_type.vcpus for instance_type in types),
        "starts_on": plan_starts_on(workload.starts_on),
    }


def _least_memory_mib(types: Sequence[InstanceType]) -> int:
    rooms = [container_memory_mib(instance_type) for instance_type in types]
    return min(room for room in rooms if room is not None)


def is_reserved(name: str) -> bool:
    """Return whether AWS Batch, or what starts the program, has a variable of this name."""
    return name == "SIZEWELL_PROGRAM" or name.startswith(RESERVED_VARIABLES)


def definition_faults(plan: BatchJobsPlan, *texts: object) -> Iterator[PlanFault]:
    """Yield a fault when the job definition would be larger than Batch takes; ``texts`` are in it beside the variables."""
    if (size := definition_bytes(plan.environment, *texts)) > MAX_DEFINITION_BYTES:
        yield PlanFault(
            ("workloads", plan.name, "container", "environment"),
            f"makes a job definition of about {size:,} bytes; AWS Batch takes {MAX_DEFINITION_BYTES:,}",
            "shorten the variables: a long text belongs into a file",
        )


def definition_bytes(*texts: object) -> int:
    """Return about how long a job definition is, or the request of a job, that has these texts."""
    return len(json.dumps(texts).encode()) + _REST_BYTES
