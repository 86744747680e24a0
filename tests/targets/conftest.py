"""What the examples of targets are synthesized to, each once for all tests."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.synthesis import PROJECT_ROOT, synthesize

#: Returns the output of an example in an environment.
Synthesized = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> Synthesized:
    @cache
    def output(example: str, environment: str) -> Path:
        directory = tmp_path_factory.mktemp(example) / "cdk.out"
        synthesize(environment, directory, config=str(configuration_of(example)))
        return directory

    return output


def configuration_of(example: str) -> Path:
    return PROJECT_ROOT / "examples" / example / "config"


def resources(output: Path, stack: str) -> dict[str, dict[str, Any]]:
    """Return the resources of a stack by their logical ids."""
    found: dict[str, dict[str, Any]] = json.loads((output / f"{stack}.template.json").read_text("utf-8"))[
        "Resources"
    ]
    return found


def of_type(found: dict[str, dict[str, Any]], resource_type: str, part_of_id: str = "") -> list[Any]:
    """Return the properties of each resource of a type."""
    return [
        resource["Properties"]
        for name, resource in found.items()
        if resource["Type"] == resource_type and part_of_id in name
    ]
