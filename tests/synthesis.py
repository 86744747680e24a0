"""Synthesize environments as ``cdk`` does: a fresh process with the context of cdk.json in its environment."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

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


def templates(assembly: Path) -> dict[str, dict[str, object]]:
    """Return the templates of an assembly by stack name."""
    return {
        path.name.removesuffix(".template.json"): json.loads(path.read_text("utf-8"))
        for path in sorted(assembly.glob("*.template.json"))
    }
