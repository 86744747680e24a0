"""The two customer-managed keys of an environment: one for data, one for logs, queues and notifications."""

from dataclasses import dataclass
from typing import Any

from aws_cdk import RemovalPolicy
from aws_cdk import aws_kms as kms
from constructs import Construct

from constructs_lib.foundation.cost_budget import BUDGETS_OF_THIS_ACCOUNT
from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources

_Statement = dict[str, Any]
_ACCOUNT = {"Ref": "AWS::AccountId"}


@dataclass(frozen=True, kw_only=True)
class EncryptionKeysProps:
    """``alias_prefix`` gives ``alias/<alias_prefix>-data`` and ``alias/<alias_prefix>-operations``.

    A key that is removed waits 30 days before KMS deletes it (the longest it offers): until then it can be restored,
    and with it everything that it encrypted. ``budgets`` lets AWS Budgets publish to topics that the operations key encrypts. Of
    ``existing`` the two keys count: what exists is not made.
    """

    alias_prefix: str
    removal_policy: RemovalPolicy
    budgets: bool = False
    existing: ExistingResources = NOTHING_EXISTS


class EncryptionKeys(Construct):
    """The data key and the operations key, both rotated once a year.

    They are two because operators and CloudWatch must read logs and notifications, but not models. A key that exists
    already is None here, and its ARN stands for it.
    """

    data_key: kms.CfnKey | None = None
    operations_key: kms.CfnKey | None = None

    def __init__(self, scope: Construct, construct_id: str, *, props: EncryptionKeysProps) -> None:
        super().__init__(scope, construct_id)
        existing = props.existing
        if existing.data_key_arn is None:
            # S3 and Step Functions use the data key with the permissions of whoever calls them, and SageMaker's volumes
            # with a grant that the calling role creates: none of them stands in its policy.
            # https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
            # https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
            self.data_key = self._key(
                "DataKey",
                "data",
                props,
                "Buckets, ML volumes, model artifacts and state machine data",
                _key_policy(_account_statement(), _execution_logs_statement()),
            )
        if existing.operations_key_arn is None:
            self.operations_key = self._key(
                "OperationsKey",
                "operations",
                props,
                "Notifications, log groups and dead-letter queues",
                _key_policy(
                    _account_statement(),
                    _alarms_statement(),
                    _rules_statement(),
                    *([_budgets_statement()] if props.budgets else ()),
                    _log_groups_statement(),
                ),
            )
        self.data_key_arn = existing.data_key_arn or _arn(self.data_key)
        """ARN (possibly a token) of the key for buckets, ML volumes, model artifacts and state machine data."""
        self.operations_key_arn = existing.operations_key_arn or _arn(self.operations_key)
        """ARN (possibly a token) of the key for the alarm topic, log groups and dead-letter queues."""

    def _key(
        self,
        construct_id: str,
        purpose: str,
        props: EncryptionKeysProps,
        description: str,
        key_policy: _Statement,
    ) -> kms.CfnKey:
        key = kms.CfnKey(
            self,
            construct_id,
            description=description,
            enable_key_rotation=True,
            pending_window_in_days=30,
            key_policy=key_policy,
        )
        key.apply_removal_policy(props.removal_policy)
        kms.CfnAlias(
            self,
            f"{construct_id}Alias",
            alias_name=f"alias/{props.alias_prefix}-{purpose}",
            target_key_id=key.ref,
        )
        return key


def _arn(key: kms.CfnKey | None) -> str:
    assert key is not None
    return key.attr_arn


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
    # https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html (section on CloudWatch Logs). The condition is
    # the one that AWS documents for this service with logs: aws:SourceAccount is documented for S3 destinations only.
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/encryption-bus-logs.html
    return {
        "Sid": "ExecutionLogsOfStateMachines",
        "Effect": "Allow",
        "Principal": {"Service": "delivery.logs.amazonaws.com"},
        "Action": "kms:Decrypt",
        "Resource": "*",
        "Condition": {
            "StringLike": {
                "kms:EncryptionContext:SourceArn": {
                    "Fn::Sub": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:*"
                }
            }
        },
    }


def _alarms_statement() -> _Statement:
    # An alarm cannot publish to an encrypted topic unless the key admits CloudWatch, and it fails silently.
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html (section on event sources)
    of_this_account = {"StringEquals": {"aws:SourceAccount": _ACCOUNT}}
    return _publish_statement("Alarms", "cloudwatch.amazonaws.com") | {"Condition": of_this_account}


def _rules_statement() -> _Statement:
    # Without condition: "Adding the aws:SourceAccount, aws:SourceArn, and aws:SourceOrgID to a AWS KMS policy is not
    # supported for EventBridge-to-encrypted topics."
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html (section on event sources)
    return _publish_statement("Rules", "events.amazonaws.com")


def _budgets_statement() -> _Statement:
    return _publish_statement("Budgets", "budgets.amazonaws.com") | {"Condition": BUDGETS_OF_THIS_ACCOUNT}


def _publish_statement(what: str, service: str) -> _Statement:
    return {
        "Sid": f"{what}PublishToEncryptedTopic",
        "Effect": "Allow",
        "Principal": {"Service": service},
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
