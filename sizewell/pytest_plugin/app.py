"""Run the app of a project as ``cdk`` does: a fresh process, with the context in its environment."""

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizewell.synthesis.processes import run, search_path, variables

#: PYTHONSAFEPATH would hide the modules beside app.py.
_NOT_FOR_SYNTH = ("PYTHONSAFEPATH", "FORCE_COLOR")
_PYTHON = ("python", "python3")


class SynthFailedError(Exception):
    """An environment did not synthesize; says what the app printed."""


@dataclass(frozen=True)
class App:
    """The app that ``cdk.json`` names."""

    directory: Path
    config: str = "config"
    """The directory of the configuration files, within the project."""

    def synthesize(self, environment: str, output: Path) -> Path:
        """Write the output of an environment and return its directory.

        Raises:
            SynthFailedError: The app failed, or cannot be started.
        """
        __tracebackhide__ = True
        cdk_json = self._read("cdk.json")
        context = {**self._read("cdk.context.json"), **cdk_json.get("context", {}), "env": environment}
        if self.config != "config":
            context["config"] = self.config
        changes = {
            "CDK_CONTEXT_JSON": json.dumps(context),
            "CDK_OUTDIR": str(output),
            "PATH": search_path(Path(sys.executable).parent),
        }
        command = _command(str(cdk_json.get("app", "")))
        if not command:
            raise SynthFailedError(f'{self.directory / "cdk.json"} names no app: {{"app": "python app.py"}}')
        try:
            finished = run(
                command,
                directory=self.directory,
                environment=variables(changes, without=_NOT_FOR_SYNTH),
                join=True,
            )
        except OSError as error:
            raise SynthFailedError(f"{shlex.join(command)} cannot be started: {error}") from None
        if finished.code:
            printed = finished.stdout.decode(errors="replace").strip() or "it printed nothing"
            raise SynthFailedError(f"{environment} did not synthesize:\n{printed}")
        return output

    def _read(self, name: str) -> dict[str, Any]:
        __tracebackhide__ = True
        path = self.directory / name
        if not path.is_file():
            return {}
        try:
            data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise SynthFailedError(f"{path}: is not JSON: {error}") from None
        return data


def _command(app: str) -> list[str]:
    """Return the words of a command; Python is the one that runs the tests."""
    words = shlex.split(app)
    return [sys.executable, *words[1:]] if words and words[0] in _PYTHON else words
