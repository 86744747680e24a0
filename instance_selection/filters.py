"""Filters that every selection begins with: each answers one question about an instance type.

A selection is a visible, ordered list of named filters. A filter returns None to keep a type, or a ``Miss`` that says
why not; the first miss is the reason that is reported.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from instance_selection.catalog import Catalog, InstanceType, Usage
from instance_selection.estimation.hardware import hardware_kind
from instance_selection.requirements import HardwareKind, InstanceLimits, ModelSpec
from instance_selection.results import NoFeasibleInstanceError, Rejection

#: Frameworks with a Neuron plugin (Neuron SDK: PyTorch and JAX).
NEURON_FRAMEWORKS = frozenset({"pytorch", "jax"})


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a type was turned down, and how many times too little or too much where that can be said."""

    reason: str
    shortfall: float | None = None


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filter(Generic[T]):
    """A question with a name."""

    name: str
    check: Callable[[T], Miss | None]


def apply_filters(
    subjects: Iterable[tuple[str, T]], filters: tuple[Filter[T], ...]
) -> tuple[list[T], tuple[Rejection, ...]]:
    """Return the subjects that pass every filter, and for each other one its first miss; order is kept."""
    kept: list[T] = []
    rejected: list[Rejection] = []
    for name, subject in subjects:
        for filter_ in filters:
            miss = filter_.check(subject)
            if miss:
                rejected.append(
                    Rejection(
                        instance_type=name,
                        filter=filter_.name,
                        reason=miss.reason,
                        shortfall=miss.shortfall,
                    )
                )
                break
        else:
            kept.append(subject)
    return kept, tuple(rejected)


def no_feasible(rejected: tuple[Rejection, ...], filters: tuple[str, ...]) -> NoFeasibleInstanceError:
    """Return the error with the five rejections that got furthest: latest filter, then least shortfall, then name."""
    stage = {name: position for position, name in enumerate(filters)}
    nearest = sorted(
        rejected,
        key=lambda r: (
            -stage[r.filter],
            r.shortfall if r.shortfall is not None else float("inf"),
            r.instance_type,
        ),
    )
    return NoFeasibleInstanceError(tuple(nearest[:5]), rejected)


def check_use(instance_type: InstanceType, usage: Usage) -> Miss | None:
    """Keep types that the SageMaker API accepts for the use."""
    if usage in instance_type.usages:
        return None
    others = ", ".join(sorted(instance_type.usages)) or "none"
    return Miss(f"SageMaker does not accept it for {usage} (only for: {others})")


def check_region(instance_type: InstanceType, catalog: Catalog, usage: Usage) -> Miss | None:
    """Keep types that AWS offers in the region: an API value is not an offer."""
    offer = catalog.offer(instance_type.name, usage)
    return None if offer.offered else Miss(offer.reason)


def check_pinned(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    """Keep just the type that the configuration names, if it names one."""
    if limits.instance_type in (None, instance_type.name):
        return None
    return Miss(f"the configuration asks for {limits.instance_type}")


def check_policy(instance_type: InstanceType, limits: InstanceLimits) -> Miss | None:
    """Keep what the environment allows."""
    if limits.allowed_families is not None and instance_type.family not in limits.allowed_families:
        return Miss(f"family {instance_type.family} is not among the allowed families")
    if instance_type.family in limits.denied_families:
        return Miss(f"family {instance_type.family} is denied")
    if instance_type.burstable and not limits.allow_burstable:
        return Miss("burstable types are not allowed in this environment")
    return None


def check_image(instance_type: InstanceType, limits: InstanceLimits, model: ModelSpec) -> Miss | None:
    """Keep types whose kind of hardware has an image, and a framework that runs there."""
    kind = hardware_kind(instance_type)
    if kind is None or kind not in limits.images:
        return Miss(f"no container image for {kind or 'its accelerator'}")
    if kind is HardwareKind.NEURON and model.framework not in NEURON_FRAMEWORKS:
        return Miss(f"the Neuron SDK does not run {model.framework}")
    return None
