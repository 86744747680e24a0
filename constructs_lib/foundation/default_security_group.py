"""The default security group of a VPC, without its rules."""

from aws_cdk import CustomResource, Duration, Fn
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.policies.acknowledgements import acknowledge_all
from constructs_lib.policies.statements import WRITE_LOGS, allow, service_role
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS


def close_default_security_group(scope: Construct, group_id: str, log_group: logs.CfnLogGroup) -> None:
    """Take the rules from the VPC's default group, which CloudFormation itself cannot do.

    One call at deployment; the function costs nothing afterwards.
    """
    role = service_role(
        scope,
        "CloseDefaultSecurityGroupRole",
        "lambda.amazonaws.com",
        [
            allow(
                ("ec2:RevokeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress"),
                Fn.sub(
                    "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:security-group/${GroupId}",
                    {"GroupId": group_id},
                ),
            ),
            allow(WRITE_LOGS, log_group.attr_arn),
        ],
    )
    function = lambda_.CfnFunction(
        scope,
        "CloseDefaultSecurityGroup",
        description="Takes all rules from the default security group of the VPC",
        runtime="python3.14",
        handler="index.handler",
        code=lambda_.CfnFunction.CodeProperty(zip_file=CLOSE_DEFAULT_SECURITY_GROUP_CODE),
        role=role.attr_arn,
        timeout=60,
        memory_size=256,
        architectures=["arm64"],
        logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=log_group.ref),
    )
    acknowledge_all(
        function,
        ["HIPAA.Security-LambdaDLQ", "NIST.800.53.R5-LambdaDLQ"],
        "Only CloudFormation calls this function, and waits for its answer: a lost call fails the deployment, "
        "which rolls back, so there is nothing that a queue could repeat later.",
    )
    acknowledge_all(
        function,
        ["HIPAA.Security-LambdaConcurrency", "NIST.800.53.R5-LambdaConcurrency"],
        "The function runs once in the life of a VPC. Concurrency that is reserved for it would be taken from all "
        "other functions, and cannot be reserved where the account still has its initial limit.",
    )
    acknowledge_all(
        function,
        [f"{pack}-LambdaInsideVPC" for pack in COMPLIANCE_PACKS],
        "The function calls the EC2 API and answers CloudFormation, touches no data, and accepts no connection. "
        "The VPC has no route to either service, and an endpoint for one call would only widen what it reaches.",
    )
    # cdk-nag knows a closed default group by this id and this type next to the VPC.
    CustomResource(
        scope,
        "RestrictDefaultSecurityGroupCustomResource",
        resource_type="Custom::VpcRestrictDefaultSG",
        service_token=function.attr_arn,
        service_timeout=Duration.minutes(3),
        properties={"DefaultSecurityGroupId": group_id},
    )


# Runs in Lambda. The two rules are those that every new default group has:
# https://docs.aws.amazon.com/vpc/latest/userguide/default-security-group.html. The group is deleted with its VPC, so
# there is nothing to undo.
CLOSE_DEFAULT_SECURITY_GROUP_CODE = """\
import boto3
import cfnresponse
from botocore.exceptions import ClientError


def handler(event, context):
    group_id = event["ResourceProperties"]["DefaultSecurityGroupId"]
    status, reason = cfnresponse.SUCCESS, None
    if event["RequestType"] != "Delete":
        try:
            close(boto3.client("ec2"), group_id)
        except Exception as error:
            status, reason = cfnresponse.FAILED, str(error)
    cfnresponse.send(event, context, status, {}, group_id, reason=reason)


def close(ec2, group_id):
    from_itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    to_anywhere = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    for revoke, rule in (
        (ec2.revoke_security_group_ingress, from_itself),
        (ec2.revoke_security_group_egress, to_anywhere),
    ):
        try:
            revoke(GroupId=group_id, IpPermissions=[rule])
        except ClientError as error:
            if error.response["Error"]["Code"] != "InvalidPermission.NotFound":
                raise
"""
