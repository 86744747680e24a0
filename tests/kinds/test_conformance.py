"""What every kind of workload can do, shown by its starter: a new folder in ``sizewell/kinds`` is tested by being there."""

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from sizewell.kinds.registry import file_of, kind_names
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.review.consequences.table import WHOLE, rows_for
from sizewell.review.saved.output import Assembly
from tests.app.test_bill import differences, read
from tests.cli.conftest import Sizewell, run_sizewell, sizewell
from tests.examples.test_examples import EXAMPLES
from tests.synthesis import synthesize

__all__ = ["sizewell"]
pytestmark = pytest.mark.cdk


@dataclass(frozen=True)
class Started:
    """A platform with the starter of a kind, and what stands beside it."""

    kind: str
    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @cached_property
    def plan(self) -> DeploymentPlan:
        return load_plan(self.config, "dev")

    @cached_property
    def assembly(self) -> Assembly:
        synthesize("dev", self.folder / "out", config=str(self.config))
        return read(self.folder / "out", "dev")


@pytest.fixture(params=kind_names(), scope="module")
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Started:
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sizewell.synthesis.installed.addresses", lambda _: ())
        assert run_sizewell("init", str(folder), "--name", "demo", "--workload", request.param).exit_code == 0
    return Started(request.param, folder)


def test_a_fault_is_told_at_its_line(started: Started, sizewell: Sizewell, tmp_path: Path) -> None:
    kind = f"    kind: {started.kind}"
    texts = {path.name: path.read_text("utf-8") for path in started.config.glob("*.yaml")}
    (name,) = (name for name, text in texts.items() if kind in text.splitlines())
    number = texts[name].splitlines().index(kind) + 2
    for file, text in texts.items():
        (tmp_path / file).write_text(text.replace(f"{kind}\n", f"{kind}\n    dream_house: 1\n"), "utf-8")
    refused = sizewell("plan", "--env", "dev", "--config", str(tmp_path))
    assert refused.exit_code == 1
    assert re.search(rf"{name}:{number}\b.*dream_house", refused.stderr), refused.stderr


def test_what_is_locked_is_picked_again(started: Started, sizewell: Sizewell, tmp_path: Path) -> None:
    config = shutil.copytree(started.config, tmp_path / "config")
    where = ("--env", "dev", "--config", str(config))
    assert sizewell("lock", *where, "--check").exit_code == 1
    assert sizewell("lock", *where).exit_code == 0
    assert sizewell("lock", *where, "--check").exit_code == 0
    assert load_plan(config, "dev").bill == started.plan.bill


def test_every_choice_is_explained(started: Started, sizewell: Sizewell) -> None:
    for workload in started.plan.workloads:
        told = sizewell("explain", workload.name, "--env", "dev", "--config", str(started.config))
        assert told.exit_code == 0, told.stderr


def test_the_stacks_are_those_of_the_plan(started: Started) -> None:
    assert started.assembly.stacks.keys() == {
        started.plan.foundation.stack_name,
        *(workload.stack_name for workload in started.plan.workloads),
    }


def test_the_bill_is_the_price_of_the_templates(started: Started) -> None:
    assert differences(started.plan.bill, started.assembly) == []


def test_nothing_that_it_emits_is_unknown_to_the_review(started: Started) -> None:
    assert unknown_to_the_review(started.assembly) == set()


def unknown_to_the_review(assembly: Assembly) -> set[str]:
    """Return of what another value, or the resource itself, is not in ``sizewell/review/consequences/tables``."""
    return {
        f"{resource.resource_type} {'.'.join(path)}"
        for stack in assembly.stacks.values()
        for resource in stack.resources.values()
        for path in ((WHOLE,), *leaves(resource.properties, ()))
        if rows_for(resource.resource_type, path) is None
    }


def leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all values, as the tables write them."""
    if isinstance(value, Mapping) and value and not any(key.startswith("Fn::") for key in value):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from leaves(item, (*path, "*"))
    else:
        yield path


def test_what_is_saved_is_what_was_planned(started: Started) -> None:
    saved = started.assembly.plan
    assert saved is not None
    assert [(workload.kind, workload.name) for workload in saved.workloads] == [
        (workload.kind, workload.name) for workload in started.plan.workloads
    ]


@pytest.mark.parametrize("kind", [kind for kind in kind_names() if file_of(kind, "stack.py").exists()])
def test_an_example_is_deployed_to_the_local_cloud(kind: str) -> None:
    """``tests/integration/test_examples.py`` deploys what stands in ``examples``, by name."""
    assert kind in EXAMPLES
