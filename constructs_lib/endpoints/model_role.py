"""The execution role of an endpoint's model: what SageMaker may do to start, log and connect its containers.

The list of actions is the guide's "CreateModel API: Execution Role Permissions"
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html), narrowed to this endpoint wherever the Service
Authorization Reference (https://docs.aws.amazon.com/service-authorization/latest/reference/) knows a resource type.
"""

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.endpoints.answered_later import answer_statements, prefix_wildcards
from constructs_lib.endpoints.asynchronous_inference import SAGEMAKER, AsynchronousInference
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.artifact_access import (
    Reads,
    artifact_arn,
    artifact_wildcards,
    join,
    read_artifact_statements,
)
from constructs_lib.policies.statements import one_or_all
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.endpoint_metrics import INSTANCE_NAMESPACE, INVOCATION_NAMESPACE

_Statement = dict[str, Any]
_NETWORK_INTERFACES = "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:network-interface/*"
_SECURITY_GROUPS = "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:security-group/"
_SUBNETS = "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:subnet/*"


@dataclass(frozen=True, kw_only=True)
class ModelRoleProps:
    """The endpoint, the artifacts and the images that the role is for.

    ``reads`` are pairs of a bucket and an object key, or a key prefix that ends with a slash; ``decryption_key_arns`` are their
    keys, beside the data key. ``image_repository_arns`` are the ECR repositories of the images. ``encrypt_volume_with_key`` lets
    SageMaker grant the data key to the endpoint's volumes. ``component_prefix`` begins the names of all its inference
    components, and of nothing else.
    ``rollback_alarm_names`` are those that it asks while a new fleet takes over. Below ``data_capture_prefix`` of the artifact
    bucket it writes what is captured; None writes nothing. ``asynchronous`` is what it reads and writes where answers come
    later. ``in_vpc`` is False for what runs outside of the VPC, and makes no network interfaces.
    """

    endpoint_name: str
    image_repository_arns: tuple[str, ...]
    reads: Reads
    encrypt_volume_with_key: bool
    foundation: FoundationReferences
    rollback_alarm_names: tuple[str, ...] = ()
    data_capture_prefix: str | None = None
    asynchronous: AsynchronousInference | None = None
    in_vpc: bool = True
    decryption_key_arns: tuple[str, ...] = ()
    component_prefix: str | None = None


