"""Synthesize environments as ``cdk`` does: a fresh process with the context of cdk.json in its environment."""

import gc
import json
import os
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

PROJECT_ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ("dev", "staging", "prod")
#: What runs app.py for each of the environments that follow.
EACH_ENVIRONMENT = ("-O", "-m", "tests.each_environment")


def run_app(
    environment: str | None,
    output: Path,
    *,
    program: tuple[str, ...] | None = None,
    variables: dict[str, str] | None = None,
    context: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run app.py (or a program that wraps it) and return how it ended; the assembly is in ``output``."""
    cdk_json = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))
    context = cdk_json["context"] | (context or {})
    if environment is not None:
        context["env"] = environment
    return subprocess.run(
        [sys.executable, *(program or shlex.split(cdk_json["app"])[1:])],
        cwd=PROJECT_ROOT,
        env={
            **os.environ,
            "CDK_CONTEXT_JSON": json.dumps(context),
            "CDK_OUTDIR": str(output),
            **(variables or {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def synthesize(environment: str, output: Path, **context: str) -> None:
    """Run app.py in this process, where the kernel of CDK starts once: each further synth takes a second, not seven.

    The files are those of ``run_app``, byte for byte.
    """
    cdk_json = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))
    known = json.dumps(cdk_json["context"] | context | {"env": environment})
    with patch.dict(os.environ, {"CDK_CONTEXT_JSON": known}):
        # The kernel keeps the variables that it was started with: it chooses a directory of its own for each app.
        app = runpy.run_path(str(PROJECT_ROOT / "app.py"))["platform"].app
    # Switched off for the life of a process that ends with the synth.
    gc.enable()
    shutil.move(app.outdir, output)


def templates(assembly: Path) -> dict[str, dict[str, Any]]:
    """Return the templates of an assembly by stack name."""
    return {
        path.name.removesuffix(".template.json"): json.loads(path.read_text("utf-8"))
        for path in sorted(assembly.glob("*.template.json"))
    }
