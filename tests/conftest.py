"""Fixtures that every test may use."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.synthesis import PROJECT_ROOT, run_app

# The clock decides nothing. In CI, hypothesis by itself tries the same examples every time.
settings.register_profile("without a clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("without a clock")


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
    """Return a function that synthesizes an environment once per session and returns its assembly directory."""
    directory = tmp_path_factory.mktemp("assemblies")

    @cache
    def synthesize(environment: str) -> Path:
        output = directory / environment
        result = run_app(environment, output)
        assert result.returncode == 0, result.stderr
        assert result.stderr == "", "synth must be silent: no warnings, no end-of-life banner"
        return output

    return synthesize
