"""A project in git, and a ``cdk`` that costs milliseconds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.synthesis import SynthesizedSide, synthesize_side
from tests.synthesis_of_refs.projects import Project, make_project, make_tools

Synthesize = Callable[..., SynthesizedSide]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "repository")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = make_tools(tmp_path)
    monkeypatch.setattr("sizewell.synthesis.synthesize.TOOLS", directory)
    return directory


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def synthesize(project: Project, tools: Path, said: list[str]) -> Synthesize:
    """Return ``synthesize_side`` on the project."""

    def run(ref: str | None, *environments: str, config: str = "config") -> SynthesizedSide:
        return synthesize_side(
            project.directory, ref, environments or None, config=config, progress=said.append
        )

    return run
