"""The Pareto front of cost against time."""

from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection import Candidate, EndpointEstimate
from sizewell.instance_selection.pareto import pareto_front
from tests.instance_selection.candidates import job, serving

FEW_VALUES = st.sampled_from([1.0, 2.0, 3.0, 5.0])
MANY = st.lists(st.tuples(st.none() | FEW_VALUES, FEW_VALUES), max_size=12)


def candidates(points: list[tuple[float | None, float]]) -> list[Candidate[EndpointEstimate]]:
    return [serving(f"ml.t{i:02}.xlarge", cost, ms) for i, (cost, ms) in enumerate(points)]


def names(found: tuple[Candidate[EndpointEstimate], ...]) -> list[str]:
    return [candidate.instance_type for candidate in found]


def beats(one: Candidate[EndpointEstimate], other: Candidate[EndpointEstimate]) -> bool:
    assert one.cost.usd_per_month is not None
    assert other.cost.usd_per_month is not None
    ours = one.cost.usd_per_month, one.estimate.p95_latency_ms
    theirs = other.cost.usd_per_month, other.estimate.p95_latency_ms
    return ours != theirs and ours[0] <= theirs[0] and ours[1] <= theirs[1]


def test_front_leaves_out_what_is_more_expensive_and_slower_than_another() -> None:
    cheap, dear = serving("ml.a.xlarge", 10, 90), serving("ml.b.xlarge", 40, 20)
    beaten, same_time = serving("ml.c.xlarge", 30, 95), serving("ml.d.xlarge", 20, 90)
    assert pareto_front([dear, beaten, same_time, cheap]) == (cheap, dear)


def test_front_of_jobs_is_of_durations() -> None:
    slow, fast = job("ml.a.xlarge", 10, 8), job("ml.b.xlarge", 40, 2)
    assert pareto_front([fast, job("ml.c.xlarge", 41, 2), slow]) == (slow, fast)


def test_unknown_price_is_never_on_the_front_however_fast() -> None:
    known = serving("ml.a.xlarge", 10, 90)
    assert pareto_front([serving("ml.b.xlarge", None, 1), known]) == (known,)
    assert pareto_front([serving("ml.b.xlarge", None, 1)]) == ()


def test_equals_are_on_the_front_together() -> None:
    first, second = serving("ml.a.xlarge", 10, 90), serving("ml.b.xlarge", 10, 90)
    assert pareto_front([second, first]) == (first, second)


@given(MANY)
def test_front_is_exactly_what_no_priced_candidate_beats(points: list[tuple[float | None, float]]) -> None:
    priced = [one for one in candidates(points) if one.cost.usd_per_month is not None]
    unbeaten = {one.instance_type for one in priced if not any(beats(other, one) for other in priced)}
    front = names(pareto_front(candidates(points)))
    assert set(front) == unbeaten
    assert len(front) == len(unbeaten)


@given(MANY, st.randoms(use_true_random=False))
def test_order_of_the_candidates_does_not_matter(points: list[tuple[float | None, float]], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = candidates(points)
    random.shuffle(shuffled)
    assert pareto_front(shuffled) == pareto_front(candidates(points))
