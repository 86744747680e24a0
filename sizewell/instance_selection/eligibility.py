"""Which instance types may be considered at all, whatever the workload asks of them.

The answer depends on the catalog, the use and the limits alone, so that it is found once for all workloads that share
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np

from sizewell.instance_selection.catalog import Catalog, InstanceType, Price, Usage
from sizewell.instance_selection.cuda import missing_code
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.estimation.machines import Machines, arithmetic_of, machines_of
from sizewell.instance_selection.filters import Marks, Miss, rejection
from sizewell.instance_selection.neuron import support_facts
from sizewell.instance_selection.requirements import Architecture, HardwareKind, InstanceLimits, Precision
from sizewell.instance_selection.results import Rejection

#: In the order in which `eligible_types` asks them.
ELIGIBILITY_FILTERS = ("pinned", "use", "region", "policy", "image", "cuda", "pipeline", "neuron-sdk")
#: The names of the filters that a type does not pass, in their order, and why.
Misses = Iterator[tuple[str, Miss]]


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
        return _machines(self, arithmetic, bf16, whole_cpu)


@lru_cache(maxsize=256)
def _machines(eligible: Eligible, arithmetic: str, bf16: bool, whole_cpu: bool) -> Machines:
    return machines_of(eligible.instance_types, arithmetic, bf16=bf16, whole_cpu=whole_cpu)


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

    ``trains`` says that the model is trained, and not served. What runs no model has no ``architecture``.
    """
    task = "training" if trains else "inference"
    kept, rejected = [], {}
    for instance_type in catalog.instance_types:
        misses = chain(
            _pinned(instance_type, limits),
            () if any_offer else _not_offered(instance_type, usage, catalog),
            _out_of_limits(instance_type, limits),
            _unsupported_by_neuron(instance_type, architecture, framework, task),
        )
        name, miss = next(misses, ("", None))
        if miss is None:
            kept.append(instance_type)
        else:
            rejected[instance_type.name] = rejection(instance_type.name, name, miss)
    return Eligible(
        tuple(kept), rejected, tuple(catalog.price(instance_type.name, usage) for instance_type in kept)
    )


def _pinned(instance_type: InstanceType, limits: InstanceLimits) -> Misses:
    if limits.instance_type not in (None, instance_type.name):
        yield "pinned", Miss(f"the configuration asks for {limits.instance_type}")


def _not_offered(instance_type: InstanceType, usage: Usage, catalog: Catalog) -> Misses:
    if usage not in instance_type.usages:
        others = ", ".join(sorted(instance_type.usages)) or "none"
        yield "use", Miss(f"SageMaker does not accept it for {usage} (only for: {others})")
    # An API value is not an offer.
    elif not (offer := catalog.offer(instance_type.name, usage)).offered:
        yield "region", Miss(offer.reason)


def _out_of_limits(instance_type: InstanceType, limits: InstanceLimits) -> Misses:
    family, kind, gpu = instance_type.family, hardware_kind(instance_type), instance_type.accelerator
    if limits.allowed_families is not None and family not in limits.allowed_families:
        yield "policy", Miss(f"family {family} is not among the allowed families")
    if family in limits.denied_families:
        yield "policy", Miss(f"family {family} is denied")
    if instance_type.burstable and not limits.allow_burstable:
        yield "policy", Miss("burstable types are not allowed in this environment")
    if kind is None or kind not in limits.images:
        of_name = f": {limits.image_name} has none" if limits.image_name else ""
        yield "image", Miss(f"no container image for {kind or 'its accelerator'}{of_name}")
    if limits.cuda and gpu and gpu.kind == "cuda" and gpu.generation:
        version = ".".join(map(str, limits.cuda))
        if why := missing_code(limits.cuda, gpu.generation):
            yield "cuda", Miss(f"an image for CUDA {version} has no code for its {gpu.name}: {why}")
    if limits.cpus is not None and instance_type.cpu_architecture not in limits.cpus:
        cpus = f"{instance_type.cpu_architecture} CPUs"
        yield "pipeline", Miss(f"a container of the pipeline has no image for its {cpus}")


def _unsupported_by_neuron(
    instance_type: InstanceType, architecture: Architecture | None, framework: str, task: str
) -> Misses:
    if architecture is None or hardware_kind(instance_type) is not HardwareKind.NEURON:
        return
    for fact in support_facts(architecture.value, framework, task, instance_type.family):
        if not fact.status.runs:
            yield "neuron-sdk", Miss(f"the Neuron SDK does not run it: {task} of {fact}")
