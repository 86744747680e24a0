"""The same environment in plain Python CDK; the file with its numbers and names is the only argument.

The instance types, counts, targets and thresholds come ready from a file: a person who writes stacks by hand looks
them up beforehand, and no selection is part of the time.
"""

import json
import sys
from pathlib import Path
from typing import Any

from aws_cdk import App, Environment, Tags, Validations
from cdk_nag import AwsSolutionsChecks

from tools.benchmarks.handwritten_endpoint import HandwrittenEndpointStack
from tools.benchmarks.handwritten_foundation import HandwrittenFoundationStack


def main(numbers: dict[str, Any]) -> None:
    app = App()
    target = Environment(account=numbers["account"], region=numbers["region"])
    foundation = HandwrittenFoundationStack(
        app, numbers["foundation"]["stack_name"], numbers["foundation"], env=target
    )
    for endpoint in numbers["endpoints"]:
        stack = HandwrittenEndpointStack(
            app,
            endpoint["stack_name"],
            endpoint,
            numbers["foundation"],
            description=endpoint["description"],
            env=target,
        )
        stack.add_stack_dependency(foundation)
    Tags.of(app).add("platform", numbers["platform"])
    Tags.of(app).add("environment", numbers["environment"])
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")))
