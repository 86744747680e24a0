import pytest

from sizewell.instance_selection import Catalog, load_catalog
from sizewell.instance_selection.endpoint_evaluation import times
from sizewell.instance_selection.estimation import forward, training
from sizewell.instance_selection.training_evaluation import networks, tables
from tests.instance_selection.known_coefficients import known_coefficients


@pytest.fixture
def half_of_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let software reach half of the spec sheet everywhere, and whatever would be added to that cost nothing."""
    for module in (times, networks, tables):
        monkeypatch.setattr(module, "coefficients", known_coefficients)
    monkeypatch.setattr(forward, "TILE_SHARE", 0.0)
    for name, value in {
        "UPDATE_BYTES": 0.0,
        "RECOMPUTED_SHARE": 1.0,
        "ATTENTION_SHARE": 0.5,
        "NARROW_WIDTH": 1e-9,
    }.items():
        monkeypatch.setattr(training, name, value)


@pytest.fixture(scope="session")
def real_catalog() -> Catalog:
    return load_catalog("us-east-1")
