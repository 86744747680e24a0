"""Faults of names that only the plan can check: instance families that no type has, workloads named as the foundation stack."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.instances import InstanceConstraints
from sizewell.config.policy import Policy
from sizewell.instance_selection import Catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.names import Names


def name_faults(environment: Environment, catalog: Catalog, names: Names) -> Iterator[PlanFault]:
    """Yield a fault for every name that stands for nothing, or for two things."""
    known = {instance_type.family for instance_type in catalog.instance_types}
    limits: list[tuple[tuple[str, ...], Policy | InstanceConstraints]] = [(("policy",), environment.policy)]
    for name, workload in environment.workloads.items():
        limits.append((("workloads", name, "instances"), workload.instances))
        if names.workload(name) == names.foundation_stack:
            yield PlanFault(
                ("workloads", name),
                f"the name is taken: {names.foundation_stack} is the stack of what all workloads share",
                "choose another name",
            )
    for path, limit in limits:
        for key in ("allowed_families", "denied_families"):
            for index, family in enumerate(getattr(limit, key) or ()):
                if family not in known:
                    yield _unknown_family((*path, key, str(index)), family, known)


def _unknown_family(path: tuple[str, ...], family: str, known: set[str]) -> PlanFault:
    # People write ml.g5 or ml.g5.xlarge, too.
    match = near_match(family.removeprefix("ml.").partition(".")[0], sorted(known))
    return PlanFault(
        path,
        f'SageMaker has no instance family "{family}"',
        f"did you mean {match}?" if match else "write the middle of a type's name: g5 of ml.g5.xlarge",
    )
