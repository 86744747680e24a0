"""The generated files of CI, and a way to run their scripts without a forge."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from sizewell.cli.init_command import ci_files
from sizewell.review.rendering.comment import MARKER
from tests.synthesis_of_refs.projects import git

WORKFLOW = ".github/workflows/sizewell-review.yml"
PIPELINE = ".gitlab/sizewell-review.gitlab-ci.yml"
REVIEW = f'{MARKER}\n### größe "quoted" & 100% $HOME `x`\n'
STRICT_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
FAKE_SIZEWELL = """\
#!{python}
import json, os, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if {code} != 2:
    for option, text in (("--markdown", {review!r}), ("--html", {review!r}), ("--json", os.environ.get("DATA", "{{}}"))):
        open(arguments[arguments.index(option) + 1], "w", encoding="utf-8").write(text)
    open({log!r} + ".date", "w").write(os.environ["SIZEWELL_DATE"])
sys.exit({code})
"""
#: Stands for the Python of an installation, which saves what HEAD synthesizes to.
FAKE_PYTHON = """\
#!{python}
import json, os, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
os.makedirs(arguments[arguments.index("--output") + 1])
sys.exit({code})
"""


def load(text: str) -> Any:
    return YAML(typ="safe").load(text)


def scripts(ci: str) -> dict[str, str]:
    if ci == "gitlab":
        jobs = load(ci_files(ci)[PIPELINE])
        return {name: "\n".join(job["script"]) for name, job in jobs.items() if "script" in job}
    jobs = load(ci_files(ci)[WORKFLOW])["jobs"]
    return {step["name"]: step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}


def make_merge(directory: Path) -> dict[str, str]:
    """Make a repository whose HEAD is a merge commit, and whose base branch went on since; return the commits."""
    git(directory, "init", "--quiet")

    def commit(message: str) -> str:
        git(directory, "commit", "--quiet", "--allow-empty", "--message", message)
        return git(directory, "rev-parse", "HEAD").strip()

    commits = {"fork": commit("one")}
    git(directory, "checkout", "--quiet", "-b", "topic")
    commits["topic"] = commit("topic")
    git(directory, "checkout", "--quiet", "main")
    commits["base"] = commit("two")
    git(directory, "checkout", "--quiet", "-b", "merge")
    git(directory, "merge", "--quiet", "--no-ff", "--no-edit", "topic")
    commits["merge"] = git(directory, "rev-parse", "HEAD").strip()
    git(directory, "checkout", "--quiet", "main")
    commit("three")
    git(directory, "update-ref", "refs/remotes/origin/main", "main")
    git(directory, "checkout", "--quiet", "--detach", "merge")
    return commits


@dataclass
class Runner:
    """Runs scripts as a CI runner does, with programs of our own."""

    directory: Path
    variables: dict[str, str] = field(default_factory=dict)

    def add_program(self, name: str, text: str, **values: Any) -> None:
        path = self.directory / "bin" / name
        path.parent.mkdir(exist_ok=True)
        log = str(self.directory / f"{name}.log")
        path.write_text(text.format(python=sys.executable, log=log, **values), "utf-8")
        path.chmod(stat.S_IRWXU)

    def calls(self, name: str) -> list[list[str]]:
        log = self.directory / f"{name}.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []

    def run(self, script: str, shell: tuple[str, ...] = STRICT_BASH) -> subprocess.CompletedProcess[str]:
        (self.directory / "script").write_text(script, "utf-8")
        return subprocess.run(
            [*shell, str(self.directory / "script")],
            cwd=self.directory,
            env={
                "PATH": f"{self.directory / 'bin'}:{os.environ['PATH']}",
                "LANG": "C.UTF-8",
                **self.variables,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self, name: str) -> str:
        return (self.directory / name).read_text("utf-8")
