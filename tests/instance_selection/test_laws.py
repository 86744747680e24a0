"""Laws of every selection, over the real catalog and random needs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import (
    Candidate,
    Catalog,
    EndpointEstimate,
    EndpointRequirements,
    HardwareKind,
    InstanceLimits,
    NoFeasibleInstanceError,
    Objective,
    Selection,
    TrainingEstimate,
    TrainingRequirements,
    Usage,
    load_catalog,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType, loading, tables
from sizewell.instance_selection.endpoint_selection import endpoint_filter_names
from sizewell.instance_selection.latency_bounds import BOUNDS, P95, LatencyBound
from sizewell.instance_selection.pricing import NEAR_LIMIT_FACTOR, cost_order
from sizewell.instance_selection.training_selection import training_filter_names
from tests.instance_selection.builders import BERT_BASE, LLAMA_3_8B, decoder_training, endpoint
from tests.instance_selection.strategies import endpoint_needs, training_needs

CATALOG = load_catalog("us-east-1")
Needs = EndpointRequirements | TrainingRequirements
AnySelection = Selection[EndpointEstimate] | Selection[TrainingEstimate]


def law(max_examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return settings that try the same examples in every run."""
    return settings(derandomize=True, max_examples=max_examples, database=None)


# A law asks more than once of the same needs.
@lru_cache(maxsize=4)
def select(needs: Needs, known: Catalog = CATALOG) -> AnySelection | NoFeasibleInstanceError:
    try:
        if isinstance(needs, EndpointRequirements):
            return select_endpoint_instance(needs, known)
        return select_training_instance(needs, known)
    except NoFeasibleInstanceError as error:
        return error


def cost_rank(needs: Needs) -> tuple[int, float]:
    """Return a key that is less for what is better: a known cost, an unknown cost, no type at all."""
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        return 2, 0.0
    usd = found.chosen.cost.usd_per_month
    return (1, 0.0) if usd is None else (0, usd)


def candidates(needs: Needs) -> list[Candidate[Any]]:
    found = select(needs)
    return [] if isinstance(found, NoFeasibleInstanceError) else [found.chosen, *found.runners_up]


def feasible(needs: Needs) -> set[str]:
    return {one.instance_type for one in candidates(needs)}


def costs(needs: Needs) -> dict[str, float]:
    """Return the cost of each feasible type whose price is known."""
    found = {one.instance_type: one.cost.usd_per_month for one in candidates(needs)}
    return {name: usd for name, usd in found.items() if usd is not None}


def filter_names(needs: Needs) -> set[str]:
    if isinstance(needs, EndpointRequirements):
        return set(endpoint_filter_names())
    return set(training_filter_names())


any_needs = st.one_of(endpoint_needs(), training_needs())


def assert_allowed(instance_type: InstanceType, limits: InstanceLimits, usage: Usage) -> None:
    assert usage in instance_type.usages
    assert CATALOG.offer(instance_type.name, usage).offered
    assert instance_type.family not in limits.denied_families
    assert limits.allow_burstable or not instance_type.burstable
    if instance_type.accelerator_count:
        assert instance_type.accelerator
        assert HardwareKind(instance_type.accelerator.kind) in limits.images
    else:
        assert HardwareKind(f"cpu_{instance_type.cpu_architecture}") in limits.images


