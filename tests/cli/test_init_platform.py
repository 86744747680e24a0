"""``sizewell init NAME``: a platform that synthesizes at once, written whole or not at all."""

import json
import os
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from sizewell.cli.init_command import USUAL_KINDS, platform_files, starter_text
from sizewell.cli.package_source import Package
from sizewell.config import environment_names
from sizewell.config.cluster import TargetKind
from sizewell.kinds.registry import kind_names
from sizewell.planning import load_for_synth
from sizewell.planning.editor_schema import editor_schema_text
from sizewell.targets.registry import target_facet, target_names
from tests.cli.ci_runner import PIPELINE, WORKFLOW, load
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

KINDS = kind_names()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty directory, where the command runs as if it came from an index: no wheel is built."""
    monkeypatch.setattr("sizewell.synthesis.installed.addresses", lambda _: ())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(directory: Path) -> list[str]:
    return sorted(
        path.relative_to(directory).as_posix() for path in directory.rglob("*") if not path.is_dir()
    )


def test_what_is_written(sizewell: Sizewell, place: Path) -> None:
    result = sizewell("init", "my-platform")
    assert (result.exit_code, result.stderr) == (0, "")
    assert files(place / "my-platform") == [
        ".gitignore",
        ".sizewell/measurements.schema.json",
        ".sizewell/schema.json",
        "Makefile",
        "README.md",
        "app.py",
        "cdk.json",
        "config/base.yaml",
        "config/dev.yaml",
        "config/prod.yaml",
        "pytest.ini",
        "requirements-local-cloud.txt",
        "requirements.txt",
        "tests/test_snapshots.py",
    ]
    assert "Next: cd my-platform && make synth ENV=dev" in result.stdout
    requirements = (place / "my-platform" / "requirements.txt").read_text("utf-8").splitlines()
    assert f"sizewell=={version('sizewell')}" in requirements


@pytest.mark.parametrize("kinds", [KINDS, *((kind,) for kind in KINDS)], ids=",".join)
def test_every_choice_of_starters_can_be_synthesized_within_its_budget(
    sizewell: Sizewell, place: Path, kinds: tuple[str, ...]
) -> None:
    assert sizewell("init", "demo2", "--workload", ", ".join(kinds)).exit_code == 0
    config = place / "demo2" / "config"
    assert environment_names(config) == ("dev", "prod")
    for name in ("dev", "prod"):
        plan = load_for_synth(config, name).plan
        assert plan.platform == "demo2"
        stated = [kind for kind in kinds if kind != "endpoint" and (kind, name) != ("notebook", "prod")]
        # What is left to the plan is of one of the other kinds; notebooks are in dev alone, and never the only workload.
        # A pipeline stands with its three jobs.
        beside = (len(USUAL_KINDS) if kinds == ("notebook",) else 0) + 3 * ("pipeline" in kinds)
        assert len(plan.workloads) == len(kinds) + beside - ("notebook" in kinds and name == "prod")
        assert not set(stated) - {workload.kind for workload in plan.workloads}
        shown = sizewell("plan", "--env", name, "--config", "demo2/config")
        assert (shown.exit_code, shown.stderr) == (0, "")
        assert "Budget: " in shown.stdout


@pytest.mark.parametrize("target", target_names())
def test_a_platform_begins_in_each_target(sizewell: Sizewell, place: Path, target: str) -> None:
    assert sizewell("init", "demo2", "--target", target).exit_code == 0
    runs = target_facet(target, TargetKind).runs
    for name in environment_names(place / "demo2" / "config"):
        plan = load_for_synth(place / "demo2" / "config", name).plan
        assert [workload.kind for workload in plan.workloads] == [
            runs[kind].planned_as for kind in USUAL_KINDS if kind in runs
        ]


def test_a_kind_that_does_not_run_in_the_target_is_refused(sizewell: Sizewell, place: Path) -> None:
    result = sizewell("init", "demo", "--target", "batch", "--workload", "training-job,notebook")
    assert (result.exit_code, result.stderr) == (
        1,
        "a cluster of AWS Batch does not run a notebook, but batch-transform, training-job: without --target it runs in "
        "SageMaker\n",
    )
    assert files(place) == []


def test_what_two_kinds_need_of_the_policy_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second kind of notebook once made a file in which a key stood twice."""
    written = starter_text

    def same_policy(kind: str, layer: str) -> str:
        return written("notebook" if layer == "policy" else kind, layer)

    monkeypatch.setattr("sizewell.cli.init_command.starter_text", same_policy)
    files = platform_files("demo", ("notebook", "training-job"), Package("sizewell==1", ""))
    assert files[Path("config/dev.yaml")].count("allow_notebooks: true\n") == 1


