"""What GitHub and editors read of this repository: they say nothing of a file that they do not understand."""

import configparser
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from typer.main import get_command

from sizewell.cli.main import app
from tests.synthesis import PROJECT_ROOT

GITHUB = PROJECT_ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def load(path: Any) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_is_one(path: Any) -> None:
    # https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
    form = load(path)
    assert set(form) == {"name", "description", "labels", "body"}
    fields = [element for element in form["body"] if element["type"] != "markdown"]
    assert fields
    ids = [element["id"] for element in fields]
    assert len(set(ids)) == len(ids)
    for element in fields:
        assert element["type"] in ("input", "textarea")
        assert re.fullmatch(r"[\w-]+", element["id"])
        assert element["attributes"]["label"]
        assert set(element) <= {"type", "id", "attributes", "validations"}
        allowed = {"label", "description", "placeholder", "render" if element["type"] == "textarea" else ""}
        assert set(element["attributes"]) <= allowed
    assert any("sizewell --version" in str(element) for element in fields)


def test_a_wrong_rule_needs_a_witness() -> None:
    (witness,) = [
        field
        for field in load(GITHUB / "ISSUE_TEMPLATE" / "aws-rule.yml")["body"]
        if field["id"] == "witness"
    ]
    assert witness["validations"] == {"required": True}


def test_dependabot_looks_at_every_project_and_at_actions() -> None:
    updates = {update["package-ecosystem"]: update for update in load(GITHUB / "dependabot.yml")["updates"]}
    assert set(updates) == {"github-actions", "pip"}
    for directory in updates["pip"]["directories"]:
        assert (PROJECT_ROOT / directory.strip("/") / "pyproject.toml").is_file()
    projects = {path.parent for path in PROJECT_ROOT.glob("tools/*/pyproject.toml")} | {PROJECT_ROOT}
    assert len(updates["pip"]["directories"]) == len(projects)


def test_editors_and_ruff_agree() -> None:
    # The first lines belong to no section.
    text = (PROJECT_ROOT / ".editorconfig").read_text("utf-8").replace("root = true\n", "")
    editors = configparser.ConfigParser()
    editors.read_string(text)
    ruff = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]
    assert editors["*.py"].getint("max_line_length") == ruff["line-length"]
    assert editors["*.{md,toml}"].getint("max_line_length") == ruff["lint"]["pycodestyle"]["max-line-length"]
    assert editors["{Makefile,Makefile.jinja2}"]["indent_style"] == "tab"


@pytest.mark.parametrize("name", [".github/pull_request_template.md", "CONTRIBUTING.md"])
def test_targets_that_contributors_are_told_of_exist(name: str) -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (PROJECT_ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"`make ([a-z-]+)", (PROJECT_ROOT / name).read_text("utf-8"))
    assert named
    assert set(named) <= set(targets)


def test_every_command_that_takes_credentials_is_said_to_ask_aws() -> None:
    text = " ".join((PROJECT_ROOT / "SECURITY.md").read_text("utf-8").split())
    (said,) = re.findall(r"These commands ask AWS, and no other: (.+?)\. ", text)
    named = {" ".join(words.split()[1:]).partition(" --")[0] for words in re.findall(r"`(.+?)`", said)}
    # It looks whether the profile has credentials, and asks nobody.
    assert named == set(_with_profile(get_command(app))) - {"doctor"}


def _with_profile(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the commands that have the option ``--profile``."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _with_profile(inner, (*path, name))
    if any("--profile" in parameter.opts for parameter in command.params):
        yield " ".join(path)
