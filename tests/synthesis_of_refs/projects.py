"""Small projects in git, and a ``cdk`` that costs milliseconds: it runs the app of cdk.json, as the real one does."""

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CDK_JSON = '{"app": "python app.py"}\n'
#: Writes one stack for each environment; its only resource holds what the configuration says.
APP = """\
import json, os, sys
from pathlib import Path
from shapes import topic
context = json.loads(os.environ["CDK_CONTEXT_JSON"])
env = context.get("env", "app")
said = Path(context.get("config", "config"), env + ".yaml")
text = said.read_text("utf-8").strip() if said.is_file() else ""
if text == "broken":
    print("synthesizing", Path.cwd() / "app.py")
    sys.exit(f"\\x1b[31m{Path.cwd()}/config/{env}.yaml: broken\\x1b[0m")
out = Path(os.environ["CDK_OUTDIR"])
stack = {"type": "aws:cloudformation:stack", "environment": "aws://111122223333/us-east-1",
         "properties": {"templateFile": "demo.template.json"}}
(out / "manifest.json").write_text(json.dumps({"version": "48.0.0", "artifacts": {"demo-" + env: stack}}))
(out / "demo.template.json").write_text(json.dumps({"Resources": {"Topic": topic(text)}}))
"""
SHAPES = """\
def topic(text):
    return {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": text}}
"""
FAKE_CDK = """\
#!{python}
import json, os, shlex, subprocess, sys
arguments = sys.argv[1:]
context = dict(one.removeprefix("--context=").split("=", 1) for one in arguments if one.startswith("--context="))
output = arguments[arguments.index("--output") + 1]
with open({log!r}, "a") as log:
    log.write(" ".join([*arguments[:3], *(f"{{n}}={{v}}" for n, v in sorted(context.items()))]) + "\\n")
app = shlex.split(json.load(open("cdk.json"))["app"])
variables = {{**os.environ, "CDK_OUTDIR": output, "CDK_CONTEXT_JSON": json.dumps(context)}}
sys.exit(subprocess.call(app, env=variables))
"""


@dataclass(frozen=True)
class Project:
    """A project, and the repository that it is in."""

    directory: Path
    repository: Path

    def write(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def commit(self, message: str = "change") -> str:
        git(self.repository, "add", "--all")
        git(self.repository, "commit", "--quiet", "--allow-empty", "--message", message)
        return git(self.repository, "rev-parse", "HEAD").strip()


def git(directory: Path, *arguments: str) -> str:
    """Run git without the configuration of whoever runs the tests."""
    return subprocess.run(
        ["git", "-c", "init.defaultBranch=main", *arguments],
        cwd=directory,
        env={
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.com",
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def make_project(repository: Path, below: str = "") -> Project:
    """Make a repository on ``main`` with the files of an app in dev and prod, committed."""
    directory = repository / below
    directory.mkdir(parents=True)
    git(repository, "init", "--quiet")
    project = Project(directory, repository)
    for name, text in (
        ("cdk.json", CDK_JSON),
        ("app.py", APP),
        ("shapes.py", SHAPES),
        ("config/base.yaml", ""),
        ("config/dev.yaml", "one\n"),
        ("config/prod.yaml", "one\n"),
        ("config/measurements.yaml", ""),
        ("config/selection.lock.yaml", ""),
        (".gitignore", "ignored.txt\n__pycache__/\n"),
    ):
        project.write(name, text)
    project.commit("first")
    return project


def make_tools(directory: Path, cdk: str = FAKE_CDK) -> Path:
    """Make a directory of programs with a ``cdk`` that writes down each start in ``cdk.log`` beside it."""
    tools = directory / "tools"
    tools.mkdir()
    log = str(directory / "cdk.log")
    for name, text in (
        ("cdk", cdk.format(python=sys.executable, log=log)),
        ("python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'),
    ):
        (tools / name).write_text(text, "utf-8")
        (tools / name).chmod(stat.S_IRWXU)
    return tools


def starts(directory: Path) -> list[str]:
    """Return the calls of the ``cdk`` that :func:`make_tools` made there."""
    log = directory / "cdk.log"
    return log.read_text("utf-8").splitlines() if log.is_file() else []
