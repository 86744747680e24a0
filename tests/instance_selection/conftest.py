import pytest

from instance_selection import Catalog, endpoint_evaluation, load_catalog, training_evaluation
from instance_selection.estimation.efficiencies import Efficiency

HALF_OF_PEAK = Efficiency(compute=0.5, bandwidth=0.5, launch_us_per_layer=0.0, source="round figures")


@pytest.fixture
def half_of_peak(monkeypatch: pytest.MonkeyPatch) -> Efficiency:
    """Let software reach half of the spec sheet everywhere, so that calibration does not move the expectations."""
    for module in (endpoint_evaluation, training_evaluation):
        monkeypatch.setattr(module, "find_efficiency", lambda *_: HALF_OF_PEAK)
    return HALF_OF_PEAK


@pytest.fixture(scope="session")
def real_catalog() -> Catalog:
    return load_catalog("us-east-1")
