"""Rules that trainings share: Spot, the members of their requests, and the file systems that they mount."""

from collections.abc import Iterator

from sizewell.config.base import without
from sizewell.config.environment import Environment
from sizewell.config.file_system import FileSystem
from sizewell.config.network import ExistingNetwork, NewNetwork
from sizewell.config.request_members import Violation, training_members
from sizewell.config.spot import spot_violations
from sizewell.config.training import TrainedModel


def training_violations(environment: Environment, name: str, job: TrainedModel) -> Iterator[Violation]:
    """Yield every violation of a training or of a search."""
    yield from spot_violations(environment, name, job)
    yield from _file_system_violations(environment, name, job)
    yield from training_members(name, job)


def _file_system_violations(environment: Environment, name: str, job: TrainedModel) -> Iterator[Violation]:
    """Yield which file systems the jobs could not mount, and which keys of them have no effect."""
    own_group = environment.existing.training_security_group_id is None
    first_subnet_id: str | None = None
    for key, file_system in job.mounted().items():
        path = ("workloads", name, *key)
        where, first = next(_mounts_of(environment, file_system.id))
        if file_system.type != first.type:
            yield (
                (*path, "type"),
                f"is {file_system.type}, but {where} says that {file_system.id} is {first.type}: correct the type, or the id",
            )
        network, subnet_id = environment.network, file_system.subnet_id
        first_subnet_id = first_subnet_id or subnet_id
        if (
            subnet_id is not None
            and isinstance(network, ExistingNetwork)
            and subnet_id not in network.subnet_ids
        ):
            yield (
                (*path, "subnet_id"),
                f"is none of network.subnet_ids ({', '.join(network.subnet_ids)}); name the one in the zone of the file system",
            )
        elif subnet_id not in (None, first_subnet_id):
            yield (
                (*path, "subnet_id"),
                f"is {subnet_id}, but a job runs in one subnet, and another file system of it is in {first_subnet_id}; read one "
                "of them from a prefix of the artifact bucket",
            )
        if isinstance(environment.network, NewNetwork):
            yield (
                path,
                "is mounted within its VPC, but network.mode: new makes another one; use network.mode: existing with the VPC "
                "of the file system, or read a prefix of the artifact bucket",
            )
        elif own_group and file_system.security_group_id is None:
            yield (
                (*path, "security_group_id"),
                "is missing: name the security group of the file system, which has to let training jobs in",
            )
        elif not own_group and file_system.security_group_id is not None:
            yield (
                (*path, "security_group_id"),
                "has no effect: existing.training_security_group_id is there, and what both groups let through is up to "
                f"their owner; {without('security_group_id')}",
            )


def _mounts_of(environment: Environment, file_system_id: str) -> Iterator[tuple[str, FileSystem]]:
    for name, workload in environment.workloads.items():
        for key, file_system in workload.mounted().items() if isinstance(workload, TrainedModel) else ():
            if file_system.id == file_system_id:
                yield ".".join(("workloads", name, *key)), file_system
