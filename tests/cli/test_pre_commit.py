"""The hook of pre-commit: what it runs exists, and says what is wrong with a configuration."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

GUIDE = (PROJECT_ROOT / "docs" / "guides" / "locking.md").read_text("utf-8")


@pytest.fixture
def hook() -> Any:
    (hook,) = yaml.safe_load((PROJECT_ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return hook


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(PROJECT_ROOT / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_valid_configuration_passes_and_a_fault_does_not(
    hook: Any, sizewell: Sizewell, platform: Path
) -> None:
    program, *arguments = shlex.split(hook["entry"])
    assert program == "sizewell"
    assert sizewell(*arguments).exit_code == 0
    with (platform / "config" / "prod.yaml").open("a") as file:
        file.write("unknown_key: 1\n")
    result = sizewell(*arguments)
    assert result.exit_code == 1
    assert "unknown_key" in result.stderr


def test_it_looks_at_the_configuration_alone_and_gets_no_names(hook: Any) -> None:
    # https://pre-commit.com/#creating-new-hooks: files is searched for in each path of the repository.
    configuration = [f"config/{path.name}" for path in (PROJECT_ROOT / "config").iterdir()]
    assert configuration
    for path in (*configuration, "apps/ml/config/dev.yml"):
        assert re.search(hook["files"], path), path
    for path in ("docs/config.md", "tests/config/cases/base.yaml", "myconfig/dev.yaml", "config/README.md"):
        assert not re.search(hook["files"], path), path
    assert hook["pass_filenames"] is False


def test_the_hook_of_the_guide_is_the_same(hook: Any) -> None:
    block = re.search(r"```yaml\n(repos:\n.+?)```", GUIDE, re.DOTALL)
    assert block
    ((local,),) = [repository["hooks"] for repository in yaml.safe_load(block[1])["repos"]]
    assert local["entry"] == f".venv/bin/{hook['entry']}"
    assert (local["id"], local["name"], local["pass_filenames"]) == (hook["id"], hook["name"], False)
    assert all(
        re.search(local["files"], f"config/{path.name}") for path in (PROJECT_ROOT / "config").iterdir()
    )
