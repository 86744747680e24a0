"""What the roles of the foundation may do: write flow logs, close one security group."""

from tests.integration.readers.common import Properties
from tests.integration.readers.grants import allow
from tests.integration.readers.plan_foundation import Foundation

WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")


def flow_log_role(log_group: str, foundation: Foundation) -> list[Properties]:
    group = foundation.arn("logs", f"log-group:{log_group}:*")
    return [allow((*WRITE_LOGS, "logs:DescribeLogStreams"), group)]


def closing_role(log_group: str, default_group_id: str, foundation: Foundation) -> list[Properties]:
    revoke = ("ec2:RevokeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress")
    return [
        allow(revoke, foundation.arn("ec2", f"security-group/{default_group_id}")),
        allow(WRITE_LOGS, foundation.arn("logs", f"log-group:{log_group}:*")),
    ]
