import pytest

from sizewell.instance_selection import Catalog, load_catalog, training_evaluation
from sizewell.instance_selection.endpoint_evaluation import times
from tests.instance_selection.known_coefficients import known_coefficients


@pytest.fixture
def half_of_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let software reach half of the spec sheet everywhere, so that calibration does not move the expectations."""
    for module in (times, training_evaluation):
        monkeypatch.setattr(module, "coefficients", known_coefficients)


@pytest.fixture(scope="session")
def real_catalog() -> Catalog:
    return load_catalog("us-east-1")
