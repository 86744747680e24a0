"""Checks that everything exists which a request names: roles, keys, buckets, alarms, subnets, groups, repositories."""

from typing import Any

from ministack.services import cloudwatch, ec2, iam, kms, s3

from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import AwsError, ValidationError


def require_role(role_arn: str) -> None:
    """Refuse a role that IAM does not have, or that SageMaker may not assume."""
    if not may_assume(role_arn, "sagemaker.amazonaws.com"):
        raise ValidationError(
            f"Could not assume role {role_arn}. Please ensure that the role exists and allows principal "
            "'sagemaker.amazonaws.com' to assume the role."
        )


def require_role_of_pods(role_arn: str) -> None:
    """Refuse a role that EKS may not assume for pods, or whose sessions it may not tag.

    https://github.com/hashicorp/terraform-provider-aws/issues/41483, https://github.com/aws/aws-cdk/issues/31522
    """
    trust = str((_role(role_arn) or {}).get("AssumeRolePolicyDocument"))
    if not all(word in trust for word in ("pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession")):
        raise AwsError(
            "InvalidParameterException",
            "Trust policy of the role provided is invalid. Follow the official documentation to resolve the issue.",
        )


def may_assume(role_arn: str, service: str) -> bool:
    """Say whether IAM has a role, and its trust policy names a service."""
    return service in str((_role(role_arn) or {}).get("AssumeRolePolicyDocument"))


def _role(role_arn: str) -> dict[str, Any] | None:
    """Return the role of an ARN, which names the account and the path as well."""
    role: dict[str, Any] | None = iam._roles.get(role_arn.rpartition("/")[2])
    return role if role is not None and role["Arn"] == role_arn else None


def require_key(key: str | None) -> None:
    """Refuse a KMS key (ARN, id or alias) that does not exist."""
    if key is None or key_exists(key):
        return
    raise ValidationError(f"Invalid KMS key. Please ensure that the key {key} exists and is enabled.")


def key_exists(key: str) -> bool:
    """Say whether the account has an enabled key of this ARN, id, alias or ARN of an alias, in this region."""
    if key.startswith("alias/") or ":alias/" in key:
        found = kms._keys.get(kms._aliases.get(key if key.startswith("arn:") else arn("kms", key)))
    else:
        found = kms._keys.get(key.rpartition(":key/")[2])
        if found is not None and key not in {found["KeyId"], found["Arn"]}:
            return False
    return found is not None and found["KeyState"] == "Enabled"


def require_bucket_of(s3_uri: str) -> None:
    """Refuse a location in a bucket that does not exist."""
    bucket = s3_uri.removeprefix("s3://").partition("/")[0]
    if bucket not in s3._buckets:
        raise ValidationError(f"Could not access the S3 bucket {bucket}: it does not exist.")


def require_vpc(vpc_config: dict[str, Any] | None) -> None:
    """Refuse subnets and security groups that do not exist, or lie in two VPCs."""
    if not vpc_config:
        return
    vpcs = set()
    for subnet_id in vpc_config["Subnets"]:
        subnet = ec2._subnets.get(subnet_id)
        if subnet is None:
            raise ValidationError(f"The subnet ID '{subnet_id}' does not exist")
        vpcs.add(subnet["VpcId"])
    for group_id in vpc_config["SecurityGroupIds"]:
        group = ec2._security_groups.get(group_id)
        if group is None:
            raise ValidationError(f"The security group '{group_id}' does not exist")
        vpcs.add(group["VpcId"])
    if len(vpcs) > 1:
        raise ValidationError(f"Subnets and security groups must belong to one VPC, not to {sorted(vpcs)}")


def require_alarm(name: str) -> None:
    """Refuse an alarm that CloudWatch does not have."""
    if name not in cloudwatch._alarms:
        raise ValidationError(f"Alarm {name} does not exist")


def alarm_is_on(name: str) -> bool:
    """Say whether an alarm is in the state ALARM."""
    alarm = cloudwatch._alarms.get(name)
    return alarm is not None and alarm.get("StateValue") == "ALARM"


#: Properties of CloudFormation types, at any depth, that name a key or a role of the account.
_KEY_PROPERTIES = {
    "KmsKeyId",
    "KmsMasterKeyId",
    "KMSMasterKeyID",
    "KmsMasterKeyID",
    "KmsKeyArn",
    "TargetKeyId",
}
_ROLE_PROPERTIES = {"RoleArn", "Role", "ExecutionRoleArn", "TaskRoleArn", "DeliverLogsPermissionArn"}


def require_keys_and_roles(properties: Any) -> None:
    """Refuse a resource whose properties name a key or a role that does not exist; policy documents are not looked into."""
    if isinstance(properties, list):
        for item in properties:
            require_keys_and_roles(item)
    if not isinstance(properties, dict):
        return
    for name, value in properties.items():
        if isinstance(value, str) and name in _KEY_PROPERTIES and not _is_of_aws(value):
            require_key(value)
        elif isinstance(value, str) and name in _ROLE_PROPERTIES and value.startswith("arn:aws:iam::"):
            _require_any_role(value)
        elif "Policy" not in name and "Document" not in name:
            require_keys_and_roles(value)


def _is_of_aws(key: str) -> bool:
    return "alias/aws/" in key


def _require_any_role(role_arn: str) -> None:
    if ":role/aws-service-role/" not in role_arn and _role(role_arn) is None:
        raise ValidationError(f"The role {role_arn} does not exist or cannot be assumed")
