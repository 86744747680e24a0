"""A log group that nobody else can read without the key of the environment, and that forgets."""

from typing import Protocol

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences


class LoggedProps(Protocol):
    """What the properties of whatever writes a log have."""

    @property
    def log_retention_days(self) -> int:
        """How long a line is kept."""

    @property
    def removal_policy(self) -> RemovalPolicy:
        """What becomes of the log when the stack goes."""

    @property
    def foundation(self) -> FoundationReferences:
        """The shared resources, the key among them."""


def add_log_group(
    scope: Construct, name: str | None, props: LoggedProps, construct_id: str = "LogGroup"
) -> logs.CfnLogGroup:
    """Add a log group; without a ``name``, CloudFormation gives it one."""
    log_group = logs.CfnLogGroup(
        scope,
        construct_id,
        log_group_name=name,
        kms_key_id=props.foundation.operations_key_arn,
        retention_in_days=props.log_retention_days,
    )
    log_group.apply_removal_policy(props.removal_policy)
    return log_group
