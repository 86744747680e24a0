"""The execution role of a Lambda function that answers with a model: its log group, its interfaces, its model."""

from typing import Any

from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.artifact_access import artifact_wildcards, read_artifact_statements
from constructs_lib.policies.statements import WRITE_LOGS, Statement, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards

#: "Execution role permissions", https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html: interfaces are deleted only
#: where that is allowed for all resource ids.
_INTERFACES = {"Fn::Sub": "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:*/*"}
_MANAGE_INTERFACES = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:UnassignPrivateIpAddresses",
]
_DESCRIBE_NETWORK = ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"]


def lambda_role(
    scope: Construct,
    *,
    function_name: str,
    log_group_arn: str,
    artifact_key: str | None,
    foundation: FoundationReferences,
) -> iam.CfnRole:
    """Add the role; ``artifact_key`` None reads nothing from S3."""
    itself = function_arn(function_name)
    reads = ((foundation.artifact_bucket_name, artifact_key),) if artifact_key is not None else ()
    statements: list[Statement] = [
        _allow("WriteLogs", list(WRITE_LOGS), log_group_arn),
        {
            # Lambda decrypts the variables as the role, and names the function beside them.
            **_allow("DecryptVariables", "kms:Decrypt", foundation.data_key_arn),
            "Condition": {"StringEquals": {"kms:EncryptionContext:aws:lambda:FunctionArn": itself}},
        },
        _allow("ManageNetworkInterfaces", _MANAGE_INTERFACES, _INTERFACES),
        _allow("DescribeNetwork", _DESCRIBE_NETWORK, "*"),
        {
            # The permissions are for Lambda, which makes the interfaces before the code runs; the code itself has none of them:
            # "Working with Lambda execution environment credentials",
            # https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
            "Sid": "KeepNetworkFromCode",
            "Effect": "Deny",
            "Action": sorted([*_MANAGE_INTERFACES, *_DESCRIBE_NETWORK]),
            "Resource": "*",
            "Condition": {"ArnEquals": {"lambda:SourceFunctionArn": itself}},
        },
        *(read_artifact_statements(reads, (foundation.data_key_arn,)) if reads else ()),
    ]
    role = service_role(scope, "Role", "lambda.amazonaws.com", statements)
    reasons: list[tuple[str | dict[str, Any], str]] = [
        (_INTERFACES, "Lambda makes and deletes the interfaces, and asks for all ids; code is denied it."),
        (
            "*",
            "ec2:Describe* reads know no resource types (Service Authorization Reference); code is denied them.",
        ),
    ]
    reasons += artifact_wildcards(reads)
    acknowledge_wildcards(scope.node.find_child("RolePolicy"), *reasons)
    return role


def function_arn(name: str) -> dict[str, str]:
    """Return the ARN of a function, or of what stands behind a colon of its name."""
    return {"Fn::Sub": f"arn:${{AWS::Partition}}:lambda:${{AWS::Region}}:${{AWS::AccountId}}:function:{name}"}


def _allow(sid: str, actions: str | list[str], resource: str | dict[str, str]) -> Statement:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}
