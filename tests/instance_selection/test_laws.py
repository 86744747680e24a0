"""Laws of every selection, over the real catalog and random needs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instance_selection import (
    Catalog,
    EndpointEstimate,
    EndpointRequirements,
    HardwareKind,
    InstanceLimits,
    NoFeasibleInstanceError,
    Selection,
    TrainingEstimate,
    TrainingRequirements,
    Usage,
    load_catalog,
    select_endpoint_instance,
    select_training_instance,
)
from instance_selection.catalog import InstanceType, loading, tables
from instance_selection.endpoint_selection import endpoint_filters
from instance_selection.training_selection import training_filters
from tests.instance_selection.builders import BERT_BASE, LLAMA_3_8B, decoder_training, endpoint
from tests.instance_selection.strategies import endpoint_needs, training_needs

CATALOG = load_catalog("us-east-1")
Needs = EndpointRequirements | TrainingRequirements
AnySelection = Selection[EndpointEstimate] | Selection[TrainingEstimate]


def law(max_examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return settings that try the same examples in every run."""
    return settings(deadline=None, derandomize=True, max_examples=max_examples, database=None)


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


def filter_names(needs: Needs) -> set[str]:
    if isinstance(needs, EndpointRequirements):
        return {one.name for one in endpoint_filters(needs, CATALOG)}
    return {one.name for one in training_filters(needs, CATALOG)}


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
        assert estimate.p95_latency_ms <= needs.max_p95_latency_ms * (1 + 1e-6)
        assert estimate.service_time_ms <= estimate.p95_latency_ms
        assert estimate.memory.needed_gib <= estimate.memory.usable_gib
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
        assert estimate.duration_hours <= needs.deadline_hours
        assert estimate.memory.needed_gib <= estimate.memory.usable_gib
        assert 1 <= estimate.instance_count <= needs.max_instances
        assert estimate.instance_count == 1 or instance_type.efa_supported
        assert needs.min_accelerators == 1 or estimate.accelerator_count >= needs.min_accelerators
        assert 0 < estimate.utilization <= 1


ENDPOINT_LOOSENINGS: dict[str, Callable[[EndpointRequirements], dict[str, Any]]] = {
    "more latency": lambda needs: {"max_p95_latency_ms": needs.max_p95_latency_ms * 1.7},
    "less load": lambda needs: {
        name: load and load * 0.6
        for name in (
            "peak_requests_per_second",
            "average_requests_per_second",
            "peak_concurrent_users",
            "average_concurrent_users",
        )
        for load in (getattr(needs, name),)
    },
    "less headroom": lambda needs: {"headroom": needs.headroom / 2},
    "fewer instances at least": lambda needs: {"min_instances": 1},
    "more instances at most": lambda needs: {"max_instances": needs.max_instances * 2},
}
TRAINING_LOOSENINGS: dict[str, Callable[[TrainingRequirements], dict[str, Any]]] = {
    "a later deadline": lambda needs: {"deadline_hours": needs.deadline_hours * 1.7},
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


# A ceiling only: a stated range of instances asks for autoscaling, which is one more requirement (burstable types
# cannot do it), so that stating a larger one may cost more.
@pytest.mark.parametrize("loosening", ENDPOINT_LOOSENINGS)
@law(20)
@given(needs=endpoint_needs())
def test_an_endpoint_never_costs_more_with(loosening: str, needs: EndpointRequirements) -> None:
    loose = replace(needs, **ENDPOINT_LOOSENINGS[loosening](needs))

    assert cost_rank(loose) <= cost_rank(needs)


@pytest.mark.parametrize("loosening", TRAINING_LOOSENINGS)
@law(20)
@given(needs=training_needs())
def test_a_job_never_costs_more_with(loosening: str, needs: TrainingRequirements) -> None:
    loose = replace(needs, **TRAINING_LOOSENINGS[loosening](needs))

    assert cost_rank(loose) <= cost_rank(needs)


@pytest.mark.parametrize("loosening", LIMITS_LOOSENINGS)
@law(20)
@given(needs=any_needs)
def test_a_choice_never_costs_more_with(loosening: str, needs: Needs) -> None:
    loose = replace(needs, limits=replace(needs.limits, **LIMITS_LOOSENINGS[loosening](needs.limits)))

    assert cost_rank(loose) <= cost_rank(needs)


@law(40)
@given(any_needs)
def test_every_type_is_judged_once_and_every_rejection_names_its_filter(needs: Needs) -> None:
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        assert found.considered == len(CATALOG.instance_types)
        assert {one.filter for one in found.nearest} <= filter_names(needs)
        return
    names = [one.instance_type for one in (found.chosen, *found.runners_up, *found.rejected)]
    assert sorted(names) == [one.name for one in CATALOG.instance_types]
    assert {one.filter for one in found.rejected} <= filter_names(needs)
    assert all(one.reason for one in found.rejected)
    assert all(one.shortfall is None or one.shortfall > 1 for one in found.rejected)


@law(40)
@given(any_needs)
def test_candidates_are_sorted_by_cost_with_the_unknown_ones_last(needs: Needs) -> None:
    found = select(needs)
    if isinstance(found, NoFeasibleInstanceError):
        return
    costs = [one.cost.usd_per_month for one in (found.chosen, *found.runners_up)]
    known = [cost for cost in costs if cost is not None]
    assert costs == sorted(known) + [None] * (len(costs) - len(known))
    assert all(cost > 0 for cost in known)


@law(20)
@given(any_needs)
def test_two_runs_tell_the_same_story(needs: Needs) -> None:
    assert story(needs, CATALOG) == story(needs, CATALOG)


def story(needs: Needs, known: Catalog) -> str:
    """Return everything that a selection says."""
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
