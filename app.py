"""The door for ``cdk``: environment name, plan, stacks, guards, synth."""

import gc
import json
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.config import ConfigError, environment_names
from sizewell.config.environment import Environment
from sizewell.planning import DeploymentPlan, configuration_to_json, load_for_synth, plan_to_json
from sizewell.planning.lock_notes import lock_warnings
from sizewell.planning.offers import offered_types
from sizewell.stacks.kernel import start_kernel

PROJECT_DIRECTORY = Path(__file__).resolve().parent
#: Stack traces of construct creation name lines of the kernel, not of Python: half a second for nothing. The CLI
#: reserves the prefix in cdk.json, hence here.
FAST_CONTEXT = {"aws:cdk:disable-creation-stack-traces": True}


def main() -> None:
    """Synthesize the environment that ``-c env=NAME`` names, or say what is wrong and exit with 1.

    ``-c config=DIRECTORY`` names another configuration directory than that of the project.
    """
    context = read_context()
    directory = Path(context.get("config") or default_directory())
    name = context.get("env")
    if name is None:
        names = "|".join(environment_names(directory)) or "NAME"
        sys.exit(f"say which environment: cdk synth -c env={names}")
    # A plan is a large tree without cycles that lives until the end: searching it for garbage finds nothing, slowly.
    gc.disable()
    use_bundled_node()
    kernel = start_kernel()
    try:
        planned = load_for_synth(directory, name)
    except ConfigError as error:
        sys.exit(error.render())
    for warning in lock_warnings(planned.plan):
        print(warning, file=sys.stderr)
    write_configuration(planned.environment, synthesize(planned.plan, kernel))


def read_context() -> dict[str, Any]:
    """Return the context, which the CDK CLI passes as JSON before the kernel runs."""
    context: dict[str, Any] = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    return context


def default_directory() -> Path:
    """Return the configuration of the project, by the short name that messages show where there is one."""
    directory = PROJECT_DIRECTORY / "config"
    return directory.relative_to(Path.cwd()) if directory.is_relative_to(Path.cwd()) else directory


def synthesize(plan: DeploymentPlan, kernel: Future[None]) -> Path:
    """Write the templates of a plan, and the plan beside them; return the directory."""
    from aws_cdk import App

    from sizewell.stacks.platform import add_stacks

    kernel.result()
    from sizewell.stacks.guards import add_guards

    app = App(analytics_reporting=False, context=FAST_CONTEXT)
    add_stacks(app, plan)
    add_guards(app, plan.nag_packs, offered_types(plan.region))
    try:
        # The kernel works alone for seconds: time to write a plan of many megabytes.
        with ThreadPoolExecutor(max_workers=1) as executor:
            plan_json = executor.submit(plan_to_json, plan)
            assembly = app.synth()
    except RuntimeError as error:
        # The kernel wraps every error in this class. CDK has printed the findings already.
        if "ValidationFailed" not in str(error):
            raise
        sys.exit("synth stopped: mend the findings, or acknowledge them where they arise, with a reason")
    directory = Path(assembly.directory)
    write_whole(directory / "plan.json", plan_json.result())
    return directory


def write_configuration(environment: Environment, directory: Path) -> None:
    """Write what the plan was made from beside it: ``sizewell review`` tells from it what a change means."""
    write_whole(directory / "config.json", configuration_to_json(environment))


def write_whole(path: Path, text: str) -> None:
    """Write a file, or leave the one that was there; another synth may write it at the same time."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
