"""``sizewell review``: sides, gate, exit codes."""

import json
import re
from pathlib import Path

import pytest

from sizewell.synthesis.environments import InstallationError
from tests.cli.conftest import Sizewell
from tests.cli.saved_outputs import TABLE, TOPIC, changes, save
from tests.synthesis_of_refs.projects import Project, git, make_project, make_tools, starts

# Refs and the work tree.


def test_the_work_tree_against_a_ref(project: Project, sizewell: Sizewell, tmp_path: Path) -> None:
    project.write("config/dev.yaml", "two\n")
    project.write("config/staging.yaml", "new\n")
    result = sizewell("review", "--base", "main", "--json", "-")
    assert result.exit_code == 0, result.stderr
    reviewed = json.loads(result.stdout)
    assert (reviewed["base"]["label"], reviewed["head"]["label"]) == ("main", "worktree")
    assert reviewed["head"]["environments"] == ["dev", "prod", "staging"]
    assert ("dev", "Topic", "changed") in changes(result.stdout)
    assert ("prod", "Topic", "changed") not in changes(result.stdout)
    there = ("dev at main", "prod at main", *(f"{name} at worktree" for name in ("dev", "prod", "staging")))
    heard = sorted(re.sub(r"\d+\.\d s$", "7.1 s", line) for line in result.stderr.splitlines())
    assert heard == sorted([f"Synthesizing {one} ..." for one in there] + [f"{one}: 7.1 s" for one in there])
    # Nothing changed since: nothing is synthesized, and the bytes are the same.
    again = sizewell("review", "--base", "main", "--json", "-")
    assert (again.stdout, again.stderr) == (result.stdout, "")
    assert len(starts(tmp_path)) == 5


