"""The wheel, installed where the checkout is not: an environment with the dependencies of this one and nothing of ours."""

import json
import os
import site
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.synthesis import PROJECT_ROOT

LOCAL_CLOUD = PROJECT_ROOT / "tools" / "localcloud"

#: What would lead to the checkout, or to what the tests run in.
_OURS = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "JSII_", "CDK_", "MAKE", "MFLAGS")


@dataclass(frozen=True)
class Installation:
    """A virtual environment with the wheel."""

    directory: Path

    def run(self, *command: str, directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, or one that it depends on, to its end."""
        return subprocess.run(
            [str(self.directory / "bin" / command[0]), *command[1:]],
            cwd=directory,
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def variables(self) -> dict[str, str]:
        """The variables of its programs."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        path = [self.directory / "bin", Path(sys.executable).parent, os.environ["PATH"]]
        return {**kept, "PATH": os.pathsep.join(map(str, path))}

    def synthesize(self, project: Path, environment: str, output: Path) -> subprocess.CompletedProcess[str]:
        """Run the app of a project as ``cdk`` does."""
        cdk_json = json.loads((project / "cdk.json").read_text("utf-8"))
        context = json.dumps({**cdk_json["context"], "env": environment})
        return self.run(
            *cdk_json["app"].split(), directory=project, CDK_CONTEXT_JSON=context, CDK_OUTDIR=str(output)
        )


def build_wheel(directory: Path, project: Path = PROJECT_ROOT) -> Path:
    """Build the wheel of this checkout, or of a project in it, in a directory, and return it."""
    before = set(directory.glob("*.whl"))
    _run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)],
        project,
    )
    (built,) = set(directory.glob("*.whl")) - before
    return built


def install(*wheels: Path | str, environment: Path, directory: Path = PROJECT_ROOT) -> Installation:
    """Make an environment with wheels, as ``pip`` is told in a directory."""
    _run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
    (packages,) = environment.glob("lib/python*/site-packages")
    # The path files of a directory that a path file names are not read: that of the editable install leads nowhere.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"), "--quiet"]
    _run(
        [*pip, "install", "--no-deps", "--no-index", "--no-compile", "--force-reinstall", *map(str, wheels)],
        directory,
    )
    return Installation(environment)


def _run(command: Sequence[str], directory: Path = PROJECT_ROOT) -> None:
    result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
