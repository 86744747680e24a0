import pytest

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.catalog import SpotHistory
from sizewell.instance_selection.spot import (
    MONTHLY_INTERRUPTIONS,
    START_UP_HOURS,
    expected_duration_hours,
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


def test_duration_is_start_up_and_work_when_nothing_interrupts() -> None:
    assert expected_duration_hours(5.0, 0.0, 3.0) == pytest.approx(5 + 1 / 6)


def test_an_interruption_costs_a_start_up_and_half_an_interval() -> None:
    # One interruption in 100 hours, ten hours of work.
    found = expected_duration_hours(10.0, 0.01, 4.0)

    assert found == pytest.approx(START_UP_HOURS + 10 + 0.1 * (1 / 6 + 2))
