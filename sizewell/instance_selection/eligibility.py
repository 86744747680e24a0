"""Which instance types may be considered at all, whatever the workload asks of them.

The answer depends on the catalog, the use and the limits alone, so that it is found once for all workloads that share
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sizewell.instance_selection.catalog import Catalog, InstanceType, Price, Usage
from sizewell.instance_selection.cuda import missing_code
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.estimation.machines import Machines, arithmetic_of, machines_of
from sizewell.instance_selection.filters import Marks, Miss, rejection
from sizewell.instance_selection.neuron import support_facts
from sizewell.instance_selection.requirements import Architecture, HardwareKind, InstanceLimits, Precision
from sizewell.instance_selection.results import Rejection

#: In the order in which they are asked.
ELIGIBILITY_FILTERS = ("pinned", "use", "region", "policy", "image", "cuda", "pipeline", "neuron-sdk")


@dataclass(frozen=True, eq=False)
class Eligible:
    """Types that pass, in the order of the catalog, and why the others do not."""

    instance_types: tuple[InstanceType, ...]
    rejected: dict[str, Rejection]
    prices: tuple[Price, ...]
    """On demand, of the types in their order."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the types."""
        return tuple(t.name for t in self.instance_types)

    @cached_property
    def burstable(self) -> Marks:
        """Which of the types are."""
        return np.array([t.burstable for t in self.instance_types], bool)

    def machines(
        self, precision: Precision, architecture: Architecture, *, whole_cpu: bool = False
    ) -> Machines:
        """Return the types as columns; the same object for the same arithmetic."""
        arithmetic, bf16 = arithmetic_of(precision, architecture), precision is not Precision.FP16
        key = arithmetic, bf16, whole_cpu
        found = self._machines.get(key)
        if found is None:
            found = machines_of(self.instance_types, arithmetic, bf16=bf16, whole_cpu=whole_cpu)
            self._machines[key] = found
        return found

    @cached_property
    def _machines(self) -> dict[tuple[str, bool, bool], Machines]:
        return {}


@lru_cache(maxsize=64)
def eligible_types(
    catalog: Catalog,
    usage: Usage,
    limits: InstanceLimits,
    architecture: Architecture | None = None,
    framework: str = "",
    *,
    any_offer: bool = False,
    trains: bool = False,
) -> Eligible:
    """Return the types that a workload may use; with ``any_offer`` whether or not AWS offers them in the region.

    ``trains`` says that the model is trained, and not served.

    What runs no model has no ``architecture``.
    """
    task = "training" if trains else "inference"
    filters: dict[str, Callable[[InstanceType], Miss | None]] = {
        "pinned": lambda instance_type: _pinned(instance_type, limits),
        "use": lambda instance_type: None if any_offer else _use(instance_type, usage),
        "region": lambda instance_type: None if any_offer else _region(instance_type, catalog, usage),
        "policy": lambda instance_type: _policy(instance_type, limits),
        "image": lambda instance_type: _image(instance_type, limits),
        "cuda": lambda instance_type: _cuda(instance_type, limits),
        "pipeline": lambda instance_type: _pipeline(instance_type, limits),
        "neuron-sdk": lambda instance_type: _neuron(instance_type, architecture, framework, task),
    }
    kept, rejected = [], {}
    for instance_type in catalog.instance_types:
        for name, find_miss in filters.items():
            if miss := find_miss(instance_type):
                rejected[instance_type.name] = rejection(instance_type.name, name, miss)
                break
        else:
            kept.append(instance_type)
    return Eligible(
        tuple(kept), rejected, tuple(catalog.price(instance_type.name, usage) for instance_type in kept)
    )


def _use(instance_type: InstanceType, usage: Usage) -> Miss | None:
    if usage in instance_type.usages:
        return None
    others = ", ".join(sorted(instance_type.usages)) or "none"
    return Miss(f"SageMaker does not accept it for {usage} (only for: {others})")


def _region(instance_type: InstanceType, catalog: Catalog, usage: Usage) -> Miss | None:
    # An API value is not an offer.
    if usage not in instance_type.usages:
        return None
    offer = catalog.offer(instance_type.name, usage)
    return None if offer.offered else Miss(offer.reason)


def _pinned(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    if limits.instance_type in (None, instance_type.name):
        return None
    return Miss(f"the configuration asks for {limits.instance_type}")


def _policy(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    if limits.allowed_families is not None and instance_type.family not in limits.allowed_families:
        return Miss(f"family {instance_type.family} is not among the allowed families")
    if instance_type.family in limits.denied_families:
        return Miss(f"family {instance_type.family} is denied")
    if instance_type.burstable and not limits.allow_burstable:
        return Miss("burstable types are not allowed in this environment")
    return None


def _image(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    kind = hardware_kind(instance_type)
    if kind is None or kind not in limits.images:
        of_name = f": {limits.image_name} has none" if limits.image_name else ""
        return Miss(f"no container image for {kind or 'its accelerator'}{of_name}")
    return None


def _cuda(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    gpu = instance_type.accelerator
    if limits.cuda is None or gpu is None or gpu.kind != "cuda" or gpu.generation is None:
        return None
    why = missing_code(limits.cuda, gpu.generation)
    version = ".".join(map(str, limits.cuda))
    return Miss(f"an image for CUDA {version} has no code for its {gpu.name}: {why}") if why else None


def _pipeline(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    if limits.cpus is None or instance_type.cpu_architecture in limits.cpus:
        return None
    return Miss(f"a container of the pipeline has no image for its {instance_type.cpu_architecture} CPUs")


def _neuron(
    instance_type: InstanceType, architecture: Architecture | None, framework: str, task: str
) -> Miss | None:
    if architecture is None or hardware_kind(instance_type) is not HardwareKind.NEURON:
        return None
    for fact in support_facts(architecture.value, framework, task, instance_type.family):
        if not fact.status.runs:
            return Miss(f"the Neuron SDK does not run it: {task} of {fact}")
    return None
