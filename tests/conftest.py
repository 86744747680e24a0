"""Fixtures that every test may use."""

import json
import os
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.synthesis import EACH_ENVIRONMENT, ENVIRONMENTS, PROJECT_ROOT, run_app

# The clock decides nothing. In CI, hypothesis by itself tries the same examples every time.
settings.register_profile(
    "without a clock", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without a clock")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give the workers the long files first, so that they end together."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("cdk") is None)


@pytest.fixture(scope="session")
def project_root() -> Path:
    return PROJECT_ROOT


@pytest.fixture(scope="session")
def cdk_context() -> dict[str, Any]:
    """Return the feature flags of cdk.json: ``App()`` does not read the file by itself, and they change templates."""
    context: dict[str, Any] = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))["context"]
    return context


@pytest.fixture(scope="session")
def assemblies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives the assembly directory of an environment; they are synthesized once for all workers."""
    own = tmp_path_factory.getbasetemp()
    # Each worker of pytest-xdist has a directory of its own in that of the run.
    directory = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "assemblies"
    directory.mkdir(exist_ok=True)
    done = directory / "done"

    def assembly(environment: str) -> Path:
        with (directory / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            if not done.exists():
                result = run_app(None, directory / "out", program=(*EACH_ENVIRONMENT, *ENVIRONMENTS))
                assert result.returncode == 0, result.stderr
                assert result.stderr == "", "synth must be silent: no warnings, no end-of-life banner"
                done.touch()
        return directory / environment

    return assembly
