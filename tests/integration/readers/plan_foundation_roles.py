"""What the roles of the foundation may do: write flow logs, close one security group, register endpoints."""

from tests.integration.readers.common import Properties
from tests.integration.readers.grants import allow
from tests.integration.readers.plan_foundation import Foundation

WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")
LINKED_SERVICE = "sagemaker.application-autoscaling.amazonaws.com"
LINKED_ROLE = "AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"


def flow_log_role(log_group: str, foundation: Foundation) -> list[Properties]:
    group = foundation.arn("logs", f"log-group:{log_group}:*")
    return [allow((*WRITE_LOGS, "logs:DescribeLogStreams"), group)]


def closing_role(log_group: str, default_group_id: str, foundation: Foundation) -> list[Properties]:
    revoke = ("ec2:RevokeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress")
    return [
        allow(revoke, foundation.arn("ec2", f"security-group/{default_group_id}")),
        allow(WRITE_LOGS, foundation.arn("logs", f"log-group:{log_group}:*")),
    ]


def handover_role(log_group: str, foundation: Foundation) -> list[Properties]:
    """Return what it takes to register variants of this environment's endpoints.

    https://docs.aws.amazon.com/autoscaling/application/userguide/security_iam_id-based-policy-examples.html
    """
    endpoints = f"{foundation.plan.name_prefix}-*"
    account = foundation.deployed.plan.account
    instance_counts = {
        "StringEquals": {
            "application-autoscaling:service-namespace": "sagemaker",
            "application-autoscaling:scalable-dimension": "sagemaker:variant:DesiredInstanceCount",
        }
    }
    register = (
        "DeleteScalingPolicy",
        "DeregisterScalableTarget",
        "PutScalingPolicy",
        "RegisterScalableTarget",
    )
    look = (
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "cloudwatch:DescribeAlarms",
    )
    linked_role = f"arn:aws:iam::{account}:role/aws-service-role/{LINKED_SERVICE}/{LINKED_ROLE}"
    return [
        allow(
            ("sagemaker:DescribeEndpoint", "sagemaker:UpdateEndpointWeightsAndCapacities"),
            foundation.arn("sagemaker", f"endpoint/{endpoints}"),
        ),
        allow("sagemaker:DescribeEndpointConfig", foundation.arn("sagemaker", "endpoint-config/*")),
        allow(look, "*"),
        allow(
            [f"application-autoscaling:{action}" for action in register],
            foundation.arn("application-autoscaling", "scalable-target/*"),
            instance_counts,
        ),
        allow(
            ("cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm"),
            foundation.arn("cloudwatch", f"alarm:TargetTracking-endpoint/{endpoints}"),
        ),
        allow(
            "iam:CreateServiceLinkedRole",
            linked_role,
            {"StringEquals": {"iam:AWSServiceName": LINKED_SERVICE}},
        ),
        allow(WRITE_LOGS, foundation.arn("logs", f"log-group:{log_group}:*")),
    ]