class ModelRole(Construct):
    """A role that only SageMaker in this account can assume, with one customer-managed policy.

    The policy hangs on the role, not the role on the policy: whoever refers to ``arn`` waits for the permissions too.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: ModelRoleProps) -> None:
        super().__init__(scope, construct_id)
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"What the model of endpoint {props.endpoint_name} needs",
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    *_artifact_statements(props),
                    *_capture_statements(props),
                    *_asynchronous_statements(props),
                    *_image_statements(props.image_repository_arns),
                    *_observability_statements(_log_groups(props)),
                    *_rollback_statements(props.rollback_alarm_names),
                    *(
                        _network_statements(props.foundation.endpoint_security_group_id)
                        if props.in_vpc
                        else ()
                    ),
                ],
            },
        )
        _acknowledge_wildcards(policy, props)
        self._role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document=_trust_policy(),
            managed_policy_arns=[policy.ref],
        )

    @property
    def arn(self) -> str:
        """The ARN of the role, a token."""
        return self._role.attr_arn


def _rollback_statements(alarm_names: tuple[str, ...]) -> list[_Statement]:
    # "Auto-Rollback Configuration and Monitoring": the execution role needs it for the alarms of a deployment.
    # https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-configuration.html
    if not alarm_names:
        return []
    return [
        {
            "Sid": "WatchDeployment",
            "Effect": "Allow",
            "Action": "cloudwatch:DescribeAlarms",
            "Resource": [{"Fn::Sub": arn} for arn in _alarm_arns(alarm_names)],
        }
    ]


def _alarm_arns(names: tuple[str, ...]) -> list[str]:
    return [
        f"arn:${{AWS::Partition}}:cloudwatch:${{AWS::Region}}:${{AWS::AccountId}}:alarm:{name}"
        for name in names
    ]


def _trust_policy() -> dict[str, Any]:
    # aws:SourceAccount keeps another account's SageMaker from borrowing the role: "Cross-service confused deputy
    # prevention", https://docs.aws.amazon.com/sagemaker/latest/dg/security-confused-deputy-prevention.html
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "sagemaker.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
            }
        ],
    }


def _artifact_statements(props: ModelRoleProps) -> list[_Statement]:
    foundation = props.foundation
    statements = read_artifact_statements(props.reads, (foundation.data_key_arn, *props.decryption_key_arns))
    if props.encrypt_volume_with_key:
        # The permissions reference asks kms:CreateGrant of the caller of CreateEndpoint, the page of KmsKeyId of "the
        # IAM role": the grant is allowed here too, but only for volumes that AWS services make.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/api-permissions-reference.html
        # https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html
        statements.append(
            {
                "Sid": "GrantVolumeKey",
                "Effect": "Allow",
                "Action": "kms:CreateGrant",
                "Resource": foundation.data_key_arn,
                "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
            }
        )
    return statements


def _capture_statements(props: ModelRoleProps) -> list[_Statement]:
    if props.data_capture_prefix is None:
        return []
    return [
        {
            "Sid": "KeepCapturedData",
            "Effect": "Allow",
            "Action": "s3:PutObject",
            "Resource": artifact_arn(props.foundation.artifact_bucket_name, props.data_capture_prefix),
        },
        {
            "Sid": "EncryptCapturedData",
            "Effect": "Allow",
            "Action": "kms:GenerateDataKey",
            "Resource": props.foundation.data_key_arn,
        },
    ]


def _asynchronous_statements(props: ModelRoleProps) -> list[_Statement]:
    if props.asynchronous is None:
        return []
    return answer_statements(props.asynchronous, props.foundation)


def _image_statements(image_repository_arns: tuple[str, ...]) -> list[_Statement]:
    return [
        {
            "Sid": "PullImage",
            "Effect": "Allow",
            "Action": ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            "Resource": one_or_all(image_repository_arns),
        },
        {
            "Sid": "LogInToRegistry",
            "Effect": "Allow",
            "Action": "ecr:GetAuthorizationToken",
            "Resource": "*",
        },
    ]


def _observability_statements(log_groups: list[str]) -> list[_Statement]:
    return [
        {
            "Sid": "WriteLogs",
            "Effect": "Allow",
            "Action": [
                "logs:CreateLogGroup",
                "logs:CreateLogStream",
                "logs:DescribeLogStreams",
                "logs:PutLogEvents",
            ],
            "Resource": one_or_all([{"Fn::Sub": log_group} for log_group in log_groups]),
        },
        {
            "Sid": "PublishMetrics",
            "Effect": "Allow",
            "Action": "cloudwatch:PutMetricData",
            "Resource": "*",
            "Condition": {
                "StringEquals": {"cloudwatch:namespace": [INSTANCE_NAMESPACE, INVOCATION_NAMESPACE]}
            },
        },
    ]


def _network_statements(security_group_id: str) -> list[_Statement]:
    return [
        {
            "Sid": "CreateNetworkInterface",
            "Effect": "Allow",
            "Action": "ec2:CreateNetworkInterface",
            "Resource": [
                {"Fn::Sub": _NETWORK_INTERFACES},
                {"Fn::Sub": _SUBNETS},
                join({"Fn::Sub": _SECURITY_GROUPS}, security_group_id),
            ],
        },
        {
            "Sid": "ManageNetworkInterface",
            "Effect": "Allow",
            "Action": [
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteNetworkInterfacePermission",
            ],
            "Resource": {"Fn::Sub": _NETWORK_INTERFACES},
        },
        {
            "Sid": "DescribeNetwork",
            "Effect": "Allow",
            "Action": [
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
            ],
            "Resource": "*",
        },
    ]


def _log_groups(props: ModelRoleProps) -> list[str]:
    names = [f"Endpoints/{props.endpoint_name}"]
    if props.component_prefix is not None:
        # One by one, the logs of twenty components would fill a policy, which has 6,144 characters.
        names.append(f"InferenceComponents/{props.component_prefix}*")
    arn = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/sagemaker/"
    return [f"{arn}{name}:*" for name in names]


def _acknowledge_wildcards(policy: iam.CfnManagedPolicy, props: ModelRoleProps) -> None:
    interfaces = (
        "Network interfaces get their ids when SageMaker makes them; creation is confined to the endpoint's security "
        "group, and with it to the subnets of its VPC in this account and region."
    )
    reasons: list[tuple[str | dict[str, Any], str]] = [
        (
            "*",
            f"{'ecr:GetAuthorizationToken, the ec2:Describe* reads' if props.in_vpc else 'ecr:GetAuthorizationToken'} and "
            "cloudwatch:PutMetricData know no resource types "
            "(Service Authorization Reference); metrics are confined to the SageMaker namespaces by a condition.",
        ),
        *(
            ((({"Fn::Sub": resource}), interfaces) for resource in (_NETWORK_INTERFACES, _SUBNETS))
            if props.in_vpc
            else ()
        ),
        *(
            (
                {"Fn::Sub": log_group},
                "SageMaker names the log streams after variants and instances; the log group is that of this endpoint alone.",
            )
            for log_group in _log_groups(props)
        ),
    ]
    reasons += artifact_wildcards(props.reads)
    reasons += (
        (
            {"Fn::Sub": arn},
            "Alarms that call a new fleet or new copies of this endpoint back: nothing else has a name that begins so.",
        )
        for arn in _alarm_arns(props.rollback_alarm_names)
    )
    if props.data_capture_prefix is not None:
        reasons.append(
            (
                artifact_arn(props.foundation.artifact_bucket_name, props.data_capture_prefix),
                "SageMaker names the objects that it captures by hour and request; they stay below a prefix of their own.",
            )
        )
    if props.asynchronous is not None:
        reasons += prefix_wildcards(props.asynchronous, props.foundation, SAGEMAKER)
    acknowledge_wildcards(policy, *reasons)
