"""app.py with a stack more: its alarm compares with nothing and watches a misspelt dimension."""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from constructs_lib.jsii_runtime import use_bundled_node  # noqa: E402  (the project must be found first)

use_bundled_node()

from aws_cdk import Acknowledgment, App, Stack, Validations  # noqa: E402  (the kernel must find its Node first)
from aws_cdk import aws_cloudwatch as cloudwatch  # noqa: E402

from sizewell.planning.plan import DeploymentPlan  # noqa: E402
from sizewell.stacks import platform  # noqa: E402

_add_stacks = platform.add_stacks


def add_stacks(app: App, plan: DeploymentPlan) -> None:
    """Add the stacks of the plan and the faulty one."""
    _add_stacks(app, plan)
    alarm = cloudwatch.CfnAlarm(
        Stack(app, "faulty"),
        "Alarm",
        comparison_operator="GreaterThanThreshold",
        evaluation_periods=1,
        namespace="AWS/SageMaker",
        metric_name="Invocations",
        dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="EndpointNme", value="x")],
        statistic="Sum",
        period=60,
    )
    for rule_id in sys.argv[1:]:
        reason = "A test wants to see that a finding can be acknowledged."
        Validations.of(alarm).acknowledge(Acknowledgment(id=rule_id, reason=reason))


platform.add_stacks = add_stacks
runpy.run_path(str(ROOT / "app.py"), run_name="__main__")