def test_without_a_base_the_default_branch_is_taken_and_named(project: Project, sizewell: Sizewell) -> None:
    def base() -> str:
        result = sizewell("review", "--json", "-")
        assert result.exit_code == 0, result.stderr
        label: str = json.loads(result.stdout)["base"]["label"]
        assert result.stderr.startswith(f"Base is {label}, the default branch; --base names another.\n")
        return label

    project.write("config/dev.yaml", "two\n")
    assert base() == "main"
    git(project.repository, "branch", "--move", "main", "master")
    assert base() == "master"
    git(project.repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert base() == "origin/main"
    git(project.repository, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(project.repository, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert base() == "origin/trunk"
    # A branch that was deleted there.
    git(project.repository, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert base() == "origin/main"


def test_without_a_base_and_a_default_branch_one_is_asked_for(
    project: Project, sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project.repository, "branch", "--move", "main", "develop")
    for place in (project.directory, tmp_path):
        monkeypatch.chdir(place)
        result = sizewell("review")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith("say what base is: --base REF|DIR\n")


def test_where_the_project_cannot_be_written_to_outputs_are_not_kept(
    project: Project, sizewell: Sizewell, tmp_path: Path
) -> None:
    ignored = project.write(".sizewell", "in place of a directory")
    project.write("config/dev.yaml", "two\n")
    result = sizewell("review", "--base", "main", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert ("dev", "Topic", "changed") in changes(result.stdout)
    outputs = ignored / "outputs"
    assert f"{outputs} cannot be written (Not a directory): outputs are not kept.\n" in result.stderr
    assert len(starts(tmp_path)) == 4


def test_two_refs_and_some_environments(project: Project, sizewell: Sizewell, tmp_path: Path) -> None:
    project.write("config/dev.yaml", "two\n")
    project.commit()
    project.write("config/dev.yaml", "three\n")
    result = sizewell("review", "--base", "HEAD~1", "--head", "HEAD", "--env", "dev", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert changes(result.stdout) == [("dev", "Topic", "changed")]
    assert "two" in result.stdout
    assert "three" not in result.stdout
    assert {call.rpartition("=")[2] for call in starts(tmp_path)} == {"dev"}


def test_a_saved_base_against_the_work_tree(project: Project, sizewell: Sizewell, tmp_path: Path) -> None:
    base = save(tmp_path / "saved" / "dev", stack="demo-dev", Topic=TOPIC).parent
    result = sizewell("review", "--base", str(base), "--head", "worktree", "--env", "dev", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert changes(result.stdout) == []
    assert len(starts(tmp_path)) == 1


def test_a_base_that_does_not_synthesize_shows_its_errors_and_head_alone(
    project: Project, sizewell: Sizewell
) -> None:
    project.write("config/dev.yaml", "broken")
    project.commit()
    project.write("config/dev.yaml", "mended\n")
    result = sizewell("review", "--base", "HEAD", "--env", "dev", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert "dev does not synthesize at HEAD." in result.stderr
    notes = json.loads(result.stdout)["notes"]
    assert [note["detail"] for note in notes if note["environment"] == "dev"] == [
        "synthesizing app.py\nconfig/dev.yaml: broken"
    ]
    assert changes(result.stdout) == []


def test_a_head_that_does_not_synthesize_is_exit_code_3(
    project: Project, sizewell: Sizewell, tmp_path: Path
) -> None:
    project.write("config/dev.yaml", "broken")
    project.write("config/prod.yaml", "two\n")
    result = sizewell("review", "--base", "HEAD", "--markdown", str(tmp_path / "review.md"), "--json", "-")
    assert result.exit_code == 3
    assert changes(result.stdout) == [("prod", "Topic", "changed")]
    assert "config/dev.yaml: broken" in (tmp_path / "review.md").read_text("utf-8")
    assert str(tmp_path) not in result.stdout


def test_nothing_of_head_synthesizes(project: Project, sizewell: Sizewell) -> None:
    project.write("app.py", "raise SystemExit('no')\n")
    result = sizewell("review", "--base", "HEAD", "--fail-on", "replace")
    assert result.exit_code == 3
    assert "does not synthesize" in result.stdout


def test_packages_that_cannot_be_installed_are_a_note(
    project: Project, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(environment: Path, requirements: Path) -> None:
        raise InstallationError("there is no such release")

    monkeypatch.setattr("sizewell.synthesis.environments.install", install)
    project.write("requirements.lock", "aws-cdk-lib==2.1\n")
    project.commit()
    result = sizewell("review", "--base", "HEAD", "--env", "dev", "--json", "-")
    texts = [note["text"] for note in json.loads(result.stdout)["notes"]]
    assert any("there is no such release" in text for text in texts), texts


def test_a_project_below_the_root(
    tmp_path: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "repository", "apps/größe 1")
    monkeypatch.setattr("sizewell.synthesis.synthesize.TOOLS", make_tools(tmp_path))
    monkeypatch.chdir(project.directory)
    project.write("config/dev.yaml", "two\n")
    config = project.directory / "config"
    result = sizewell("review", "--base", "HEAD", "--config", str(config), "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert changes(result.stdout) == [("dev", "Topic", "changed")]


@pytest.mark.parametrize(("options", "severity"), [((), "danger"), (("--production", "live"), "warning")])
def test_the_reviewer_says_what_is_production(
    sizewell: Sizewell, tmp_path: Path, options: tuple[str, ...], severity: str
) -> None:
    kept = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    base = save(tmp_path / "prod-base", Table=TABLE | kept)
    head = save(tmp_path / "prod-head", Table=TABLE | dict.fromkeys(kept, "Delete"))
    result = sizewell("review", "--base", str(base), "--head", str(head), *options, "--json", "-")
    found = json.loads(result.stdout)["hazards"]
    assert [(one["rule"], one["severity"]) for one in found] == [("removal-policy-weakened", severity)]


# The gate.


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ((), 0),
        (("iam-broadened",), 0),
        (("replace,remove-stateful",), 1),
        (("iam-broadened", "remove-stateful"), 1),
    ],
)
def test_a_condition_that_is_met_is_exit_code_1(
    sizewell: Sizewell, tmp_path: Path, conditions: tuple[str, ...], code: int
) -> None:
    base = save(tmp_path / "base", Table=TABLE, Topic=TOPIC)
    head = save(tmp_path / "head", Topic=TOPIC)
    options = [part for condition in conditions for part in ("--fail-on", condition)]
    target = tmp_path / "review.json"
    result = sizewell("review", "--base", str(base), "--head", str(head), *options, "--json", str(target))
    assert result.exit_code == code, result.stderr
    gate = json.loads(target.read_text())["gate"]
    assert [failure["condition"] for failure in (gate or {"failures": ()})["failures"]] == (
        ["remove-stateful"] if code else []
    )


def test_every_fault_of_the_conditions_is_said_before_anything_starts(
    project: Project, sizewell: Sizewell, tmp_path: Path
) -> None:
    result = sizewell("review", "--base", "main", "--fail-on", "iam-brodened,cost-increase", "--fail-on", "x")
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line.partition(":")[0] for line in result.stderr.splitlines() if "--fail-on" in line] == (
        ["--fail-on"] * 3
    )
    assert "iam-broadened" in result.stderr
    assert starts(tmp_path) == []


def test_a_condition_for_an_environment_that_is_not_compared_stops_nothing(
    project: Project, sizewell: Sizewell
) -> None:
    project.write("config/dev.yaml", "two\n")
    conditions = "danger @ prod, over-budget, cost-increase>10%@prod"
    result = sizewell("review", "--base", "main", "--env", "dev", "--fail-on", conditions, "--json", "-")
    assert result.exit_code == 0, result.stderr
    texts = [note["text"] for note in json.loads(result.stdout)["notes"]]
    assert [text.partition(" stops nothing")[0] for text in texts if "--fail-on" in text] == [
        "--fail-on danger @ prod",
        "--fail-on cost-increase>10%@prod",
    ]


def test_a_condition_for_an_environment_that_nobody_has(project: Project, sizewell: Sizewell) -> None:
    result = sizewell("review", "--base", "main", "--env", "dev", "--fail-on", "danger@prd")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "--fail-on: danger@prd: there is no environment of that name, did you mean prod?"
    )


def test_an_app_without_a_configuration_has_the_environments_that_it_synthesizes(
    project: Project, sizewell: Sizewell
) -> None:
    for path in (project.directory / "config").iterdir():
        path.unlink()
    project.commit()
    result = sizewell("review", "--base", "main", "--fail-on", "danger@prod", "--env", "qa")
    assert result.exit_code == 2
    assert "--fail-on: danger@prod: there is no environment of that name" in result.stderr
    assert sizewell("review", "--base", "main", "--fail-on", "danger@app").exit_code == 0


# Directories.


def test_a_saved_base_is_compared_with_cdk_out(
    sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    base = save(tmp_path / "base", Topic=TOPIC)
    result = sizewell("review", "--base", str(base))
    assert result.exit_code == 2
    assert "there is no cdk.out to compare with it\n  say what head is: --head DIR" in result.stderr
    save(tmp_path / "cdk.out", Topic=TOPIC)
    result = sizewell("review", "--base", str(base), "--json", "-")
    assert (result.exit_code, json.loads(result.stdout)["head"]["label"]) == (0, "cdk.out")


def test_two_different_projects(sizewell: Sizewell, tmp_path: Path) -> None:
    base = save(tmp_path / "base", stack="shop", Topic=TOPIC)
    head = save(tmp_path / "head", stack="blog", Topic=TOPIC)
    result = sizewell("review", "--base", str(base), "--head", str(head))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"two different projects: no stack is on both sides\n  base {base}: shop\n  head {head}: blog\n"
    )


def test_an_output_that_cannot_be_read(sizewell: Sizewell, tmp_path: Path) -> None:
    base, head = save(tmp_path / "base", Topic=TOPIC), save(tmp_path / "head", Topic=TOPIC)
    (head / "demo.template.json").write_text("{")
    result = sizewell("review", "--base", str(base), "--head", str(head))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"{head}/demo.template.json: is not JSON")
    (tmp_path / "empty").mkdir()
    result = sizewell("review", "--base", str(base), "--head", str(tmp_path / "empty"))
    assert result.exit_code == 2
    assert "is no output of cdk synth" in result.stderr


def test_sarif_is_a_format_of_its_own(sizewell: Sizewell, tmp_path: Path) -> None:
    base, head = save(tmp_path / "base", Table=TABLE), save(tmp_path / "head")
    result = sizewell("review", "--base", str(base), "--head", str(head), "--sarif", "-", "--json", "-")
    assert result.exit_code == 2
    assert "--json and --sarif: one format goes to standard output" in result.stderr
    save(tmp_path / "other", Table=TABLE, Topic=TOPIC)
    save(tmp_path / "less", Topic=TOPIC)
    written = sizewell(
        "review", "--base", str(tmp_path / "other"), "--head", str(tmp_path / "less"), "--sarif", "-"
    )
    (run,) = json.loads(written.stdout)["runs"]
    assert "stateful-removed" in {found["ruleId"] for found in run["results"]}


# The day of the review.


@pytest.fixture
def waived(tmp_path: Path) -> tuple[str, ...]:
    """Return the arguments that compare a replacement which base waives."""
    replaced = {**TABLE, "Properties": {"TableName": "invoices"}}
    base, head = save(tmp_path / "base", Table=TABLE), save(tmp_path / "head", Table=replaced)
    waiver = {"of": "replace", "subject": "demo/Table", "reason": "copied", "until": "2027-01-31"}
    policy = {"review_fail_on": ["replace"], "review_waivers": [waiver]}
    (base / "config.json").write_text(json.dumps({"schema_version": 1, "environment": {"policy": policy}}))
    return "review", "--base", str(base), "--head", str(head)


@pytest.mark.parametrize(
    ("date", "code", "said"),
    [
        ("2027-01-31", 0, "Waived until 2027-01-31: "),
        ("2027-02-01", 1, "(its waiver ended on 2027-01-31)"),
        (None, 1, "(waived until 2027-01-31, which counts only with --date)"),
    ],
)
def test_a_waiver_counts_until_its_day(
    waived: tuple[str, ...],
    sizewell: Sizewell,
    monkeypatch: pytest.MonkeyPatch,
    date: str | None,
    code: int,
    said: str,
) -> None:
    result = sizewell(*waived, *(("--date", date) if date else ()))
    assert (result.exit_code, said in result.stdout) == (code, True), result.stdout
    if date:
        monkeypatch.setenv("SIZEWELL_DATE", date)
        assert sizewell(*waived).stdout == result.stdout


@pytest.mark.parametrize("date", ["31.1.2027", "2027-13-01", "2027-01-31T00:00"])
def test_what_is_no_day_is_refused(waived: tuple[str, ...], sizewell: Sizewell, date: str) -> None:
    result = sizewell(*waived, "--date", date)
    assert result.exit_code == 2
    assert f'"{date}" is no day: write it as YYYY-MM-DD' in result.stderr
