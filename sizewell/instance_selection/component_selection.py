"""Choose the instance type of a fleet of inference components, and what each copy reserves of an instance.

A copy has a share of its instance: accelerators, or vCPUs where there are none, and host memory in proportion. What a copy does
on its share is estimated as an endpoint on an instance of that size (`EndpointColumns`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from math import floor

from sizewell.facts.billing import HOURS_PER_MONTH, HOURS_PER_WEEK
from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog, InstanceType, Usage
from sizewell.instance_selection.component_placement import place_copies
from sizewell.instance_selection.eligibility import Eligible, eligible_types
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.endpoint_selection import (
    ENDPOINT_FILTERS,
    endpoint_candidates,
    endpoint_filter_names,
)
from sizewell.instance_selection.estimation.hardware import USABLE_HOST_SHARE
from sizewell.instance_selection.filters import Filter, Miss, apply_filters, rejection
from sizewell.instance_selection.latency_bounds import decisive_bound
from sizewell.instance_selection.pricing import endpoint_cost
from sizewell.instance_selection.requirements import ComponentRequirements, FleetRequirements
from sizewell.instance_selection.results import (
    Candidate,
    CopyEstimate,
    EndpointEstimate,
    FleetEstimate,
    Rejection,
    Selection,
)

#: Accelerators or vCPUs of a copy that are tried, beside the whole instance: one worker on a CPU keeps no more than 16 busy.
_SHARES = (1, 2, 4, 8, 16)
#: Ours: what a container takes of the host before it has a model. The API takes 128 MB (MinMemoryRequiredInMb).
_LEAST_HOST_GIB = 1.0
_FleetCandidate = Candidate[FleetEstimate]


def select_component_fleet(needs: FleetRequirements, catalog: Catalog) -> Selection[FleetEstimate]:
    """Return the best type that holds copies of all components, with the reasons for all others.

    Raises ``NoFeasibleInstanceError`` when there is none.
    """
    known: dict[str, Rejection] = {}
    copies: dict[str, Mapping[str, CopyEstimate]] = {}
    for component in needs.components:
        copies[component.name], misses = _copies_on_each_type(component, catalog)
        known = {**misses, **known}
    candidates = []
    for instance_type in catalog.instance_types:
        if instance_type.name in known:
            continue
        estimate = _fleet(
            needs, instance_type, {name: on_types[instance_type.name] for name, on_types in copies.items()}
        )
        count, most = estimate.instances_at_peak, needs.max_instances
        if count > most:
            reason = f"{count:,} instances hold the copies at peak load, at most {most:,} are allowed"
            known[instance_type.name] = rejection(
                instance_type.name, "throughput", Miss(reason, count / most)
            )
            continue
        price = catalog.price(instance_type.name, Usage.HOSTING)
        cost = endpoint_cost(price, estimate.instances_paid, discount_percent=needs.savings_plan_discount_pct)
        candidates.append(
            _FleetCandidate.trusted({"instance_type": instance_type.name, "estimate": estimate, "cost": cost})
        )
    return select_best(
        candidates,
        known,
        catalog,
        endpoint_filter_names(),
        partial(_assumptions, needs),
        needs.components[0].serving.limits.locked,
        objective=needs.objective,
        max_usd_per_month=needs.max_usd_per_month,
    )


def _copies_on_each_type(
    component: ComponentRequirements, catalog: Catalog
) -> tuple[Mapping[str, CopyEstimate], Mapping[str, Rejection]]:
    """Return for each type the share on which the copies for the peak reserve the least, or why not even a whole one will do."""
    serving = component.serving
    eligible = eligible_types(
        catalog, Usage.HOSTING, serving.limits, serving.model.architecture, serving.model.framework
    )
    best: dict[str, CopyEstimate] = {}
    missed: dict[str, Rejection] = dict(eligible.rejected)
    for share in (*_SHARES, None):
        of_share = _shared(eligible, share)
        if not of_share.instance_types:
            continue
        columns = EndpointColumns(serving, of_share)
        kept, misses = apply_filters(of_share.names, columns, COPY_FILTERS)
        missed |= misses
        for i, found in zip(
            kept, endpoint_candidates(columns, kept, of_share.prices) if kept else (), strict=True
        ):
            passing_gib = float(columns.memory.host_needed_gib[i])
            copy = _copy(of_share.instance_types[i], found.estimate, passing_gib, serving.margin)
            least = best.get(found.instance_type)
            if least is None or copy.share * copy.copies_at_peak < least.share * least.copies_at_peak:
                best[found.instance_type] = copy
    return best, {
        name: rejected.model_copy(update={"reason": f"component {component.name}: {rejected.reason}"})
        for name, rejected in missed.items()
        if name not in best
    }


@lru_cache(maxsize=64)
def _shared(eligible: Eligible, share: int | None) -> Eligible:
    """Return a share of each type that is larger, as an instance of that size; for None, all types as they are."""
    if share is None:
        return eligible
    types = eligible.instance_types
    larger = [i for i, instance_type in enumerate(types) if share < _shares_of(instance_type)]
    parts = tuple(_part(types[i], share) for i in larger)
    return Eligible(parts, {}, tuple(eligible.prices[i] for i in larger))


def _shares_of(instance_type: InstanceType) -> int:
    return instance_type.accelerator_count or instance_type.vcpus


def _part(instance_type: InstanceType, share: int) -> InstanceType:
    part = share / _shares_of(instance_type)
    return replace(
        instance_type,
        vcpus=max(1, floor(instance_type.vcpus * part)),
        memory_gib=instance_type.memory_gib * part,
        accelerator_count=share if instance_type.accelerator_count else 0,
        local_storage_gb=instance_type.local_storage_gb * part,
    )


def _describe_copies(c: EndpointColumns, i: int) -> Miss:
    count, most = int(c.capacity.instances_at_peak[i]), c.needs.max_instances
    return Miss(f"{count:,} copies carry the peak, at most {most:,} are allowed", count / most)


#: The questions that a share of each eligible type must pass: those of an endpoint, with copies in place of instances.
COPY_FILTERS: tuple[Filter[EndpointColumns], ...] = tuple(
    replace(f, describe=_describe_copies) if f.name == "throughput" else f for f in ENDPOINT_FILTERS
)


def _copy(part: InstanceType, estimate: EndpointEstimate, passing_gib: float, margin: float) -> CopyEstimate:
    """Return what a copy reserves. It reserves only the host memory that it needs, to leave room for other copies.

    A copy with an accelerator needs ``passing_gib``, the weights on their way there. A copy on CPUs needs the model once for
    each worker. AWS does not say how much of an instance can be reserved; the operating system and the agents of SageMaker are
    taken to keep their part.
    """
    needed_gib = passing_gib
    if not part.accelerator_count:
        needed_gib += estimate.memory.needed_gib * estimate.replicas_per_instance
    return CopyEstimate(
        share=_shares_of(part),
        accelerator_count=part.accelerator_count,
        cpu_cores=floor(100 * part.vcpus * USABLE_HOST_SHARE) / 100,
        memory_mib=floor(
            1024 * min(part.memory_gib * USABLE_HOST_SHARE, max(_LEAST_HOST_GIB, needed_gib * (1 + margin)))
        ),
        copies_at_average=estimate.instances_at_average,
        copies_at_peak=estimate.instances_at_peak,
        serving=estimate,
    )


def _fleet(
    needs: FleetRequirements, instance_type: InstanceType, copies: Mapping[str, CopyEstimate]
) -> FleetEstimate:
    shares = _shares_of(instance_type)
    place = partial(
        place_copies,
        shares={name: copy.share for name, copy in copies.items()},
        apart={component.name: component.serving.min_instances for component in needs.components},
        shares_per_instance=shares,
    )
    at_peak = place({name: copy.copies_at_peak for name, copy in copies.items()})
    at_average = place({name: copy.copies_at_average for name, copy in copies.items()})
    tightest = max(
        needs.components, key=lambda component: _used(component, copies[component.name].serving)
    ).name
    reserved = sum(copy.share * copy.copies_at_peak for copy in copies.values())
    instances_at_peak = max(len(at_peak), needs.min_instances)
    instances_at_average = max(len(at_average), needs.min_instances)
    share_of_week = needs.hours_per_week / HOURS_PER_WEEK
    return FleetEstimate.trusted(
        {
            **copies[tightest].serving.__dict__,
            "instances_at_average": instances_at_average,
            "instances_at_peak": instances_at_peak,
            "instances_by_schedule": instances_at_average * share_of_week if share_of_week < 1 else None,
            "utilization": reserved / (shares * instances_at_peak),
            **{
                field: tuple(
                    f"{limit} of {name}"
                    for name, copy in copies.items()
                    for limit in getattr(copy.serving, field)
                )
                for field in ("near_limits", "not_predicted")
            },
            "tightest": tightest,
            "shares_per_instance": shares,
            "components": dict(copies),
            "placement": at_peak,
        }
    )


def _used(component: ComponentRequirements, estimate: EndpointEstimate) -> float:
    """Return the share of the decisive bound of latency that answers take."""
    bound = decisive_bound(estimate)
    return (bound.reached_ms(estimate) or 0.0) / (bound.asked_ms(component.serving) or 1.0)


def _assumptions(needs: FleetRequirements, chosen: Candidate[FleetEstimate]) -> Iterator[str]:
    yield f"{HOURS_PER_MONTH} hours per month; on-demand prices of {chosen.cost.price_date or 'unknown date'}"
    yield (
        f"a copy reserves {USABLE_HOST_SHARE:.0%} of the cores of its share of an instance, because the operating system "
        "and SageMaker use the rest. It reserves the host memory that its model needs, with the margin, and may use free memory"
    )
    yield "copies are packed by size; SageMaker places them as they come and go, and may use more instances for a while"
    if sleeping := [component.name for component in needs.components if component.serving.min_instances == 0]:
        yield f"copies for the average load are always paid for, even of components that may sleep: {', '.join(sleeping)}"
    if needs.hours_per_week < HOURS_PER_WEEK:
        yield (
            f"instances are paid for {needs.hours_per_week:g} of {HOURS_PER_WEEK} hours a week; the minutes in which they start "
            "and stop are not counted"
        )
    if needs.savings_plan_discount_pct:
        yield f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour"
