import pytest

from sizewell.instance_selection import (
    NoFeasibleInstanceError,
    PriceBasis,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.filters import no_feasible
from sizewell.instance_selection.results import Rejection
from tests.instance_selection.builders import (
    catalog,
    cpu_instance,
    endpoint,
    gpu_instance,
    limits,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

SMALL, LARGE, GPU_BOX = "ml.c9.xlarge", "ml.c9.2xlarge", "ml.g9.xlarge"


def test_the_cheapest_type_is_chosen_and_the_rest_follow_by_cost() -> None:
    known = catalog(
        cpu_instance(SMALL),
        cpu_instance(LARGE),
        gpu_instance(GPU_BOX),
        usd_per_hour={SMALL: 3, LARGE: 2, GPU_BOX: 1},
    )

    selection = select_endpoint_instance(endpoint(), known)

    assert selection.chosen.instance_type == GPU_BOX
    assert [one.instance_type for one in selection.runners_up] == [LARGE, SMALL]


def test_cost_is_the_price_of_the_average_number_of_instances_in_a_month_of_730_hours() -> None:
    # 17 requests per second of one instance, 30 % kept free: 20 per second need 2, 100 need 9.
    known = catalog(cpu_instance(SMALL), usd_per_hour={SMALL: 0.5})
    needs = endpoint(peak_requests_per_second=100, average_requests_per_second=20)

    chosen = select_endpoint_instance(needs, known).chosen

    assert (chosen.estimate.instances_at_average, chosen.estimate.instances_at_peak) == (2, 9)
    assert chosen.cost.usd_per_month == pytest.approx(0.5 * 2 * 730)
    assert (chosen.cost.basis, chosen.cost.price_date) == (PriceBasis.PUBLISHED, "2026-01-31")


def test_an_unknown_price_ranks_last_however_dear_the_others_are_and_is_not_zero() -> None:
    known = catalog(cpu_instance(SMALL), gpu_instance(GPU_BOX), usd_per_hour={GPU_BOX: 1000})

    selection = select_endpoint_instance(endpoint(), known)

    assert selection.chosen.instance_type == GPU_BOX
    (unpriced,) = selection.runners_up
    assert unpriced.instance_type == SMALL
    assert unpriced.cost.usd_per_hour is None
    assert unpriced.cost.usd_per_month is None
    assert unpriced.cost.basis is PriceBasis.UNKNOWN


def test_a_training_type_without_a_price_ranks_last_and_is_not_free() -> None:
    known = catalog(gpu_instance(GPU_BOX), gpu_instance("ml.g9.2xlarge"), usd_per_hour={GPU_BOX: 1000})

    selection = select_training_instance(training(), known)

    assert selection.chosen.instance_type == GPU_BOX
    (unpriced,) = selection.runners_up
    assert unpriced.cost.usd_per_month is None
    assert unpriced.estimate.usd_per_run is None


def test_the_only_feasible_type_is_chosen_even_without_a_price() -> None:
    chosen = select_endpoint_instance(endpoint(), catalog(cpu_instance(SMALL))).chosen

    assert (chosen.instance_type, chosen.cost.usd_per_month) == (SMALL, None)


def test_of_equal_costs_the_faster_type_comes_first() -> None:
    known = catalog(cpu_instance(SMALL), gpu_instance(GPU_BOX), usd_per_hour={SMALL: 1, GPU_BOX: 1})

    selection = select_endpoint_instance(endpoint(), known)

    assert selection.chosen.instance_type == GPU_BOX


def test_of_types_without_a_price_the_faster_one_comes_first() -> None:
    known = catalog(cpu_instance(SMALL), gpu_instance(GPU_BOX))

    assert select_endpoint_instance(endpoint(), known).chosen.instance_type == GPU_BOX
    assert select_training_instance(training(deadline_hours=48), known).chosen.instance_type == GPU_BOX


def test_of_equal_costs_and_speeds_the_name_decides() -> None:
    twins = (cpu_instance("ml.c9.b"), cpu_instance("ml.c9.a"), cpu_instance("ml.c9.c"))
    known = catalog(*twins, usd_per_hour={one.name: 1 for one in twins})

    for selection in (
        select_endpoint_instance(endpoint(), known),
        select_training_instance(training(deadline_hours=48), known),
    ):
        assert selection.chosen.instance_type == "ml.c9.a"
        assert [one.instance_type for one in selection.runners_up] == ["ml.c9.b", "ml.c9.c"]


def test_rejections_are_in_the_order_of_the_catalog() -> None:
    known = catalog(
        *(cpu_instance(name) for name in ("ml.c9.b", "ml.c9.c", "ml.c9.a")), gpu_instance(GPU_BOX)
    )
    needs = endpoint(limits=limits(denied_families=frozenset({"c9"})))

    selection = select_endpoint_instance(needs, known)

    assert [one.instance_type for one in selection.rejected] == ["ml.c9.a", "ml.c9.b", "ml.c9.c"]


def test_assumptions_name_the_date_of_the_prices_or_say_that_it_is_unknown() -> None:
    priced = select_endpoint_instance(endpoint(), catalog(cpu_instance(SMALL), usd_per_hour={SMALL: 1}))
    unpriced = select_endpoint_instance(endpoint(), catalog(cpu_instance(SMALL)))

    assert priced.assumptions[0] == "730 hours per month; on-demand prices of 2026-01-31"
    assert unpriced.assumptions[0] == "730 hours per month; on-demand prices of unknown date"


def rejected_at(filter_name: str, instance_type: str, shortfall: float | None) -> Rejection:
    return Rejection(
        instance_type=instance_type, filter=filter_name, reason="too little", shortfall=shortfall
    )


def test_the_nearest_types_passed_the_most_filters_then_missed_by_the_least_then_come_by_name() -> None:
    rejected = (
        rejected_at("memory", "ml.near.first-filter", 1.01),
        rejected_at("latency", "ml.b.equal", 2.0),
        rejected_at("latency", "ml.a.equal", 2.0),
        rejected_at("latency", "ml.yes-or-no", None),
        rejected_at("latency", "ml.far", 9.0),
        rejected_at("latency", "ml.near", 1.1),
    )

    error = no_feasible(rejected, ("memory", "latency"))

    assert [one.instance_type for one in error.nearest] == [
        "ml.near",
        "ml.a.equal",
        "ml.b.equal",
        "ml.far",
        "ml.yes-or-no",
    ]
    assert error.considered == 6


def test_when_nothing_fits_the_message_lists_the_five_nearest_with_their_reasons() -> None:
    known = catalog(
        cpu_instance("ml.c9.large", vcpus=2),
        cpu_instance("ml.c9.xlarge", vcpus=4),
        cpu_instance("ml.c9.2xlarge", vcpus=8),
        cpu_instance("ml.c9.4xlarge", vcpus=16),
        gpu_instance("ml.g9.xlarge", accelerator_memory_gib=0.5),
        cpu_instance("ml.x9.xlarge"),
    )
    needs = endpoint(max_p95_latency_ms=2, limits=limits(denied_families=frozenset({"x9"})))

    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_endpoint_instance(needs, known)

    assert str(raised.value) == "\n".join(
        [
            "none of 6 instance types meets all requirements; the nearest:",
            "  ml.c9.4xlarge: latency: p95 of 15 ms on an idle instance, 2.0 ms asked",
            "  ml.c9.2xlarge: latency: p95 of 30 ms on an idle instance, 2.0 ms asked",
            "  ml.c9.xlarge: latency: p95 of 60 ms on an idle instance, 2.0 ms asked",
            "  ml.c9.large: latency: p95 of 120 ms on an idle instance, 2.0 ms asked",
            "  ml.g9.xlarge: memory: needs 0.5 GiB, memory offers 0.5",
        ]
    )
    assert [one.shortfall for one in raised.value.nearest[:4]] == pytest.approx([7.5, 15, 30, 60])


def test_no_type_at_all_is_an_error_too() -> None:
    with pytest.raises(NoFeasibleInstanceError, match=r"^none of 0 instance types meets all requirements"):
        select_training_instance(training(), catalog())
