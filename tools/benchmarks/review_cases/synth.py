"""Synthesize many configurations in one process: ``python -m tools.benchmarks.review_cases.synth ENV OUT=CONFIG ...``.

Without the guards, which change nothing in a template and take most of the time.
"""

import json
import sys
from pathlib import Path

from app import PROJECT_DIRECTORY, write_configuration
from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.planning import load_for_synth, plan_to_json


def main(environment: str, *pairs: str) -> None:
    """Synthesize one environment of each configuration."""
    use_bundled_node()
    from aws_cdk import App

    from sizewell.stacks.platform import add_stacks

    context = json.loads((PROJECT_DIRECTORY / "cdk.json").read_text("utf-8"))["context"]
    context |= {"aws:cdk:disable-creation-stack-traces": True, "aws:cdk:enable-path-metadata": True}
    context.pop("@aws-cdk/core:validateAgainstDefaultRules")
    for pair in pairs:
        output, _, directory = pair.partition("=")
        planned = load_for_synth(Path(directory), environment)
        app = App(analytics_reporting=False, outdir=output, context=context)
        add_stacks(app, planned.plan)
        app.synth()
        Path(output, "plan.json").write_text(plan_to_json(planned.plan), "utf-8")
        write_configuration(planned.environment, Path(output))


if __name__ == "__main__":
    main(*sys.argv[1:])
