"""A change that edits what judges it: the generated workflow judges with the code, packages and policy of base."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.ci_runner import Runner, scripts
from tests.synthesis import PROJECT_ROOT
from tests.synthesis_of_refs.projects import APP, CDK_JSON, SHAPES, git, make_tools

#: Also writes the policy of the environment, as an app of ours does.
APP_WITH_POLICY = APP + '(out / "config.json").write_text(Path("settings", env + ".json").read_text())\n'
#: Sets up the commit that is checked out: its code, with packages of its lock file.
MAKE = """\
#!/bin/sh
cat requirements.lock >> {log}
mkdir -p .venv/bin
for name in python sizewell; do cp "{tools}/$name" .venv/bin; done
"""
#: Runs the code of the checkout that it is installed in.
RUN = """\
#!{python}
import runpy, sys
from pathlib import Path
sys.path[0] = str(Path(__file__).absolute().parents[2])
import sizewell.synthesis.synthesize
sizewell.synthesis.synthesize.TOOLS = Path({cdk!r})
if Path(__file__).name == "python":
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__")
else:
    from sizewell.cli.main import main
    main()
"""


@pytest.fixture(scope="module")
def merge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository at the merge commit of a change that replaces a topic, and edits what would stop it."""
    place = tmp_path_factory.mktemp("merge")
    ignored = shutil.ignore_patterns("__pycache__", "stacks")
    shutil.copytree(PROJECT_ROOT / "sizewell", place / "sizewell", ignore=ignored)
    write(place, "cdk.json", CDK_JSON)
    write(place, "app.py", APP_WITH_POLICY)
    write(place, "shapes.py", SHAPES.replace('"DisplayName": text', '"TopicName": text'))
    write(place, "settings/dev.yaml", "one\n")
    write(place, "settings/dev.json", policy("replace"))
    write(place, "requirements.lock", "of base\n")
    write(place, ".gitignore", ".venv/\n.sizewell/\n__pycache__/\n")
    git(place, "init", "--quiet")
    commit(place)
    git(place, "checkout", "--quiet", "-b", "topic")
    write(place, "settings/dev.yaml", "two\n")
    write(place, "settings/dev.json", policy(waived=True))
    write(place, "requirements.lock", "of head\n")
    write(place, "sizewell/review/gate/apply.py", "def apply_gate(*_):\n    raise SystemExit(0)\n")
    write(place, "sizewell/cli/main.py", "import sys\n\n\ndef main():\n    sys.exit(0)\n")
    commit(place)
    git(place, "checkout", "--quiet", "main")
    git(place, "merge", "--quiet", "--no-ff", "--no-edit", "topic")
    return place


def policy(*conditions: str, waived: bool = False) -> str:
    waiver = {"of": "replace", "subject": "demo-dev/Topic", "reason": "mine", "until": "2099-12-31"}
    rules = {"review_fail_on": conditions, "review_waivers": [waiver] if waived else []}
    environment = {"policy": rules}
    return json.dumps({"schema_version": 1, "environment": environment})


def write(directory: Path, name: str, text: str) -> None:
    (directory / name).parent.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text(text, "utf-8")


def commit(directory: Path) -> None:
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--message", "change")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a place with what each machine has: make, and what make installs."""
    place = tmp_path_factory.mktemp("programs")
    cdk = str(make_tools(place))
    for name in ("python", "sizewell"):
        write(place, name, RUN.format(python=sys.executable, cdk=cdk))
        (place / name).chmod(0o700)
    return place


def machine(merge: Path, programs: Path, directory: Path, **variables: str) -> Runner:
    """Return a new machine with the merge commit checked out."""
    git(merge, "clone", "--quiet", str(merge), str(directory))
    runner = Runner(directory, variables)
    write(directory, "bin/make", MAKE.format(log=directory.parent / f"{directory.name}.log", tools=programs))
    (directory / "bin" / "make").chmod(0o700)
    return runner


def installed(directory: Path) -> str:
    return (directory.parent / f"{directory.name}.log").read_text("utf-8")


def test_on_github(merge: Path, programs: Path, tmp_path: Path) -> None:
    variables = {"CONFIG": "settings", "ENVIRONMENTS": "", "FAIL_ON": ""}
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    jobs = scripts("github")
    head = machine(merge, programs, theirs, RUNNER_TEMP=str(tmp_path / "of-theirs"), **variables)
    succeed(head.run(jobs["Synthesize"]))
    shutil.copytree(
        tmp_path / "of-theirs" / "sizewell-head", tmp_path / "of-ours" / "sizewell-sides" / "head"
    )
    variables |= {"RUNNER_TEMP": str(tmp_path / "of-ours"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    judge = machine(merge, programs, ours, **variables)
    for step in ("Take base", "Set up", "Review"):
        succeed(judge.run(jobs[step]))
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    assert "`Topic` (replaced)" in (tmp_path / "of-ours/sizewell-review/review.md").read_text()
    assert (installed(theirs), installed(ours)) == ("of head\n", "of base\n")


def test_on_gitlab(merge: Path, programs: Path, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    commit = git(merge, "rev-parse", "HEAD").strip()
    variables = {
        "PROJECT": ".",
        "SIZEWELL_CONFIG": "settings",
        "SIZEWELL_ENVIRONMENTS": "",
        "SIZEWELL_FAIL_ON": "",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_COMMIT_SHA": commit,
        "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result",
    }
    jobs = scripts("gitlab")
    succeed(
        machine(merge, programs, theirs, CI_PROJECT_DIR=str(theirs), **variables).run(
            jobs["sizewell-synthesize"]
        )
    )
    judge = machine(merge, programs, ours, CI_PROJECT_DIR=str(ours), **variables)
    shutil.copytree(theirs / "sizewell-head", ours / "sizewell-head")
    judged = judge.run(jobs["sizewell-review"])
    assert (judged.returncode, "must not happen is met" in judged.stdout) == (1, True), judged.stderr
    assert "`Topic` (replaced)" in (ours / "sizewell-review" / "review.md").read_text()
    assert (installed(theirs), installed(ours)) == ("of head\n", "of base\n")


def succeed(finished: subprocess.CompletedProcess[str]) -> None:
    assert finished.returncode == 0, finished.stdout + finished.stderr
