"""The comparison is tested on times that a reader can work out: a calibration must not move its break-evens."""

import pytest

from tests.instance_selection.conftest import half_of_peak as half_of_peak


@pytest.fixture(autouse=True)
def _known_times(half_of_peak: None) -> None:
    """Let software reach half of the peak, and everything else cost nothing."""
