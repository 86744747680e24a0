"""``python -m sizewell.cli.save_side``: a side for a review on another machine, with what does not synthesize."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sizewell.cli.save_side import app
from tests.cli.conftest import Sizewell
from tests.cli.saved_outputs import changes
from tests.synthesis_of_refs.projects import Project


def save(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_saved_sides_are_reviewed_like_refs(project: Project, sizewell: Sizewell, tmp_path: Path) -> None:
    assert save("--output", "../base").exit_code == 0
    project.write("config/dev.yaml", "two\n")
    project.write("config/prod.yaml", "broken\n")
    project.commit()
    saved = save("--output", "../head")
    assert saved.exit_code == 3
    assert "prod does not synthesize:\nsynthesizing app.py\nconfig/prod.yaml: broken\n" in saved.stderr
    assert not any(path.is_symlink() for path in (tmp_path / "head").rglob("*"))
    result = sizewell("review", "--base", "../base", "--head", "../head", "--json", "-")
    assert result.exit_code == 3
    assert changes(result.stdout) == [("dev", "Topic", "changed")]
    of_refs = sizewell("review", "--base", "HEAD^1", "--head", "HEAD", "--json", "-")
    names = {"../base": "HEAD^1", "../head": "HEAD"}
    said = json.loads(result.stdout)
    for side in (said["base"], said["head"]):
        side["label"] = names[side["label"]]
    assert said == json.loads(of_refs.stdout)


@pytest.mark.usefixtures("project")
def test_one_environment_and_a_directory_that_is_there(tmp_path: Path) -> None:
    assert save("--output", "../saved", "--env", "prod").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["errors.json", "prod"]
    again = save("--output", "../saved")
    assert (again.exit_code, again.stdout) == (2, "")
    assert (
        again.stderr
        == "../saved\n  cannot be written: File exists\n  name a directory that is not there yet\n"
    )


def test_a_side_of_which_nothing_synthesizes(project: Project, sizewell: Sizewell) -> None:
    assert save("--output", "../base").exit_code == 0
    for name in ("dev", "prod"):
        project.write(f"config/{name}.yaml", "broken\n")
    project.commit()
    assert save("--output", "../head").exit_code == 3
    result = sizewell("review", "--base", "../base", "--head", "../head", "--markdown", "-")
    assert result.exit_code == 3, result.stderr
    assert "config/dev.yaml: broken" in result.stdout


@pytest.mark.parametrize("text", ["[]", "{", '{"dev": 1}'])
def test_errors_that_nobody_wrote_are_bad_input(sizewell: Sizewell, tmp_path: Path, text: str) -> None:
    (tmp_path / "errors.json").write_text(text)
    result = sizewell("review", "--base", str(tmp_path), "--head", str(tmp_path))
    assert result.exit_code == 2
    assert f"{tmp_path}/errors.json: a map of texts was expected" in result.stderr
