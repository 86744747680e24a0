"""Fixtures that every test may use."""

import json
from pathlib import Path
from typing import Any

import pytest

PROJECT_ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project_root() -> Path:
    return PROJECT_ROOT


@pytest.fixture(scope="session")
def cdk_context() -> dict[str, Any]:
    """Return the feature flags of cdk.json: ``App()`` does not read the file by itself, and they change templates."""
    context: dict[str, Any] = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))["context"]
    return context
