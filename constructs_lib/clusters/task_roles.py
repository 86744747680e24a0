"""What tasks of ECS run as, and the agent that starts them."""

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.policies.statements import WRITE_LOGS, Statement, allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards

#: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html: it keeps other accounts' tasks out.
_TASKS_OF_ACCOUNT = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def task_role(scope: Construct, construct_id: str, statements: list[Statement]) -> iam.CfnRole:
    """Add a role that tasks of the account assume, and with ``Policy`` behind its id what it may do."""
    return service_role(scope, construct_id, "ecs-tasks.amazonaws.com", statements, _TASKS_OF_ACCOUNT)


def execution_role(
    scope: Construct, log_group: logs.CfnLogGroup, repository_arns: Sequence[str]
) -> iam.CfnRole:
    """Add the role of the agent, which pulls the images and writes the logs."""
    role = task_role(
        scope,
        "ExecutionRole",
        [
            allow(
                ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
                list(repository_arns),
            ),
            allow(("ecr:GetAuthorizationToken",), "*"),
            allow(WRITE_LOGS, log_group.attr_arn),
        ],
    )
    acknowledge_wildcards(
        scope.node.find_child("ExecutionRolePolicy"),
        ("*", "ecr:GetAuthorizationToken knows no resource types (Service Authorization Reference)."),
        (log_group.attr_arn, "The ARN of a log group ends with a star, for its streams."),
    )
    return role