def test_the_feature_flags_are_those_that_our_templates_are_tested_with() -> None:
    ours = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))
    assert json.loads(platform_files("demo", KINDS, Package("sizewell==1", ""))[Path("cdk.json")]) == ours


def test_the_schema_that_the_files_name_is_there(sizewell: Sizewell, place: Path) -> None:
    sizewell("init", "demo")
    for path in (place / "demo" / "config").glob("*.yaml"):
        first = path.read_text("utf-8").splitlines()[0]
        named = path.parent / first.removeprefix("# yaml-language-server: $schema=")
        assert named.resolve().read_text("utf-8") == editor_schema_text()


def test_schemas_are_written_for_editors(sizewell: Sizewell, place: Path) -> None:
    assert sizewell("schema", "--output", "here").exit_code == 0
    assert files(place / "here") == ["measurements.schema.json", "schema.json"]
    assert (place / "here" / "schema.json").read_text("utf-8") == editor_schema_text()


@pytest.mark.parametrize(
    "name",
    ["My-Platform", "1st", "a", "with_underscore", "a-name-that-is-long", "", "--", "a\nb", "../My"],
)
def test_what_is_no_name_is_refused_with_one_message(sizewell: Sizewell, place: Path, name: str) -> None:
    result = sizewell("init", "--", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "is no name of a platform: 2 to 18 small letters" in result.stderr
    assert files(place) == []


def test_a_platform_begins_in_a_new_repository(sizewell: Sizewell, place: Path) -> None:
    repository = place / "Our_Models"
    (repository / ".git").mkdir(parents=True)
    os.chdir(repository)
    (repository / "README.md").write_text("# Ours\n", "utf-8")
    (repository / ".gitignore").write_text("*.log\n.venv/", "utf-8")
    refused = sizewell("init", ".")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert '"Our_Models" is no name of a platform' in refused.stderr
    assert "--name my-platform" in refused.stderr
    result = sizewell("init", ".", "--name", "our-models", "--ci", "github")
    assert (result.exit_code, result.stderr) == (0, "")
    assert {
        "README.md: is there already",
        ".gitignore: added to",
        "app.py: written",
        f"{WORKFLOW}: written",
    } <= set(result.stdout.splitlines())
    assert "\nNext: make synth ENV=dev\n" in result.stdout
    assert "platform: our-models" in (repository / "config" / "base.yaml").read_text("utf-8").splitlines()
    assert (repository / "README.md").read_text("utf-8") == "# Ours\n"
    ignored = (repository / ".gitignore").read_text("utf-8").splitlines()
    assert ignored[:2] == ["*.log", ".venv/"]
    assert ignored.count(".venv/") == 1
    assert "cdk.out/" in ignored
    assert load((repository / WORKFLOW).read_text("utf-8"))["env"]["PROJECT"] == "."
    again = sizewell("init", ".", "--name", "our-models")
    assert set(again.stdout.split("\n\n")[0].splitlines()) == {
        f"{path}: is there already" for path in files(repository) if not path.startswith(".github")
    }


def test_a_platform_begins_in_any_directory_that_is_named(sizewell: Sizewell, place: Path) -> None:
    result = sizewell("init", "apps/eighteen-letters-x")
    assert "\nNext: cd apps/eighteen-letters-x && make synth ENV=dev\n" in result.stdout
    for name in ("dev", "prod"):
        plan = load_for_synth(place / "apps" / "eighteen-letters-x" / "config", name).plan
        assert plan.platform == "eighteen-letters-x"


def test_an_unknown_kind_is_refused(sizewell: Sizewell, place: Path) -> None:
    result = sizewell("init", "demo", "--workload", "training-jobs")
    assert result.exit_code == 1
    assert result.stderr == (
        f'there is no starter "training-jobs"; there are: {", ".join(KINDS)}\ndid you mean training-job?\n'
    )
    assert files(place) == []


def test_starters_need_a_name(sizewell: Sizewell, place: Path) -> None:
    assert sizewell("init", "--workload", "training-job").exit_code == 2
    for option in ("--workload", "--name", "--source"):
        assert sizewell("init", "--ci", "github", option, "training-job").exit_code == 2
    assert files(place) == []


def test_a_changed_file_is_kept_unless_forced(sizewell: Sizewell, place: Path) -> None:
    (place / "demo" / "config").mkdir(parents=True)
    (place / "demo" / "config" / "dev.yaml").write_text("mine")
    (place / "demo" / "notes.md").write_text("mine")
    result = sizewell("init", "demo")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "nothing was written:\n  demo/config/dev.yaml\n" in result.stderr
    assert "start the platform in a directory of its own" in result.stderr
    assert files(place / "demo") == ["config/dev.yaml", "notes.md"]
    forced = sizewell("init", "demo", "--force")
    assert "demo/config/dev.yaml: replaced" in forced.stdout
    assert (place / "demo" / "notes.md").read_text() == "mine"
    again = sizewell("init", "demo").stdout
    assert "demo/config/dev.yaml: is there already" in again
    assert ": written" not in again


@pytest.mark.parametrize(
    ("obstacle", "is_directory"),
    [
        ("demo", False),
        ("demo/tests", False),
        ("demo/pytest.ini", True),
        ("demo/tests/test_snapshots.py", True),
    ],
)
def test_where_one_file_cannot_be_written_none_is(
    sizewell: Sizewell, place: Path, obstacle: str, is_directory: bool
) -> None:
    path = place / obstacle
    path.parent.mkdir(exist_ok=True, parents=True)
    path.mkdir() if is_directory else path.write_text("in the way")
    before = sorted(place.rglob("*"))
    result = sizewell("init", "demo")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot be written" in result.stderr
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(("ci", "path"), [("github", WORKFLOW), ("gitlab", PIPELINE)])
@pytest.mark.parametrize("repository", ["above", "none"])
def test_a_new_platform_with_its_review(
    sizewell: Sizewell, place: Path, ci: str, path: str, repository: str
) -> None:
    if repository == "above":
        (place / ".git").mkdir()
    result = sizewell("init", "demo", "--ci", ci)
    assert result.exit_code == 0
    shown, project = (path, "demo") if repository == "above" else (f"demo/{path}", ".")
    assert f"\n{shown}: written\n" in result.stdout
    document = load((place / shown).read_text("utf-8"))
    variables = document["env"] if ci == "github" else document[".sizewell"]["variables"]
    assert variables["PROJECT"] == project


def test_what_the_review_calls_is_there(sizewell: Sizewell, place: Path) -> None:
    sizewell("init", "demo", "--ci", "github")
    workflow = (place / "demo" / WORKFLOW).read_text("utf-8")
    wanted = set(re.findall(r"\bmake (\S+)", workflow))
    assert wanted == {".venv/.run-ready"}
    # Make says which target it does not know before it runs anything.
    for target in (*wanted, "synth", "test"):
        asked = subprocess.run(
            ["make", "--dry-run", target, "ENV=dev"],
            cwd=place / "demo",
            capture_output=True,
            text=True,
            check=False,
        )
        assert asked.returncode == 0, asked.stderr
        assert "pip install --quiet --requirement requirements.txt" in asked.stdout


@pytest.mark.parametrize("target", ["deploy-local", "destroy-local"])
def test_the_local_cloud_is_added_to_what_the_platform_requires(
    sizewell: Sizewell, place: Path, target: str
) -> None:
    sizewell("init", "demo")
    asked = subprocess.run(
        ["make", "--dry-run", target, "ENV=dev"],
        cwd=place / "demo",
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    steps = [line for line in asked.stdout.splitlines() if "pip install" in line or "-local" in line]
    added = ".venv/bin/pip install --quiet --requirement requirements.txt"
    assert steps.index(added) < steps.index(f"{added} --requirement requirements-local-cloud.txt")
    assert steps[-1].startswith(f".venv/bin/sizewell {target}")
    assert ".localcloud/" in (place / "demo" / ".gitignore").read_text("utf-8").splitlines()