@law(60)
@given(endpoint_needs())
def test_every_candidate_of_an_endpoint_meets_every_requirement(needs: EndpointRequirements) -> None:
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        return
    for one in (found.chosen, *found.runners_up):
        estimate = one.estimate
        assert isinstance(estimate, EndpointEstimate)
        assert_allowed(CATALOG.get(one.instance_type), needs.limits, Usage.HOSTING)
        for bound in BOUNDS:
            reached_ms, asked_ms = bound.reached_ms(estimate), bound.asked_ms(needs)
            if asked_ms is not None:
                assert reached_ms is not None
                assert reached_ms * (1 + needs.margin) <= asked_ms * (1 + 1e-6), bound
        assert estimate.p99_latency_ms is not None
        assert estimate.p99_latency_ms >= estimate.p95_latency_ms
        assert (estimate.time_to_first_token_ms or 0.0) <= estimate.p95_latency_ms
        assert estimate.service_time_ms <= estimate.p95_latency_ms
        assert estimate.memory.needed_gib * (1 + needs.margin) <= estimate.memory.usable_gib * (1 + 1e-9)
        assert needs.min_instances <= estimate.instances_at_average <= estimate.instances_at_peak
        assert estimate.instances_at_peak <= needs.max_instances
        assert 0 < estimate.utilization <= 1 - needs.headroom + 1e-6
        carried = estimate.instances_at_peak * (1 - needs.headroom) * (1 + 1e-6)
        if needs.peak_concurrent_users is not None:
            assert needs.peak_concurrent_users <= carried * estimate.capacity_concurrency
        else:
            assert needs.peak_requests_per_second is not None
            assert needs.peak_requests_per_second <= carried * estimate.capacity_requests_per_second


@law(60)
@given(training_needs())
def test_every_candidate_of_a_job_meets_every_requirement(needs: TrainingRequirements) -> None:
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        return
    for one in (found.chosen, *found.runners_up):
        estimate = one.estimate
        assert isinstance(estimate, TrainingEstimate)
        instance_type = CATALOG.get(one.instance_type)
        assert_allowed(instance_type, needs.limits, Usage.TRAINING)
        assert estimate.duration_hours * (1 + needs.margin) <= needs.deadline_hours * (1 + 1e-6)
        assert estimate.memory.needed_gib * (1 + needs.margin) <= estimate.memory.usable_gib * (1 + 1e-9)
        assert 1 <= estimate.instance_count <= needs.max_instances
        assert estimate.instance_count == 1 or instance_type.efa_supported
        assert needs.min_accelerators == 1 or estimate.accelerator_count >= needs.min_accelerators
        assert 0 < estimate.utilization <= 1 or needs.model.architecture.tabular


LOADS = (
    "peak_requests_per_second",
    "average_requests_per_second",
    "peak_concurrent_users",
    "average_concurrent_users",
)


def looser(bound: LatencyBound) -> Callable[[EndpointRequirements], dict[str, Any]]:
    return lambda needs: {bound.need: (asked := bound.asked_ms(needs)) and asked * 1.7}


ENDPOINT_LOOSENINGS: dict[str, Callable[[EndpointRequirements], dict[str, Any]]] = {
    **{f"a looser {bound.name}": looser(bound) for bound in BOUNDS},
    "no bound but the 95th percentile": lambda needs: {
        bound.need: None for bound in BOUNDS if bound is not P95
    },
    "less load": lambda needs: {
        name: load and load * 0.6 for name in LOADS for load in (getattr(needs, name),)
    },
    "less headroom": lambda needs: {"headroom": needs.headroom / 2},
    "less margin": lambda needs: {"margin": needs.margin / 2},
    "fewer instances at least": lambda needs: {"min_instances": 1},
    "more instances at most": lambda needs: {"max_instances": needs.max_instances * 2},
}
TRAINING_LOOSENINGS: dict[str, Callable[[TrainingRequirements], dict[str, Any]]] = {
    "a later deadline": lambda needs: {"deadline_hours": needs.deadline_hours * 1.7},
    "less margin": lambda needs: {"margin": needs.margin / 2},
    "less work": lambda needs: {"units": needs.units * 0.6},
    "fewer accelerators at least": lambda needs: {"min_accelerators": 1},
    "more instances at most": lambda needs: {"max_instances": needs.max_instances * 2},
}
LIMITS_LOOSENINGS: dict[str, Callable[[InstanceLimits], dict[str, Any]]] = {
    "an image for CUDA": lambda limits: {"images": limits.images | {HardwareKind.CUDA}},
    "an image for every kind": lambda limits: {"images": frozenset(HardwareKind)},
    "burstable types": lambda limits: {"allow_burstable": True},
    "no denied family": lambda limits: {"denied_families": frozenset()},
}


