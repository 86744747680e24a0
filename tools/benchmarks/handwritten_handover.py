"""The function that scales all endpoints, by hand: L2 constructs around the same ``index.py`` that Sizewell ships."""

from pathlib import Path
from typing import Any

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Stack, Validations
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

_CODE = Path(__file__).parents[2] / "constructs_lib" / "scaling_handover_function" / "index.py"
_LINKED_SERVICE = "sagemaker.application-autoscaling.amazonaws.com"
_LINKED_ROLE = "AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"


class HandwrittenHandover(Construct):
    """Log group, role, function, permission for the rules of endpoints, and an alarm for calls that were lost."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        foundation: dict[str, Any],
        operations_key: kms.Key,
        topic: sns.Topic,
        removal_policy: RemovalPolicy,
    ) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        prefix = foundation["name_prefix"]
        log_group = logs.LogGroup(
            self,
            "LogGroup",
            encryption_key=operations_key,
            retention=logs.RetentionDays.THREE_MONTHS,
            removal_policy=removal_policy,
        )
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"Scales the endpoints {prefix}-*",
            runtime=lambda_.Runtime.PYTHON_3_14,
            architecture=lambda_.Architecture.ARM_64,
            handler="index.handler",
            code=lambda_.Code.from_inline(_CODE.read_text("utf-8")),
            role=self._role(prefix, log_group),
            timeout=Duration.minutes(15),
            memory_size=256,
            log_group=log_group,
            max_event_age=Duration.minutes(5),
            retry_attempts=2,
        )
        self.function.add_permission(
            "Deployed",
            principal=iam.ServicePrincipal("events.amazonaws.com"),
            source_arn=stack.format_arn(
                service="events", resource="rule", resource_name=f"{prefix}-*-deployed"
            ),
        )
        self._alarm(prefix, topic)

    def _role(self, prefix: str, log_group: logs.LogGroup) -> iam.Role:
        stack = Stack.of(self)
        endpoints = stack.format_arn(service="sagemaker", resource="endpoint", resource_name=f"{prefix}-*")
        configurations = stack.format_arn(service="sagemaker", resource="endpoint-config", resource_name="*")
        scalable_targets = stack.format_arn(
            service="application-autoscaling", resource="scalable-target", resource_name="*"
        )
        alarms = (
            f"arn:{stack.partition}:cloudwatch:{stack.region}:{stack.account}"
            f":alarm:TargetTracking-endpoint/{prefix}-*"
        )
        policy = iam.ManagedPolicy(
            self,
            "Policy",
            statements=[
                iam.PolicyStatement(
                    actions=["sagemaker:DescribeEndpoint", "sagemaker:UpdateEndpointWeightsAndCapacities"],
                    resources=[endpoints],
                ),
                iam.PolicyStatement(actions=["sagemaker:DescribeEndpointConfig"], resources=[configurations]),
                iam.PolicyStatement(
                    actions=[
                        "application-autoscaling:DescribeScalableTargets",
                        "application-autoscaling:DescribeScalingPolicies",
                        "cloudwatch:DescribeAlarms",
                    ],
                    resources=["*"],
                ),
                iam.PolicyStatement(
                    actions=[
                        "application-autoscaling:DeleteScalingPolicy",
                        "application-autoscaling:DeregisterScalableTarget",
                        "application-autoscaling:PutScalingPolicy",
                        "application-autoscaling:RegisterScalableTarget",
                    ],
                    resources=[scalable_targets],
                    conditions={
                        "StringEquals": {
                            "application-autoscaling:service-namespace": "sagemaker",
                            "application-autoscaling:scalable-dimension": "sagemaker:variant:DesiredInstanceCount",
                        }
                    },
                ),
                iam.PolicyStatement(
                    actions=["cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm"], resources=[alarms]
                ),
                iam.PolicyStatement(
                    actions=["iam:CreateServiceLinkedRole"],
                    resources=[
                        f"arn:{stack.partition}:iam::{stack.account}"
                        f":role/aws-service-role/{_LINKED_SERVICE}/{_LINKED_ROLE}"
                    ],
                    conditions={"StringEquals": {"iam:AWSServiceName": _LINKED_SERVICE}},
                ),
                iam.PolicyStatement(
                    actions=["logs:CreateLogStream", "logs:PutLogEvents"],
                    resources=[log_group.log_group_arn],
                ),
            ],
        )
        reason = "One function serves all endpoints of the environment, also those that are added later."
        Validations.of(policy).acknowledge(
            *(
                Acknowledgment(id=f"AwsSolutions-IAM5[Resource::{resource}]", reason=reason)
                for resource in ("*", endpoints, configurations, scalable_targets, alarms)
            )
        )
        return iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            managed_policies=[policy],
        )

    def _alarm(self, prefix: str, topic: sns.Topic) -> None:
        alarm = cloudwatch.Alarm(
            self,
            "LostCallsAlarm",
            alarm_description=f"A call of the function that scales the endpoints {prefix}-* was lost",
            metric=self.function.metric("AsyncEventsDropped", statistic="Sum", period=Duration.minutes(5)),
            threshold=0,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=1,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(topic))
