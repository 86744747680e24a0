"""The workflows of this repository: what they may do, and that what they run exists. Pinned actions: test_init_command.py."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.synthesis import PROJECT_ROOT

PATHS = sorted((PROJECT_ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {path.name: yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader) for path in PATHS}
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"]]
MAKEFILE = (PROJECT_ROOT / "Makefile").read_text("utf-8")
RELEASE = "release.yml"


def job_of(workflow: str, job: str) -> Any:
    return WORKFLOWS[workflow]["jobs"][job]


def steps(workflow: str, job: str) -> list[Any]:
    return list(job_of(workflow, job)["steps"])


def scripts(workflow: str) -> str:
    return "\n".join(
        step["run"] for job in WORKFLOWS[workflow]["jobs"].values() for step in job["steps"] if "run" in step
    )


def actions(workflow: str, job: str) -> list[str]:
    return [step["uses"].partition("@")[0] for step in steps(workflow, job) if "uses" in step]


def test_there_are_workflows() -> None:
    assert set(WORKFLOWS) >= {"ci.yml", RELEASE, "sizewell-review.yml"}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_nothing_is_allowed_to_a_whole_workflow_but_to_read(workflow: str) -> None:
    assert WORKFLOWS[workflow]["permissions"] in ({}, {"contents": "read"})
    assert "pull_request_target" not in WORKFLOWS[workflow]["on"]
    assert "secrets." not in (PROJECT_ROOT / ".github" / "workflows" / workflow).read_text("utf-8")


@pytest.mark.parametrize(("workflow", "job"), JOBS)
def test_every_job_ends_and_no_checkout_keeps_the_token(workflow: str, job: str) -> None:
    assert int(job_of(workflow, job)["timeout-minutes"]) <= 30
    for step in steps(workflow, job):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_every_command_exists(workflow: str) -> None:
    text = scripts(workflow)
    targets = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)) | {".venv/.run-ready"}
    assert set(re.findall(r"\bmake ([\w./-]+)", text)) - targets == set()
    for script in re.findall(r"\bbash (\.?[\w/]+)", text):
        assert (PROJECT_ROOT / script).is_file(), script
    for module in re.findall(r"\bpython -m ([\w.]+)", text):
        assert (PROJECT_ROOT / Path(*module.split("."))).with_suffix(".py").is_file(), module


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_scripts_are_bash_without_expressions(workflow: str) -> None:
    text = scripts(workflow)
    assert "${{" not in text
    checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_release_begins_with_a_tag_alone() -> None:
    assert WORKFLOWS[RELEASE]["on"] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}


def test_each_job_of_a_release_may_do_what_it_needs() -> None:
    assert WORKFLOWS[RELEASE]["permissions"] == {}
    assert {name: job["permissions"] for name, job in WORKFLOWS[RELEASE]["jobs"].items()} == {
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "attest": {"attestations": "write", "id-token": "write"},
        "publish": {"id-token": "write"},
        "release": {"contents": "write"},
    }


def test_what_may_write_or_sign_runs_no_code_of_the_repository() -> None:
    for name, job in WORKFLOWS[RELEASE]["jobs"].items():
        if "write" in job["permissions"].values():
            assert "actions/checkout" not in actions(RELEASE, name)
            run = "\n".join(step.get("run", "") for step in job["steps"])
            assert not re.search(r"\b(make|python|pip|bash)\b", run), name


def test_a_release_is_tested_and_attested_before_it_is_published() -> None:
    needs = {
        name: job.get("needs", []) for name, job in WORKFLOWS[RELEASE]["jobs"].items()
    }  # a text or a list
    assert needs["attest"] == ["test", "build"]
    assert needs["publish"] == "attest"
    assert needs["release"] == ["attest", "publish"]
    assert job_of(RELEASE, "publish")["environment"] == "pypi"


def test_a_release_reads_no_cache() -> None:
    assert not any("actions/cache" in actions(RELEASE, name) for name in WORKFLOWS[RELEASE]["jobs"])
    for name in WORKFLOWS[RELEASE]["jobs"]:
        assert all("cache" not in step.get("with", {}) for step in steps(RELEASE, name))


def test_the_audit_runs_every_week_and_the_rest_does_not() -> None:
    ci = WORKFLOWS["ci.yml"]
    assert len(ci["on"]["schedule"]) == 1
    on_schedule = [name for name, job in ci["jobs"].items() if "schedule" not in job.get("if", "")]
    assert on_schedule == ["audit"]
    (run,) = [step["run"] for step in ci["jobs"]["audit"]["steps"] if "run" in step]
    assert run.startswith("make audit ")
