"""The whole command with stand-ins for the emulator and for ``cdk``: what it leaves behind, however it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sizewell_localcloud.process import signal_group
from sizewell_localcloud.state import load_state
from tests.gates import Gate, make_gate
from tests.localcloud.conftest import STAND_IN
from tests.localcloud.processes import PATIENCE_S, child_of, ended
from tests.synthesis import PROJECT_ROOT

CDK = """#!{python}
import json, os, pathlib, subprocess, sys
project = pathlib.Path({project!r})
verb = sys.argv[1]
with (project / "calls").open("a") as calls:
    print(json.dumps([verb, os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_ENDPOINT_URL"]]), file=calls)
if verb == "synth":
    output = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
    output.mkdir()
if verb == os.environ.get("HANG_AT"):
    gate = os.environ["GATE"]
    reached = open(gate + ".reached", "w")
    os.set_inheritable(reached.fileno(), True)
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], close_fds=False)
    print("reached", file=reached, flush=True)
    open(gate + ".open").read()
    child.kill()
if verb == "synth":
    account = os.environ.get("ACCOUNT", "111122223333")
    foundation = dict(place=None, account=account, region="us-east-1", bootstrap=None, name_wildcards={{}})
    workloads = json.loads(os.environ.get("WORKLOADS", "[]"))
    regions = {{"eu": "eu-west-1"}}
    named = sorted({{one["place"] for one in workloads}} & {{*regions}})
    places = [dict(foundation, place=place, region=regions[place]) for place in named]
    (output / "plan.json").write_text(json.dumps(dict(foundation=foundation, places=places, workloads=workloads)))
    (output / (account + ".template.json")).touch()
if verb == os.environ.get("FAIL_AT"):
    print("Stack demo-dev-x: CREATE_FAILED, no such thing")
    sys.exit(1)
"""
CLUSTERS = "import os, sys; print('clusters', os.environ['AWS_REGION'], *sys.argv[1:])\n"
PROGRAM = """
import pathlib, sys
from sizewell_localcloud import places
places.IMPORT_ROOT = places.PROJECT = places.BIN = project = pathlib.Path({project!r})
places.STATE_DIRECTORY = project / "state"
places.SERVER_MODULE = "stand_in"
from sizewell_localcloud.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Project:
    """A folder with a ``cdk`` and an emulator that only pretend."""

    folder: Path

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(project=str(self.folder)), *arguments],
            cwd=PROJECT_ROOT,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **variables: str) -> tuple[int, str, str]:
        with self.start(*arguments, **variables) as process:
            output, errors = process.communicate(timeout=PATIENCE_S)
        return process.returncode, output, errors

    def start_up_to(self, gate: Gate, stage: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Start the command with a ``cdk`` that waits at a gate, with a child of its own."""
        return self.start(*arguments, HANG_AT=stage, GATE=str(gate.path), **variables)

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text("utf-8").splitlines()]

    @property
    def state(self) -> Path:
        return self.folder / "state"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return such a folder; what a failed test leaves running ends with it."""
    (tmp_path / "stand_in.py").write_text(STAND_IN, "utf-8")
    package = tmp_path / "sizewell_localcloud"
    package.mkdir()
    # A package without its file would be looked for behind that of the project.
    (package / "__init__.py").touch()
    (package / "deployed.py").write_text("import sys; print(*sys.argv[1:])\n", "utf-8")
    (package / "clusters.py").write_text(CLUSTERS, "utf-8")
    cdk = tmp_path / "cdk"
    cdk.write_text(CDK.format(python=sys.executable, project=str(tmp_path)), "utf-8")
    cdk.chmod(0o755)
    project = Project(tmp_path)
    yield project
    state = load_state(project.state)
    if state is not None and state.is_ours():
        signal_group(state.pid, signal.SIGKILL)


@pytest.mark.parametrize("stage", ["synth", "bootstrap", "deploy"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_deployment_leaves_nothing_behind(
    project: Project, stage: str, number: signal.Signals
) -> None:
    gate = make_gate(project.folder / "gate")
    with project.start_up_to(gate, stage, "deploy", "dev") as process:
        cdk = gate.wait(process)
        started = []
        if stage != "synth":
            started.append(json.loads((project.state / "state.json").read_text("utf-8"))["pid"])
            started.append(child_of((project.state / "emulator.log").read_text("utf-8")))
        process.send_signal(number)
        cdk.wait_for_end()
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert "interrupted: the local cloud was ended, nothing of it is left" in errors.splitlines()
    assert "Traceback" not in errors
    assert all(ended(pid) for pid in started)
    assert not project.state.exists()


def test_a_second_deployment_uses_the_same_emulator(project: Project) -> None:
    try:
        code, output, errors = project.run("deploy", "dev")
        plan = project.state / "cdk.out-dev" / "plan.json"
        assert (code, output.splitlines()[0]) == (0, f"deployed {plan} 111122223333 us-east-1"), errors
        code, _, errors = project.run("deploy", "dev")
        assert code == 0, errors
        assert "the local cloud runs at http://127.0.0.1:" in errors
        calls = project.calls()
        assert [verb for verb, _, _ in calls] == ["synth", "bootstrap", "deploy", "synth", "deploy"]
        assert {account for verb, account, _ in calls if verb != "synth"} == {"111122223333"}
        assert len({url for verb, _, url in calls if verb != "synth"}) == 1
        code, output, _ = project.run("env")
        assert f"export AWS_ENDPOINT_URL='{calls[1][2]}'" in output.splitlines()
        assert "export AWS_ACCESS_KEY_ID='111122223333'" in output.splitlines()
        state = load_state(project.state)
        assert state is not None
        assert f"export AWS_SESSION_TOKEN='{state.secret}'" in output.splitlines()
        _, output, errors = project.run("status")
        assert state.secret not in output + errors
    finally:
        code, output, errors = project.run("destroy")
    assert (code, output) == (0, f"kept {plan} 111122223333 us-east-1\n"), errors
    assert not project.state.exists()


def test_the_clusters_that_workloads_name_are_made_where_they_run(project: Project) -> None:
    workloads = [
        {"kind": "eks-deployment", "place": None, "cluster": {"name": "main", "version": "1.35"}},
        {"kind": "eks-deployment", "place": None, "cluster": {"name": "main", "version": "1.35"}},
        {"kind": "ecs-service", "place": None, "cluster": {"name": "web"}},
        {"kind": "eks-deployment", "place": "eu", "cluster": {"name": "european", "version": "1.35"}},
        {"kind": "notebook", "place": None},
    ]
    try:
        code, output, errors = project.run("deploy", "dev", WORKLOADS=json.dumps(workloads))
        assert code == 0, errors
        made = [line for line in output.splitlines() if line.startswith("clusters")]
        assert made == ["clusters us-east-1 ecs/web eks/main=1.35", "clusters eu-west-1 eks/european=1.35"]
    finally:
        project.run("destroy")


def test_a_failed_deployment_says_why_and_stays_to_be_looked_at(project: Project) -> None:
    try:
        code, output, errors = project.run("deploy", "dev", FAIL_AT="deploy")
        assert (code, output) == (1, "")
        assert errors.endswith(
            "cdk deploy failed with code 1:\n  Stack demo-dev-x: CREATE_FAILED, no such thing\n"
        )
        assert project.run("status")[0] == 0
    finally:
        project.run("destroy")
    assert not project.state.exists()


@pytest.mark.parametrize(
    ("before", "stage"),
    [(("up",), "synth"), (("up",), "bootstrap"), (("up",), "deploy"), (("deploy", "prod"), "deploy")],
)
def test_an_interrupted_deployment_leaves_an_emulator_that_ran_before(
    project: Project, stage: str, before: tuple[str, ...]
) -> None:
    try:
        assert project.run(*before, ACCOUNT="444455556666")[0] == 0
        state = load_state(project.state)
        assert state is not None
        gate = make_gate(project.folder / "gate")
        with project.start_up_to(gate, stage, "deploy", "dev") as process:
            cdk = gate.wait(process)
            process.send_signal(signal.SIGINT)
            cdk.wait_for_end()
            _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        said = f"interrupted: the local cloud ran before it and goes on running at {state.endpoint_url}"
        assert said in errors.splitlines()
        assert state.is_ours()
        after = load_state(project.state)
        assert after is not None
        assert after.pid == state.pid
        assert set(state.deployments) <= set(after.deployments)
        code, _, errors = project.run("deploy", "dev")
        assert code == 0, errors
        assert state.is_ours()
    finally:
        project.run("destroy")
    assert not project.state.exists()


@pytest.mark.parametrize("stage", ["synth", "bootstrap", "deploy"])
def test_what_a_killed_deployment_started_ends_with_it(project: Project, stage: str) -> None:
    gate = make_gate(project.folder / "gate")
    try:
        with project.start_up_to(gate, stage, "deploy", "dev") as process:
            cdk = gate.wait(process)
            process.kill()
            cdk.wait_for_end()
    finally:
        project.run("destroy")
    assert not project.state.exists()


def test_what_a_killed_synth_left_behind_is_removed_by_the_next_deployment(project: Project) -> None:
    gate = make_gate(project.folder / "gate")
    try:
        with project.start_up_to(gate, "synth", "deploy", "dev", ACCOUNT="444455556666") as first:
            cdk = gate.wait(first)
            first.kill()
            cdk.wait_for_end()
        assert len(list(project.state.glob("*.new-*"))) == 1
        code, _, errors = project.run("deploy", "dev")
        assert code == 0, errors
        assert list(project.state.glob("*.new-*")) == []
        templates = sorted(path.name for path in (project.state / "cdk.out-dev").iterdir())
        assert templates == ["111122223333.template.json", "plan.json"]
    finally:
        project.run("destroy")
    assert not project.state.exists()


@pytest.mark.parametrize("stage", ["synth", "bootstrap", "deploy"])
def test_a_failed_deployment_leaves_an_emulator_that_ran_before(project: Project, stage: str) -> None:
    try:
        assert project.run("up")[0] == 0
        state = load_state(project.state)
        assert state is not None
        code, _, errors = project.run("deploy", "dev", FAIL_AT=stage)
        assert code == 1
        assert "the emulator goes on running; everything cdk said is in state/*.log" in errors
        assert (project.state / f"{stage}{'-dev' if stage == 'deploy' else ''}.log").exists()
        assert state.is_ours()
        assert project.run("status")[0] == 0
    finally:
        project.run("destroy")
    assert not project.state.exists()


def test_after_a_failed_bootstrap_the_emulator_stays_and_the_next_deployment_bootstraps(
    project: Project,
) -> None:
    try:
        assert project.run("deploy", "dev", FAIL_AT="bootstrap")[0] == 1
        assert project.run("status")[0] == 0
        assert project.run("deploy", "dev")[0] == 0
        verbs = [verb for verb, _, _ in project.calls()]
        assert verbs == ["synth", "bootstrap", "synth", "bootstrap", "deploy"]
    finally:
        project.run("destroy")
    assert not project.state.exists()


@pytest.mark.parametrize("command", [("up",), ("deploy", "dev"), ("destroy",)])
def test_a_directory_of_somebody_else_is_refused_and_left_as_it_is(
    project: Project, command: tuple[str, ...]
) -> None:
    (project.state / "thesis").mkdir(parents=True)
    (project.state / "thesis" / "chapter").write_text("one", "utf-8")
    code, output, errors = project.run(*command)
    assert (code, output) == (1, "")
    assert errors.startswith(f"{project.state} has files in it, but no .sizewell-local: ")
    assert "nothing in it was touched" in errors
    assert [path.name for path in project.state.iterdir()] == ["thesis"]
    assert (project.state / "thesis" / "chapter").read_text("utf-8") == "one"


def test_a_shell_forgets_every_variable_that_would_lead_past_us(project: Project) -> None:
    foreign = {
        "AWS_ENDPOINT_URL_S3": "https://s3.example.com",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "AWS_ROLE_ARN": "arn:aws:iam::999999999999:role/x",
        "AWS_REGION": "eu-west-3",
        "AWS_X;touch hacked": "1",
    }
    try:
        assert project.run("deploy", "dev")[0] == 0
        code, output, errors = project.run("env", **foreign)
        assert code == 0, errors
        assert "hacked" not in output
        shell = subprocess.run(
            ["sh", "-c", f"set -eu\n{output}\nenv"],
            env={"PATH": os.environ["PATH"], "AWS_PROFILE": "production", **foreign},
            capture_output=True,
            text=True,
            check=True,
        )
        names = {line.partition("=")[0] for line in shell.stdout.splitlines()}
        assert names & {*foreign, "AWS_PROFILE"} <= {"AWS_REGION", "AWS_X;touch hacked"}
        assert "AWS_REGION=us-east-1" in shell.stdout.splitlines()
        assert "AWS_ENDPOINT_URL" in names
    finally:
        project.run("destroy")


def test_a_failed_synth_says_why_and_leaves_nothing(project: Project) -> None:
    code, output, errors = project.run("deploy", "dev", FAIL_AT="synth")
    assert (code, output) == (1, "")
    assert errors == "synthesizing dev ...\n" + (
        "cdk synth failed with code 1:\n  Stack demo-dev-x: CREATE_FAILED, no such thing\n"
    )
    assert not project.state.exists()


def test_a_failed_destruction_still_ends_the_emulator(project: Project) -> None:
    project.run("deploy", "dev")
    server = json.loads((project.state / "state.json").read_text("utf-8"))["pid"]
    code, _, errors = project.run("destroy", FAIL_AT="destroy")
    assert code == 1
    assert "cdk destroy failed" in errors
    assert ended(server)
    assert not project.state.exists()


def test_without_a_local_cloud_every_command_says_so(project: Project) -> None:
    assert project.run("status") == (
        1,
        "no local cloud runs: sizewell deploy-local --env dev starts one\n",
        "",
    )
    nothing = "nothing is deployed to a local cloud: sizewell deploy-local --env dev\n"
    assert project.run("env") == (1, "", nothing)
    assert project.run("destroy") == (0, "", "no local cloud runs; nothing of it is left\n")
    assert not project.state.exists()
