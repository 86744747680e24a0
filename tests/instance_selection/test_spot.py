from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.catalog import SpotHistory
from sizewell.instance_selection.requirements import START_UP_HOURS, SpotRequirements
from sizewell.instance_selection.spot import (
    MONTHLY_INTERRUPTIONS,
    SpotRuns,
    interruption_rate,
)


def history(band: str) -> SpotHistory:
    return SpotHistory(savings_percent=60, interruption_band=band, as_of="2026-01-31")


def test_a_band_is_a_share_of_instances_in_a_month_of_730_hours() -> None:
    assert interruption_rate(history("<5%")) == 0.05 / 730
    assert interruption_rate(history(">20%")) == 0.5 / 730


def test_worse_bands_interrupt_more_and_the_unknown_is_the_worst() -> None:
    rates = [interruption_rate(history(band)) for band in ("<5%", "5-10%", "10-15%", "15-20%", ">20%")]

    assert rates == sorted(rates)
    assert len(set(rates)) == 5
    assert interruption_rate(None) == max(rates)


def test_every_band_of_the_data_has_a_rate(real_catalog: Catalog) -> None:
    spots = [real_catalog.spot(one.name) for one in real_catalog.instance_types]
    bands = {spot.interruption_band for spot in spots if spot}

    assert bands
    assert bands <= MONTHLY_INTERRUPTIONS.keys()


def runs(work_hours: float, rate: float = 0.0, **changes: Any) -> SpotRuns:
    """Return a run with a checkpoint every four hours that has a thousand hours to end in."""
    spot = SpotRequirements(**{"checkpoint_interval_hours": 4.0, **changes.pop("spot", {})})
    values = {"deadline_hours": 1000.0, "margin": 0.0, **changes}
    return SpotRuns(
        spot=spot, work_hours=np.array(work_hours), interruptions_per_hour=np.array(rate), **values
    )


def test_duration_is_start_up_and_work_when_nothing_interrupts() -> None:
    assert float(runs(5.0).hours) == pytest.approx(5 + 1 / 6)


def test_an_interruption_costs_a_start_up_and_half_an_interval() -> None:
    # One interruption in 100 hours, ten hours of work.
    assert float(runs(10.0, 0.01).hours) == pytest.approx(START_UP_HOURS + 10 + 0.1 * (1 / 6 + 2))


@given(
    st.floats(0.1, 500),
    st.floats(0, 0.1),
    st.floats(1, 1000),
    st.floats(0, 1),
    st.none() | st.floats(0.5, 100),
)
def test_whatever_happens_on_spot_a_run_on_demand_still_ends_in_time(
    work_hours: float, rate: float, deadline_hours: float, margin: float, max_wait_hours: float | None
) -> None:
    tried = runs(
        work_hours,
        rate,
        deadline_hours=deadline_hours,
        margin=margin,
        spot={"max_wait_hours": max_wait_hours},
    )
    window, on_demand = float(tried.window_hours), START_UP_HOURS + work_hours
    assert 0 <= float(tried.spot_hours) <= window <= (max_wait_hours or deadline_hours)
    assert window == 0 or window + on_demand * (1 + margin) <= deadline_hours * (1 + 1e-9)
    assert float(tried.hours) >= work_hours
    # What Spot had done need not be done again, but for a start and half an interval.
    assert float(tried.hours) <= window + on_demand + 4.0 / 2 + 1e-9
