"""The shared stack as an experienced user of Python CDK writes it: L2 constructs from the documentation."""

from typing import Any

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from tools.benchmarks.handwritten_handover import HandwrittenHandover


class HandwrittenFoundationStack(Stack):
    """Keys, security groups, buckets, alarm topic, scaling function and the parameters that publish them."""

    def __init__(
        self, scope: Construct, construct_id: str, foundation: dict[str, Any], **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        removal_policy = RemovalPolicy.RETAIN if foundation["retain_state"] else RemovalPolicy.DESTROY
        data_key = self._key("DataKey", f"{foundation['key_alias_prefix']}-data", removal_policy)
        operations_key = self._key(
            "OperationsKey", f"{foundation['key_alias_prefix']}-operations", removal_policy
        )
        self._admit_services(operations_key)
        endpoint_group, training_group = self._security_groups(foundation["network"])
        self._buckets(foundation, data_key, removal_policy)
        topic = self._topic(foundation["alarm_topic_name"], operations_key)
        handover = HandwrittenHandover(
            self, "ScalingHandover", foundation, operations_key, topic, removal_policy
        )

        ssm.StringListParameter(
            self,
            "SubnetIds",
            parameter_name=f"{foundation['parameter_prefix']}/subnet-ids",
            string_list_value=foundation["network"]["subnet_ids"],
        )
        published = {
            "endpoint-security-group-id": endpoint_group.security_group_id,
            "training-security-group-id": training_group.security_group_id,
            "data-key-arn": data_key.key_arn,
            "operations-key-arn": operations_key.key_arn,
            "artifact-bucket-name": foundation["artifact_bucket_name"],
            "checkpoint-bucket-name": foundation["checkpoint_bucket_name"],
            "alarm-topic-arn": topic.topic_arn,
            "scaling-handover-function-arn": handover.function.function_arn,
        }
        for name, value in published.items():
            ssm.StringParameter(
                self, name, parameter_name=f"{foundation['parameter_prefix']}/{name}", string_value=value
            )

    def _key(self, construct_id: str, alias: str, removal_policy: RemovalPolicy) -> kms.Key:
        return kms.Key(
            self,
            construct_id,
            alias=alias,
            enable_key_rotation=True,
            pending_window=Duration.days(30),
            removal_policy=removal_policy,
        )

    def _admit_services(self, key: kms.Key) -> None:
        key.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                resources=["*"],
                conditions={"StringEquals": {"aws:SourceAccount": self.account}},
            )
        )
        key.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(f"logs.{self.region}.amazonaws.com")],
                actions=[
                    "kms:Encrypt*",
                    "kms:Decrypt*",
                    "kms:ReEncrypt*",
                    "kms:GenerateDataKey*",
                    "kms:Describe*",
                ],
                resources=["*"],
                conditions={
                    "ArnLike": {
                        "kms:EncryptionContext:aws:logs:arn": (
                            f"arn:{self.partition}:logs:{self.region}:{self.account}:log-group:*"
                        )
                    }
                },
            )
        )

    def _security_groups(self, network: dict[str, Any]) -> tuple[ec2.SecurityGroup, ec2.SecurityGroup]:
        vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Vpc",
            vpc_id=network["vpc_id"],
            availability_zones=[f"{self.region}a", f"{self.region}b"],
        )
        endpoint_group = ec2.SecurityGroup(self, "EndpointGroup", vpc=vpc, allow_all_outbound=False)
        endpoint_group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.HTTPS, "AWS services")
        training_group = ec2.SecurityGroup(self, "TrainingGroup", vpc=vpc, allow_all_outbound=False)
        training_group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.HTTPS, "AWS services")
        training_group.connections.allow_internally(ec2.Port.all_traffic(), "Instances of one job")
        return endpoint_group, training_group

    def _buckets(self, foundation: dict[str, Any], data_key: kms.Key, removal_policy: RemovalPolicy) -> None:
        logs = s3.Bucket(
            self,
            "AccessLogBucket",
            bucket_name=foundation["access_log_bucket_name"],
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            lifecycle_rules=[
                s3.LifecycleRule(abort_incomplete_multipart_upload_after=Duration.days(7)),
                s3.LifecycleRule(expiration=Duration.days(365)),
            ],
            removal_policy=removal_policy,
        )
        self._data_bucket(
            "ArtifactBucket",
            foundation["artifact_bucket_name"],
            data_key,
            logs,
            removal_policy,
            s3.LifecycleRule(
                noncurrent_version_expiration=Duration.days(foundation["noncurrent_version_expiry_days"]),
                expired_object_delete_marker=True,
            ),
            versioned=True,
        )
        self._data_bucket(
            "CheckpointBucket",
            foundation["checkpoint_bucket_name"],
            data_key,
            logs,
            removal_policy,
            s3.LifecycleRule(expiration=Duration.days(foundation["checkpoint_expiry_days"])),
            versioned=False,
        )

    def _data_bucket(
        self,
        construct_id: str,
        bucket_name: str,
        data_key: kms.Key,
        logs: s3.Bucket,
        removal_policy: RemovalPolicy,
        expiry: s3.LifecycleRule,
        *,
        versioned: bool,
    ) -> None:
        s3.Bucket(
            self,
            construct_id,
            bucket_name=bucket_name,
            encryption=s3.BucketEncryption.KMS,
            encryption_key=data_key,
            bucket_key_enabled=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            versioned=versioned,
            server_access_logs_bucket=logs,
            server_access_logs_prefix=f"{bucket_name}/",
            lifecycle_rules=[
                s3.LifecycleRule(abort_incomplete_multipart_upload_after=Duration.days(7)),
                expiry,
            ],
            removal_policy=removal_policy,
        )

    def _topic(self, topic_name: str, key: kms.Key) -> sns.Topic:
        topic = sns.Topic(self, "AlarmTopic", topic_name=topic_name, master_key=key, enforce_ssl=True)
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": self.account}},
            )
        )
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.AccountRootPrincipal()], actions=["sns:Publish"], resources=[topic.topic_arn]
            )
        )
        return topic
