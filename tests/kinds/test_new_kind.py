"""A fourteenth kind is one folder: with a copy of the folder of notebooks, everything says of both the same."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sizewell.kinds.registry import file_of
from tests.synthesis import PROJECT_ROOT, templates

pytestmark = pytest.mark.cdk

KINDS = ("notebook", "dream-house")
MEMORY_GIB = {"base": 4, "head": 32}
BASE = """\
platform: demo
network: {mode: new}
policy: {account: "111122223333", region: us-east-1}
"""
DEV = """\
policy: {allow_notebooks: true, removal: destroy}
workloads:
  explore:
    kind: KIND
    memory_gib: MEMORY
    working_hours: {start: "08:00", end: "18:00"}
"""
#: What is said of the larger side, and of the step from the smaller one to it.
COMMANDS = {
    "plan": "plan --env dev --config {kind}/head --json",
    "details": "plan --env dev --config {kind}/head --details",
    "explanation": "explain explore --env dev --config {kind}/head",
    "migration": "migrate explore --env dev --config {kind}/head",
    "review": "review --base {kind}/base.out --head {kind}/head.out --json -",
}

#: The exit code and the words of each command, by kind.
Said = dict[str, dict[str, tuple[int, str]]]


def new_folder(root: Path) -> Path:
    """Copy the folder of notebooks under another name, with its own kind and rank."""
    folder = root / "kinds" / "dream_house"
    shutil.copytree(file_of("notebook", ""), folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8").replace("sizewell.kinds.notebook", "sizewell.kinds.dream_house")
        text = text.replace('Literal["notebook"]', 'Literal["dream-house"]').replace("rank=12", "rank=99")
        path.write_text(text.replace('] = "notebook"', '] = "dream-house"'), "utf-8")
    return folder.parent


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a configuration of each kind, before and after it asks for more memory."""
    root = tmp_path_factory.mktemp("new-kind")
    for kind in KINDS:
        for side, memory_gib in MEMORY_GIB.items():
            config = root / kind / side
            config.mkdir(parents=True)
            (config / "base.yaml").write_text(BASE, "utf-8")
            text = DEV.replace("KIND", kind).replace("MEMORY", str(memory_gib))
            (config / "dev.yaml").write_text(text, "utf-8")
    return root


@pytest.fixture(scope="module")
def said(root: Path) -> Said:
    """Return what each command says of a workload of each kind; leaves the assemblies beside the configurations."""
    requests = {
        "synthesize": [f"{kind}/{side}" for kind in KINDS for side in MEMORY_GIB],
        "run": [command.format(kind=kind).split() for kind in KINDS for command in COMMANDS.values()],
    }
    program = PROJECT_ROOT / "tests" / "kinds" / "with_a_new_kind.py"
    ended = subprocess.run(
        [sys.executable, str(program), str(new_folder(root)), json.dumps(requests)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    results = ((code, words) for code, words in json.loads(ended.stdout.splitlines()[-1]))
    return {kind: dict(zip(COMMANDS, results, strict=False)) for kind in KINDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_of_it_what_it_says_of_a_notebook(said: Said, command: str) -> None:
    code, words = said["dream-house"][command]
    as_notebook = words.replace("dream-house", "notebook").replace("dream house", "notebook")
    assert (code, as_notebook) == said["notebook"][command]


def test_it_is_picked_billed_and_reviewed(said: Said) -> None:
    plan = json.loads(said["dream-house"]["plan"][1])
    assert [workload["kind"] for workload in plan["workloads"]] == ["dream-house"]
    assert "explore" in {line["workload"] for line in plan["bill"]["lines"]}
    review = json.loads(said["dream-house"]["review"][1])
    (change,) = review["selection"]
    assert (change["kind"], change["workload"]) == ("dream-house", "explore")
    assert change["base"]["instance_type"] != change["head"]["instance_type"]
    (cost,) = review["cost"]
    assert cost["difference"]["expected"] > 0
    assert review.get("notes", []) == []


@pytest.mark.usefixtures("said")
def test_its_templates_are_those_of_a_notebook(root: Path) -> None:
    ours, theirs = (templates(root / kind / "head.out") for kind in ("dream-house", "notebook"))
    assert ours == theirs
