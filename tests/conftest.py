"""Fixtures that every test may use."""

import json
import os
from collections.abc import Callable, Iterator
from fcntl import LOCK_EX, flock
from functools import partialmethod
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

from tests.synthesis import EACH_ENVIRONMENT, ENVIRONMENTS, PROJECT_ROOT, run_app

# The clock decides nothing. In CI, hypothesis by itself tries the same examples every time.
settings.register_profile(
    "without a clock", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without a clock")

# The validator of CDK takes more than half of each synth and changes no file: it looks at the assemblies below.
os.environ.setdefault("CDK_VALIDATION", "false")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give the workers the long files first, so that they end together.

    The first file makes the assemblies; meanwhile the other worker has files that need none, and does not wait.
    """
    if hasattr(config, "workerinput"):
        waiting = {item.path for item in items if "assemblies" in getattr(item, "fixturenames", ())}
        first = next((item.path for item in items if item.path in waiting), None)
        items.sort(
            key=lambda item: (
                item.path != first,
                item.get_closest_marker("cdk") is None,
                item.path in waiting,
            )
        )


@pytest.fixture(scope="session")
def project_root() -> Path:
    return PROJECT_ROOT


@pytest.fixture(scope="session")
def cdk_context() -> dict[str, Any]:
    """Return the feature flags of cdk.json: ``App()`` does not read the file by itself, and they change templates."""
    context: dict[str, Any] = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))["context"]
    return context


class _CompiledTemplates(BytecodeCache):
    def __init__(self) -> None:
        self._by_key: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._by_key:
            bucket.bytecode_from_string(self._by_key[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._by_key[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def _templates_are_compiled_once() -> Iterator[None]:
    """A process renders a page or two; the tests render hundreds."""
    compiled = _CompiledTemplates()
    with patch.object(Environment, "__init__", partialmethod(Environment.__init__, bytecode_cache=compiled)):
        yield


@pytest.fixture(scope="session")
def assemblies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives the assembly directory of an environment; they are synthesized once for all workers."""
    own = tmp_path_factory.getbasetemp()
    # Each worker of pytest-xdist has a directory of its own in that of the run.
    directory = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "assemblies"
    directory.mkdir(exist_ok=True)
    done, failed = directory / "done", directory / "failed"

    def assembly(environment: str) -> Path:
        with (directory / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            assert not failed.exists(), failed.read_text("utf-8")
            if not done.exists():
                result = run_app(
                    None,
                    directory / "out",
                    program=(*EACH_ENVIRONMENT, *ENVIRONMENTS),
                    variables={"CDK_VALIDATION": "true"},
                )
                if result.returncode or result.stderr:
                    failed.write_text(f"synth must be silent, warnings included:\n{result.stderr}", "utf-8")
                    raise AssertionError(failed.read_text("utf-8"))
                done.touch()
        return directory / environment

    return assembly
