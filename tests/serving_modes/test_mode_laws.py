"""Laws of the comparison, over random needs and the real catalog."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Catalog, Precision, load_catalog
from sizewell.serving_modes import Mode, ModeNeeds, compare_modes
from tests.instance_selection.builders import limits
from tests.instance_selection.strategies import endpoint_needs

CATALOG = load_catalog("us-east-1")
#: A few families of each kind: the laws do not depend on how many there are.
FAMILIES = frozenset({"c5", "c7i", "m5", "t2", "g4dn", "g5", "inf2"})
quick = settings(max_examples=25)


@st.composite
def mode_needs(draw: st.DrawFn) -> ModeNeeds:
    endpoint = draw(endpoint_needs())
    own = limits(
        images=endpoint.limits.images, allowed_families=FAMILIES, allow_burstable=draw(st.booleans())
    )
    model = replace(
        endpoint.model, precision=draw(st.sampled_from([Precision.FP32, Precision.FP16, Precision.BF16]))
    )
    return ModeNeeds(
        endpoint=replace(endpoint, limits=own, model=model),
        payload_mb=draw(st.sampled_from([None, 0.01, 5.0, 50.0, 500.0])),
        response_mb=draw(st.sampled_from([None, 0.01, 5.0])),
        active_hours_per_day=draw(st.sampled_from([2.0, 8.0, 24.0])),
        max_wait_minutes=draw(st.sampled_from([None, 0.5, 8.0, 60.0, 1440.0])),
        similar_models=draw(st.sampled_from([1, 2, 20])),
        network_isolation=draw(st.booleans()),
    )


def eligible(needs: ModeNeeds, catalog: Catalog = CATALOG) -> set[Mode]:
    return {option.mode for option in compare_modes(needs, catalog).options if option.eligible}


@quick
@given(mode_needs())
def test_the_pick_is_eligible_and_nothing_eligible_is_known_to_be_cheaper(needs: ModeNeeds) -> None:
    comparison = compare_modes(needs, CATALOG)
    able = [option for option in comparison.options if option.eligible]
    if comparison.chosen is None:
        assert not able
        return
    assert comparison.chosen in able
    known = [option.usd_per_month for option in able if option.usd_per_month is not None]
    # An unknown price wins only where no price is known.
    assert comparison.chosen.usd_per_month == (min(known) if known else None)


@quick
@given(mode_needs(), st.sampled_from([0.03, 0.3, 0.9]))
def test_a_tighter_latency_never_adds_a_mode(needs: ModeNeeds, factor: float) -> None:
    tighter = replace(
        needs, endpoint=replace(needs.endpoint, max_p95_latency_ms=needs.endpoint.max_p95_latency_ms * factor)
    )
    assert eligible(tighter) <= eligible(needs)


@quick
@given(mode_needs(), st.sampled_from([0.03, 0.3, 0.9]))
def test_less_patience_never_adds_a_mode(needs: ModeNeeds, factor: float) -> None:
    assume(needs.max_wait_minutes is not None)
    hastier = replace(needs, max_wait_minutes=(needs.max_wait_minutes or 0) * factor)
    assert eligible(hastier) <= eligible(needs)
    assert eligible(replace(needs, max_wait_minutes=None)) <= eligible(hastier)


@quick
@given(mode_needs(), st.sampled_from([1.5, 10.0]))
def test_a_larger_payload_never_adds_a_mode(needs: ModeNeeds, factor: float) -> None:
    assume(needs.payload_mb is not None)
    assert eligible(replace(needs, payload_mb=(needs.payload_mb or 0) * factor)) <= eligible(needs)


@quick
@given(mode_needs(), st.sampled_from([0.2, 0.7]))
def test_fewer_requests_never_cost_more(needs: ModeNeeds, factor: float) -> None:
    assume(needs.endpoint.peak_requests_per_second is not None)
    load = {
        name: getattr(needs.endpoint, name) * factor
        for name in ("peak_requests_per_second", "average_requests_per_second")
    }
    less = compare_modes(replace(needs, endpoint=replace(needs.endpoint, **load)), CATALOG)
    more = compare_modes(needs, CATALOG)
    for mode in Mode:
        below, above = less.option(mode), more.option(mode)
        if below.usd_per_month is None or above.usd_per_month is None or not above.eligible:
            continue
        # With more traffic a function may take more memory, where the last millisecond is rounded differently.
        slack = 1.02 if mode in (Mode.SERVERLESS, Mode.LAMBDA) else 1 + 1e-9
        assert below.usd_per_month <= above.usd_per_month * slack, mode


@quick
@given(mode_needs())
def test_parts_add_up_and_an_unknown_bill_has_none(needs: ModeNeeds) -> None:
    for option in compare_modes(needs, CATALOG).options:
        if option.usd_per_month is None:
            assert option.parts == ()
        else:
            assert sum(part.usd_per_month or 0 for part in option.parts) == pytest.approx(
                option.usd_per_month
            )


@quick
@given(mode_needs())
def test_every_mode_is_told_and_the_same_twice(needs: ModeNeeds) -> None:
    comparison = compare_modes(needs, CATALOG)
    assert tuple(option.mode for option in comparison.options) == tuple(Mode)
    assert compare_modes(needs, CATALOG) == comparison