def assert_looser(loose: Needs, needs: Needs) -> None:
    """Check that nothing that was feasible is lost, and that the best of it has become no worse.

    It may have become more expensive by what it is worth that no need lies within a range.
    """
    assert feasible(loose) >= feasible(needs)
    known, usd = cost_rank(needs)
    assert cost_rank(loose) <= (known, usd * NEAR_LIMIT_FACTOR)


# A ceiling only: a stated range of instances asks for autoscaling, which is one more requirement (burstable types
# cannot do it), so that stating a larger one may cost more.
@pytest.mark.parametrize("loosening", ENDPOINT_LOOSENINGS)
@law(20)
@given(needs=endpoint_needs())
def test_an_endpoint_never_costs_more_with(loosening: str, needs: EndpointRequirements) -> None:
    assert_looser(replace(needs, **ENDPOINT_LOOSENINGS[loosening](needs)), needs)


@pytest.mark.parametrize("loosening", TRAINING_LOOSENINGS)
@law(20)
@given(needs=training_needs())
def test_a_job_never_costs_more_with(loosening: str, needs: TrainingRequirements) -> None:
    assert_looser(replace(needs, **TRAINING_LOOSENINGS[loosening](needs)), needs)


@pytest.mark.parametrize("loosening", LIMITS_LOOSENINGS)
@law(20)
@given(needs=any_needs)
def test_a_choice_never_costs_more_with(loosening: str, needs: Needs) -> None:
    assert_looser(
        replace(needs, limits=replace(needs.limits, **LIMITS_LOOSENINGS[loosening](needs.limits))), needs
    )


@law(30)
@given(endpoint_needs(), st.floats(1.0, 50.0))
def test_more_traffic_never_costs_less_on_any_type(needs: EndpointRequirements, factor: float) -> None:
    more = replace(
        needs,
        max_instances=10**6,
        **{name: load and load * factor for name in LOADS for load in (getattr(needs, name),)},
    )
    dear, cheap = costs(more), costs(replace(needs, max_instances=10**6))

    assert dear.keys() <= cheap.keys()
    assert all(dear[name] >= cheap[name] for name in dear)


@law(30)
@given(endpoint_needs(), st.floats(1.0, 50.0))
def test_more_traffic_never_needs_fewer_instances_of_any_type(
    needs: EndpointRequirements, factor: float
) -> None:
    free = replace(needs, max_instances=10**6)
    more = replace(
        free, **{name: load and load * factor for name in LOADS for load in (getattr(free, name),)}
    )
    before = {one.instance_type: one.estimate.instances_at_peak for one in candidates(free)}

    for one in candidates(more):
        assert one.estimate.instances_at_peak >= before[one.instance_type]


