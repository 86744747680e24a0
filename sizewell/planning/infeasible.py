"""The message when no instance type is feasible: the nearest ones, by how much they miss, and the key to change."""

import math
from collections import Counter
from collections.abc import Iterable
from decimal import ROUND_UP, Context

from sizewell.config.instances import OnInstances
from sizewell.instance_selection import NoFeasibleInstanceError, Rejection, load_catalog
from sizewell.instance_selection.catalog import UnknownInstanceTypeError, regions
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.latency_bounds import BOUNDS as LATENCY_BOUNDS
from sizewell.kinds.registry import facet
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind
from sizewell.planning.remedies import IMAGES, PIN, Remedy

_IMAGE = ("container", "image")


#: Filters whose key is a bound that a shortfall multiplies.
_BOUNDS = (*(bound.filter for bound in LATENCY_BOUNDS), "cold", "deadline", "budget")
_THREE_DIGITS_UP = Context(prec=3, rounding=ROUND_UP)


def no_feasible_fault(name: str, workload: OnInstances, error: NoFeasibleInstanceError) -> PlanFault:
    """Return the fault of a workload that nothing fits, at the key that the nearest type missed."""
    remedies_of = facet(workload.kind, PlanKind).remedies
    assert remedies_of is not None, "an instance type is chosen"
    remedies = remedies_of(workload)
    pinned = workload.instances.instance_type
    if pinned is not None:
        # All others were rejected for not being the pinned one: only its own reason matters. In a cluster it has its name in EC2.
        names = (pinned, pinned.removeprefix("ml."))
        own = next(rejection for rejection in error.nearest if rejection.instance_type in names)
        advice = _of_named_image(remedies[own.filter], workload).advice
        return PlanFault(
            ("workloads", name, *PIN),
            f"{pinned} cannot be used: {_miss(own)}",
            f"{advice}; or leave instance_type out, and the needs decide",
        )
    remedy = _of_named_image(remedies[error.nearest[0].filter], workload)
    advice = _with_reachable_bound(remedy, workload, error)
    lines = [f"none of {error.considered} instance types meets all requirements; the nearest:"]
    lines += [f"  {rejection.instance_type}: {_miss(rejection)}" for rejection in error.nearest]
    lines.append(f"rejected: {_counts(error.rejected)}")
    if scarcity := _scarcity(workload, error.rejected):
        lines.append(scarcity)
        region_advice = remedies["region"].advice
        advice = region_advice if advice == region_advice else f"{region_advice}; or {advice}"
    return PlanFault(("workloads", name, *remedy.key_path), "\n".join(lines), advice)


def _of_named_image(remedy: Remedy, workload: OnInstances) -> Remedy:
    """Return the remedy; for images that a name or a model package stands for, that of the name or the package."""
    if remedy.key_path != IMAGES:
        return remedy
    one = workload.contained().get(())
    if one is not None and getattr(one.container, "model_package", None) is not None:
        return Remedy(
            ("container", "model_package", "hardware"),
            "register a version for other hardware, or allow the families of this one",
        )
    if all(one.container.image is None for one in workload.contained().values()):
        return remedy
    return Remedy(
        _IMAGE,
        "name another framework or version, allow the families that it has images for, or write account, repository and "
        "tag for each kind of hardware under images",
    )


def _with_reachable_bound(remedy: Remedy, workload: OnInstances, error: NoFeasibleInstanceError) -> str:
    """Return the advice, after the best bound that any type reaches, where the key is a number that all of them miss."""
    filter_ = error.nearest[0].filter
    bound: object = workload
    for key in remedy.key_path if filter_ in _BOUNDS else ():
        bound = getattr(bound, key)
    shortfalls = [r.shortfall for r in error.rejected if r.filter == filter_ and r.shortfall]
    if not isinstance(bound, int | float) or not shortfalls or min(shortfalls) <= 1:
        return remedy.advice
    reachable = _THREE_DIGITS_UP.create_decimal(f"{bound * min(shortfalls):.9g}")
    return f"{remedy.key_path[-1]}: {reachable:f} is the least that any type reaches; {remedy.advice}"


def unknown_type_fault(name: str, error: UnknownInstanceTypeError, known: frozenset[str]) -> PlanFault:
    """Return the fault of a workload that names a type which SageMaker does not have."""
    matches = (f"ml.{error.name}",) if f"ml.{error.name}" in known else error.near_matches
    hint = "some types of EC2 do not exist in SageMaker; without the key, the needs decide"
    if matches:
        hint = f"did you mean {' or '.join(matches)}? {hint}"
    return PlanFault(
        ("workloads", name, *PIN), f'SageMaker has no instance type "{error.name}", in any region', hint
    )


def _miss(rejection: Rejection) -> str:
    text = f"{rejection.filter}: {rejection.reason}"
    if rejection.shortfall is None:
        return text
    # Rounded up: a miss by a hair must not read "1.00 times".
    return f"{text} ({math.ceil(rejection.shortfall * 100) / 100:,.2f} times)"


def _by_filter(rejected: Iterable[Rejection]) -> list[tuple[str, int]]:
    """Return the filters with how many types each rejected, the most first."""
    return sorted(Counter(r.filter for r in rejected).items(), key=lambda item: (-item[1], item[0]))


def _counts(rejected: tuple[Rejection, ...]) -> str:
    return ", ".join(f"{count:,} by {name}" for name, count in _by_filter(rejected))


def _scarcity(workload: OnInstances, rejected: tuple[Rejection, ...]) -> str | None:
    """Say so when the region is what rejects most of the types that an image of the workload runs on.

    The nearest types have passed the filter of the region, and so never name it.
    """
    if not workload.contained():
        return None
    images = set.intersection(*(set(one.container.runs_on) for one in workload.contained().values()))
    # Hardware is the same in every region.
    with_image = {
        one.name
        for one in load_catalog(regions()[0]).instance_types
        if (kind := hardware_kind(one)) and kind.value in images
    }
    fitting = _by_filter(r for r in rejected if r.filter != "use" and r.instance_type in with_image)
    if not fitting or fitting[0][0] != "region":
        return None
    total = sum(count for _, count in fitting)
    offered = total - fitting[0][1]
    return f"the region is the main reason: it offers {offered} of the {total} types that the images run on"
