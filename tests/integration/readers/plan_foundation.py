"""What the plan says of the foundation, and the ids that go with its names, asked of the services."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sizewell.planning.foundation_plan_model import FoundationPlan, NewNetworkPlan
from tests.integration.harness import Deployment
from tests.integration.readers.common import Properties

ACCESS_LOG_DAYS = 365
ABORT_UPLOADS = {
    "Id": "abort-incomplete-uploads",
    "Status": "Enabled",
    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
}


@dataclass
class Foundation:
    """The deployed foundation, looked up by the names that the plan gives it."""

    deployed: Deployment

    @property
    def plan(self) -> FoundationPlan:
        return self.deployed.plan.foundation

    @property
    def network(self) -> NewNetworkPlan:
        assert isinstance(self.plan.network, NewNetworkPlan), "the shipped configuration makes its networks"
        return self.plan.network

    def arn(self, service: str, resource: str) -> str:
        """Return an ARN of the region and account of the plan."""
        return f"arn:aws:{service}:{self.deployed.plan.region}:{self.deployed.plan.account}:{resource}"

    def key_id(self, purpose: str) -> str:
        alias = f"alias/{self.plan.key_alias_prefix}-{purpose}"
        return str(self.deployed.client("kms").describe_key(KeyId=alias)["KeyMetadata"]["KeyId"])

    @cached_property
    def data_key_arn(self) -> str:
        return self.arn("kms", f"key/{self.key_id('data')}")

    @cached_property
    def operations_key_arn(self) -> str:
        return self.arn("kms", f"key/{self.key_id('operations')}")

    @property
    def topic_arn(self) -> str:
        return self.arn("sns", self.plan.alarm_topic_name)

    @cached_property
    def vpc_id(self) -> str:
        """The one network of the stack."""
        named = {"Name": "tag:aws:cloudformation:stack-name", "Values": [self.plan.stack_name]}
        (vpc,) = self.deployed.client("ec2").describe_vpcs(Filters=[named])["Vpcs"]
        return str(vpc["VpcId"])

    def in_vpc(self, operation: str, member: str) -> list[dict[str, Any]]:
        """Return what lies in the network."""
        found = getattr(self.deployed.client("ec2"), operation)()[member]
        return [item for item in found if item.get("VpcId") == self.vpc_id]

    @cached_property
    def subnet_ids(self) -> list[str]:
        return sorted(subnet["SubnetId"] for subnet in self.in_vpc("describe_subnets", "Subnets"))

    @cached_property
    def default_group_id(self) -> str:
        """The security group that EC2 gives every network."""
        groups = self.in_vpc("describe_security_groups", "SecurityGroups")
        (group_id,) = (group["GroupId"] for group in groups if group["GroupName"] == "default")
        return str(group_id)

    @cached_property
    def parameters(self) -> dict[str, str]:
        """What workloads are told, by name without the prefix."""
        pages = self.deployed.client("ssm").get_paginator("get_parameters_by_path")
        return {
            parameter["Name"].removeprefix(f"{self.plan.parameter_prefix}/"): parameter["Value"]
            for page in pages.paginate(Path=self.plan.parameter_prefix)
            for parameter in page["Parameters"]
        }

    def group_id(self, workload: str) -> str:
        """Return the security group of endpoints or of training jobs: its rules are compared elsewhere."""
        return self.parameters[f"{workload}-security-group-id"]

    def function_arn(self, words: str) -> str:
        """Return the one function whose name holds the words."""
        functions = self.deployed.client("lambda").list_functions()["Functions"]
        prefix = f"{self.plan.stack_name}-"
        (arn,) = (
            f["FunctionArn"]
            for f in functions
            if f["FunctionName"].startswith(prefix) and words in f["FunctionName"]
        )
        return str(arn)


def tls_only(action: str, *resources: str) -> Properties:
    """Return the statement that refuses whatever does not come over TLS."""
    return {
        "Effect": "Deny",
        "Principal": "*",
        "Action": action,
        "Resource": list(resources),
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }


def buckets(foundation: Foundation) -> Iterator[tuple[str, Properties, list[Properties]]]:
    """Yield name, properties and policy statements of every bucket."""
    plan = foundation.plan
    data, log = (plan.artifact_bucket_name, plan.checkpoint_bucket_name), plan.access_log_bucket_name
    artifacts_expire = {
        "Id": "expire-noncurrent-versions",
        "NoncurrentVersionExpiration": {"NoncurrentDays": plan.noncurrent_version_expiry_days},
        "ExpiredObjectDeleteMarker": True,
    }
    checkpoints_expire = {"Id": "expire-checkpoints", "ExpirationInDays": plan.checkpoint_expiry_days}
    with_key = {
        "ServerSideEncryptionByDefault": {
            "SSEAlgorithm": "aws:kms",
            "KMSMasterKeyID": foundation.data_key_arn,
        },
        "BucketKeyEnabled": True,
    }
    for name, expire in zip(data, (artifacts_expire, checkpoints_expire), strict=True):
        properties = _bucket(name, with_key, expire) | {
            "LoggingConfiguration": {"DestinationBucketName": log, "LogFilePrefix": f"{name}/"}
        }
        if name == plan.artifact_bucket_name:
            properties["VersioningConfiguration"] = {"Status": "Enabled"}
        yield name, properties, [_bucket_tls_only(name)]
    logs_expire = {"Id": "expire-access-logs", "ExpirationInDays": ACCESS_LOG_DAYS}
    # Log delivery cannot write to a bucket with a customer key in every account: S3's own key is what AWS advises.
    plain = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    account = foundation.deployed.plan.account
    yield (
        log,
        _bucket(log, plain, logs_expire),
        [_bucket_tls_only(log), *(_delivery(log, source, account) for source in data)],
    )


def _bucket(name: str, encryption: Properties, expire: Properties) -> Properties:
    switches = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    return {
        "BucketName": name,
        "BucketEncryption": {"ServerSideEncryptionConfiguration": [encryption]},
        "PublicAccessBlockConfiguration": dict.fromkeys(switches, True),
        "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
        "LifecycleConfiguration": {"Rules": [ABORT_UPLOADS, {"Status": "Enabled", **expire}]},
    }


def _bucket_tls_only(name: str) -> Properties:
    return tls_only("s3:*", f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*")


def _delivery(log_bucket: str, source: str, account: str) -> Properties:
    return {
        "Effect": "Allow",
        "Principal": {"Service": "logging.s3.amazonaws.com"},
        "Action": "s3:PutObject",
        "Resource": f"arn:aws:s3:::{log_bucket}/{source}/*",
        "Condition": {
            "ArnLike": {"aws:SourceArn": f"arn:aws:s3:::{source}"},
            "StringEquals": {"aws:SourceAccount": account},
        },
    }


def key_statements(foundation: Foundation) -> dict[str, list[Properties]]:
    """Return the policy of each key: who may use it besides the roles of the account."""
    account = foundation.deployed.plan.account
    of_account = {"StringEquals": {"aws:SourceAccount": account}}
    root = _may({"AWS": f"arn:aws:iam::{account}:root"}, ["kms:*"])
    alarms = _may(
        {"Service": "cloudwatch.amazonaws.com"}, ["kms:Decrypt", "kms:GenerateDataKey*"], of_account
    )
    log_groups = _may(
        {"Service": f"logs.{foundation.deployed.plan.region}.amazonaws.com"},
        ["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
        {"ArnLike": {"kms:EncryptionContext:aws:logs:arn": foundation.arn("logs", "log-group:*")}},
    )
    of_logs = {"StringLike": {"kms:EncryptionContext:SourceArn": foundation.arn("logs", "*")}}
    delivery = _may({"Service": "delivery.logs.amazonaws.com"}, ["kms:Decrypt"], of_logs)
    rules = _may({"Service": "events.amazonaws.com"}, ["kms:Decrypt", "kms:GenerateDataKey*"])
    return {"data": [root, delivery], "operations": [root, alarms, rules, log_groups]}


def _may(principal: Properties, actions: list[str], condition: Properties | None = None) -> Properties:
    statement: Properties = {"Effect": "Allow", "Principal": principal, "Action": actions, "Resource": "*"}
    return statement | ({"Condition": condition} if condition else {})


def topic_statements(foundation: Foundation) -> list[Properties]:
    """Return the policy of the topic."""
    account, topic = foundation.deployed.plan.account, foundation.topic_arn
    publish = {"Effect": "Allow", "Action": "sns:Publish", "Resource": topic}
    return [
        publish
        | {
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Condition": {"StringEquals": {"aws:SourceAccount": account}},
        },
        publish | {"Principal": {"Service": "events.amazonaws.com"}},
        publish | {"Principal": {"AWS": f"arn:aws:iam::{account}:root"}},
        tls_only("sns:Publish", topic),
    ]


def parameters(foundation: Foundation) -> dict[str, str]:
    """Return what workloads are told, but for subnets and security groups."""
    return {
        "vpc-id": foundation.vpc_id,
        "data-key-arn": foundation.data_key_arn,
        "operations-key-arn": foundation.operations_key_arn,
        "artifact-bucket-name": foundation.plan.artifact_bucket_name,
        "checkpoint-bucket-name": foundation.plan.checkpoint_bucket_name,
        "alarm-topic-arn": foundation.topic_arn,
    }
