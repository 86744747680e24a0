"""The door for ``cdk``: environment name, plan, stacks, guards, synth."""

import json
import os
import sys
from pathlib import Path

from config import ConfigError, environment_names
from constructs_lib.jsii_runtime import use_bundled_node
from planning import DeploymentPlan, load_plan, plan_to_json

CONFIG_DIRECTORY = Path(__file__).parent / "config"
#: Stack traces of construct creation name lines of the kernel, not of Python: half a second for nothing. The CLI
#: reserves the prefix in cdk.json, hence here.
FAST_CONTEXT = {"aws:cdk:disable-creation-stack-traces": True}


def main() -> None:
    """Synthesize the environment that ``-c env=NAME`` names, or say what is wrong and exit with 1."""
    name = read_environment_name()
    if name is None:
        names = "|".join(environment_names(CONFIG_DIRECTORY))
        sys.exit(f"say which environment: cdk synth -c env={names}")
    try:
        plan = load_plan(CONFIG_DIRECTORY, name)
    except ConfigError as error:
        sys.exit(error.render())
    synthesize(plan)


def read_environment_name() -> str | None:
    """Return the context value ``env``; the CDK CLI passes the context as JSON before the kernel runs."""
    context = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    return context.get("env")


def synthesize(plan: DeploymentPlan) -> None:
    """Write the templates of a plan, and the plan beside them."""
    # Starts the CDK kernel, which a faulty configuration should not wait for.
    use_bundled_node()
    from aws_cdk import App

    from stacks.guards import add_guards
    from stacks.platform import add_stacks

    app = App(analytics_reporting=False, context=FAST_CONTEXT)
    add_stacks(app, plan)
    add_guards(app, plan.nag_packs)
    try:
        assembly = app.synth()
    except RuntimeError as error:
        # The kernel wraps every error in this class. CDK has printed the findings already.
        if "ValidationFailed" not in str(error):
            raise
        sys.exit(
            "synth stopped: mend the findings above, or acknowledge them where they arise, with a reason"
        )
    Path(assembly.directory, "plan.json").write_text(plan_to_json(plan), encoding="utf-8")


if __name__ == "__main__":
    main()
