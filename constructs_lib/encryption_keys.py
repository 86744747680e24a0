"""The two customer-managed keys of an environment: one for data, one for logs, queues and notifications."""

from dataclasses import dataclass
from typing import Any

from aws_cdk import RemovalPolicy
from aws_cdk import aws_kms as kms
from constructs import Construct

_Statement = dict[str, Any]
_ACCOUNT = {"Ref": "AWS::AccountId"}


@dataclass(frozen=True, kw_only=True)
class EncryptionKeysProps:
    """``alias_prefix`` gives ``alias/<alias_prefix>-data`` and ``alias/<alias_prefix>-operations``.

    A key that is removed waits 30 days before KMS deletes it (the longest it offers): until then it can be restored,
    and with it everything that it encrypted.
    """

    alias_prefix: str
    removal_policy: RemovalPolicy


class EncryptionKeys(Construct):
    """The data key and the operations key, both rotated once a year.

    They are two because operators and CloudWatch must read logs and notifications, but not models.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EncryptionKeysProps) -> None:
        super().__init__(scope, construct_id)
        # S3 and Step Functions use the data key with the permissions of whoever calls them, and SageMaker's volumes
        # with a grant that the calling role creates: none of them stands in its policy.
        # https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
        # https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
        self.data_key = kms.CfnKey(
            self,
            "DataKey",
            description="Buckets, ML volumes, model artifacts and state machine data",
            enable_key_rotation=True,
            pending_window_in_days=30,
            key_policy=_key_policy(_account_statement(), _execution_logs_statement()),
        )
        self.operations_key = kms.CfnKey(
            self,
            "OperationsKey",
            description="Notifications, log groups and dead-letter queues",
            enable_key_rotation=True,
            pending_window_in_days=30,
            key_policy=_key_policy(
                _account_statement(), _alarms_statement(), _rules_statement(), _log_groups_statement()
            ),
        )
        for alias_id, key, purpose in (
            ("DataKeyAlias", self.data_key, "data"),
            ("OperationsKeyAlias", self.operations_key, "operations"),
        ):
            key.apply_removal_policy(props.removal_policy)
            kms.CfnAlias(
                self,
                alias_id,
                alias_name=f"alias/{props.alias_prefix}-{purpose}",
                target_key_id=key.ref,
            )

    @property
    def data_key_arn(self) -> str:
        """ARN (token) of the key for buckets, ML volumes, model artifacts and state machine data."""
        return self.data_key.attr_arn

    @property
    def operations_key_arn(self) -> str:
        """ARN (token) of the key for the alarm topic, log groups and dead-letter queues."""
        return self.operations_key.attr_arn


def _key_policy(*statements: _Statement) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def _account_statement() -> _Statement:
    # Without this statement IAM policies have no effect on the key, and a mistake in the rest makes it unmanageable:
    # https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
    return {
        "Sid": "IamPoliciesOfThisAccount",
        "Effect": "Allow",
        "Principal": {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}},
        "Action": "kms:*",
        "Resource": "*",
    }


def _execution_logs_statement() -> _Statement:
    # The log events of a state machine are encrypted with its key until the delivery service hands them to CloudWatch
    # Logs; without this statement they never arrive, and nothing says so:
    # https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html (section on CloudWatch Logs)
    return {
        "Sid": "ExecutionLogsOfStateMachines",
        "Effect": "Allow",
        "Principal": {"Service": "delivery.logs.amazonaws.com"},
        "Action": "kms:Decrypt",
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:SourceAccount": _ACCOUNT}},
    }


def _alarms_statement() -> _Statement:
    # An alarm cannot publish to an encrypted topic unless the key admits CloudWatch, and it fails silently.
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html (section on event sources)
    return {
        "Sid": "AlarmsPublishToEncryptedTopic",
        "Effect": "Allow",
        "Principal": {"Service": "cloudwatch.amazonaws.com"},
        "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:SourceAccount": _ACCOUNT}},
    }


def _rules_statement() -> _Statement:
    # Without condition: for topics, EventBridge supports neither aws:SourceAccount nor aws:SourceArn in a key policy.
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html (section on event sources)
    return {
        "Sid": "RulesPublishToEncryptedTopic",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
        "Resource": "*",
    }


def _log_groups_statement() -> _Statement:
    # CloudWatch Logs sends the ARN of the log group as encryption context, which carries account and region:
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
    return {
        "Sid": "LogGroupsOfThisAccount",
        "Effect": "Allow",
        "Principal": {"Service": {"Fn::Sub": "logs.${AWS::Region}.amazonaws.com"}},
        "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
        "Resource": "*",
        "Condition": {
            "ArnLike": {
                "kms:EncryptionContext:aws:logs:arn": {
                    "Fn::Sub": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:*"
                }
            }
        },
    }
