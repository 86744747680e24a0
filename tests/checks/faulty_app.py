"""A user's app with a stack of its own: two alarms compare with nothing and watch a misspelt dimension; one says why."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sizewell import Platform

platform = Platform()

from aws_cdk import Acknowledgment, Stack, Validations  # noqa: E402  (the kernel must find its Node first)
from aws_cdk import aws_cloudwatch as cloudwatch  # noqa: E402

stack = Stack(platform.app, "faulty")
for name in ("Alarm", "Acknowledged"):
    alarm = cloudwatch.CfnAlarm(
        stack,
        name,
        comparison_operator="GreaterThanThreshold",
        evaluation_periods=1,
        namespace="AWS/SageMaker",
        metric_name="Invocations",
        dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="EndpointNme", value="x")],
        statistic="Sum",
        period=60,
    )
for rule_id in ("Sizewell::alarm-threshold", "Sizewell::alarm-dimensions"):
    reason = "A test wants to see that a finding can be acknowledged."
    Validations.of(alarm).acknowledge(Acknowledgment(id=rule_id, reason=reason))
platform.synth()
