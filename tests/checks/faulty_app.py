"""A user's app with a stack of its own, whose alarm compares with nothing and watches a misspelt dimension."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sizewell import Platform

platform = Platform()

from aws_cdk import Acknowledgment, Stack, Validations  # noqa: E402  (the kernel must find its Node first)
from aws_cdk import aws_cloudwatch as cloudwatch  # noqa: E402

alarm = cloudwatch.CfnAlarm(
    Stack(platform.app, "faulty"),
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
platform.synth()