@law(30)
@given(any_needs, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_margin_never_adds_a_type(needs: Needs, one: float, other: float) -> None:
    small, large = sorted((one, other))

    assert feasible(replace(needs, margin=large)) <= feasible(replace(needs, margin=small))


@law(30)
@given(endpoint_needs(), st.floats(1.0, 1e6))
def test_a_budget_only_takes_away_what_costs_more(needs: EndpointRequirements, budget: float) -> None:
    known = costs(needs)

    assert feasible(replace(needs, max_usd_per_month=budget)) == {
        name for name, usd in known.items() if usd <= budget
    }


@law(40)
@given(any_needs)
def test_the_range_of_an_estimate_contains_it(needs: Needs) -> None:
    for one in candidates(needs):
        if isinstance(one.estimate, EndpointEstimate):
            value, bounds = one.estimate.p95_latency_ms, one.estimate.latency_range_ms
        else:
            value, bounds = one.estimate.duration_hours, one.estimate.duration_range_hours
        assert bounds is not None
        assert 0 < bounds[0] < value < bounds[1]


@law(30)
@given(endpoint_needs())
def test_the_fastest_is_no_slower_than_the_cheapest_and_no_cheaper(needs: EndpointRequirements) -> None:
    fast = select(replace(needs, objective=Objective.LEAST_LATENCY))
    cheap = select(needs)
    if isinstance(fast, NoFeasibleInstanceError) or isinstance(cheap, NoFeasibleInstanceError):
        assert str(fast) == str(cheap)
        return
    assert isinstance(fast.chosen.estimate, EndpointEstimate)
    assert isinstance(cheap.chosen.estimate, EndpointEstimate)
    assert fast.chosen.estimate.p95_latency_ms <= cheap.chosen.estimate.p95_latency_ms
    unpriced, usd = cost_order(fast.chosen.cost, fast.chosen.estimate)
    assert cost_order(cheap.chosen.cost, cheap.chosen.estimate) <= (unpriced, usd * NEAR_LIMIT_FACTOR)


@law(40)
@given(any_needs)
def test_every_type_is_judged_once_and_every_rejection_names_its_filter(needs: Needs) -> None:
    found = select(needs)
    catalog_order = [one.name for one in CATALOG.instance_types]
    rejected = [one.instance_type for one in found.rejected]
    assert rejected == [name for name in catalog_order if name in set(rejected)]
    if isinstance(found, NoFeasibleInstanceError):
        assert rejected == catalog_order
        assert set(found.nearest) <= set(found.rejected)
        assert {one.filter for one in found.rejected} <= filter_names(needs)
        return
    names = [one.instance_type for one in (found.chosen, *found.runners_up, *found.rejected)]
    assert sorted(names) == catalog_order
    assert {one.filter for one in found.rejected} <= filter_names(needs)
    assert all(one.reason for one in found.rejected)
    assert all(one.shortfall is None or one.shortfall > 1 for one in found.rejected)


@law(40)
@given(any_needs)
def test_candidates_are_sorted_by_cost_with_the_unknown_ones_last(needs: Needs) -> None:
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        return
    ranked = [found.chosen, *found.runners_up]
    costs = [one.cost.usd_per_month for one in ranked]
    weighed = [cost_order(one.cost, one.estimate) for one in ranked]
    assert weighed == sorted(weighed)
    assert all(cost is None or cost > 0 for cost in costs)
    assert [cost is None for cost in costs] == sorted(cost is None for cost in costs)


@law(20)
@given(any_needs)
def test_two_runs_tell_the_same_story(needs: Needs) -> None:
    assert story(needs, CATALOG) == story(needs, CATALOG)


def story(needs: Needs, known: Catalog) -> str:
    """Return everything that a selection says."""
    select.cache_clear()
    found = select(needs, known)
    return str(found) if isinstance(found, NoFeasibleInstanceError) else found.model_dump_json()


@pytest.fixture(scope="module")
def shuffled_catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Load the same tables with their rows in another order."""
    directory = tmp_path_factory.mktemp("shuffled")
    for path in sorted(tables.DATA_DIRECTORY.glob("*.csv")):
        shuffle_rows(path, directory / path.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "DATA_DIRECTORY", directory)
        clear_caches()
        yield load_catalog("us-east-1")
    clear_caches()


def shuffle_rows(source: Path, target: Path) -> None:
    header, *rows = source.read_text("utf-8").splitlines(keepends=True)
    Random(7).shuffle(rows)
    target.write_text("".join([header, *rows]), "utf-8")


def clear_caches() -> None:
    load_catalog.cache_clear()
    loading._instance_types.cache_clear()


@law(20)
@given(needs=any_needs)
def test_the_order_of_the_rows_of_the_catalog_does_not_matter(
    shuffled_catalog: Catalog, needs: Needs
) -> None:
    assert shuffled_catalog is not CATALOG
    assert story(needs, shuffled_catalog) == story(needs, CATALOG)


def test_the_laws_see_both_feasible_and_infeasible_needs() -> None:
    feasible = (endpoint(model=BERT_BASE, images_per_request=0, input_tokens=128), decoder_training())
    infeasible = (
        replace(feasible[0], max_p95_latency_ms=0.001),
        replace(feasible[1], model=LLAMA_3_8B, deadline_hours=0.001),
    )

    assert [cost_rank(needs)[0] for needs in (*feasible, *infeasible)] == [0, 0, 2, 2]
