"""The role of the function that hands endpoints over: see and register the variants of its own environment."""

from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.training_policies import allow, policy_document
from constructs_lib.wildcards import acknowledge_wildcards
from sizewell.facts.scaling import INSTANCE_COUNT

# The role that Application Auto Scaling works with, made by AWS at the first registration of an account:
# https://docs.aws.amazon.com/autoscaling/application/userguide/services-that-can-integrate-sagemaker.html
LINKED_SERVICE = "sagemaker.application-autoscaling.amazonaws.com"
LINKED_ROLE = "AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"


@dataclass(frozen=True, kw_only=True)
class ScalingHandoverRoleProps:
    """``name_prefix`` begins the names of all endpoints of the environment."""

    name_prefix: str
    log_group_arn: str


class ScalingHandoverRole(Construct):
    """A role for Lambda that reaches the endpoints of one environment.

    The caller that registers a variant needs permissions of Application Auto Scaling, and on the endpoint and the alarms
    that Application Auto Scaling changes in the name of the caller: "Application Auto Scaling identity-based policy examples",
    https://docs.aws.amazon.com/autoscaling/application/userguide/security_iam_id-based-policy-examples.html.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: ScalingHandoverRoleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        partition, region, account = stack.partition, stack.region, stack.account
        sagemaker = f"arn:{partition}:sagemaker:{region}:{account}"
        endpoints = f"{sagemaker}:endpoint/{props.name_prefix}-*"
        configurations = f"{sagemaker}:endpoint-config/*"
        targets = f"arn:{partition}:application-autoscaling:{region}:{account}:scalable-target/*"
        alarms = f"arn:{partition}:cloudwatch:{region}:{account}:alarm:TargetTracking-endpoint/{props.name_prefix}-*"
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"Autoscaling of the endpoints {props.name_prefix}-*",
            policy_document=policy_document(
                [
                    allow(
                        ("sagemaker:DescribeEndpoint", "sagemaker:UpdateEndpointWeightsAndCapacities"),
                        endpoints,
                    ),
                    allow(("sagemaker:DescribeEndpointConfig",), configurations),
                    allow(
                        (
                            "application-autoscaling:DescribeScalableTargets",
                            "application-autoscaling:DescribeScalingPolicies",
                            "cloudwatch:DescribeAlarms",
                        ),
                        "*",
                    ),
                    allow(
                        (
                            "application-autoscaling:DeleteScalingPolicy",
                            "application-autoscaling:DeregisterScalableTarget",
                            "application-autoscaling:PutScalingPolicy",
                            "application-autoscaling:RegisterScalableTarget",
                        ),
                        targets,
                        {
                            "StringEquals": {
                                "application-autoscaling:service-namespace": "sagemaker",
                                "application-autoscaling:scalable-dimension": INSTANCE_COUNT,
                            }
                        },
                    ),
                    allow(("cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm"), alarms),
                    allow(
                        ("iam:CreateServiceLinkedRole",),
                        f"arn:{partition}:iam::{account}:role/aws-service-role/{LINKED_SERVICE}/{LINKED_ROLE}",
                        {"StringEquals": {"iam:AWSServiceName": LINKED_SERVICE}},
                    ),
                    allow(("logs:CreateLogStream", "logs:PutLogEvents"), props.log_group_arn),
                ]
            ),
        )
        acknowledge_wildcards(
            policy,
            (
                endpoints,
                "One function serves every endpoint of the environment, and those that are added later; the prefix holds "
                "it to them.",
            ),
            (
                configurations,
                "CloudFormation names the configurations, which cannot be changed and are replaced; the function only "
                "reads their instance types.",
            ),
            (
                "*",
                "Reading scalable targets, policies and alarms: the first two know no resource-level permissions, and the "
                "names of alarms are made up by Application Auto Scaling.",
            ),
            (
                targets,
                "Application Auto Scaling gives a target its id when it is registered; the conditions leave nothing but "
                "instance counts of SageMaker variants.",
            ),
            (
                alarms,
                "Application Auto Scaling makes the alarms of a policy in the name of the caller and ends their names with "
                "an id; the prefix holds them to the endpoints of this environment.",
            ),
        )
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document=policy_document(
                [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "lambda.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ]
            ),
            managed_policy_arns=[policy.ref],
        )
        self.arn = role.attr_arn
