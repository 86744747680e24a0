"""What starts by the clock or on events: each schedule and rule exists and is enabled as planned.

* https://docs.aws.amazon.com/scheduler/latest/APIReference/API_GetSchedule.html
* https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeRule.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes
from sizewell.account.deployed import DeployedResource, check_of_resources
from sizewell.templates.values import text

_SCHEDULE = "AWS::Scheduler::Schedule"
_RULE = "AWS::Events::Rule"


def _ask(aws: AwsAccount, resource: DeployedResource) -> Iterator[Answer]:
    name, stated, is_rule = resource.physical_id, resource.stated, resource.resource_type == _RULE
    try:
        # Ref of both is the name, of a rule of another bus with the bus before it.
        found = (
            aws.client("events").describe_rule(Name=resource.name)
            if is_rule
            else aws.client("scheduler").get_schedule(
                Name=name, GroupName=text(stated.get("GroupName")) or "default"
            )
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        yield fails(
            name, "it is not there: nothing starts", f"delete {resource.stack.name}, and deploy it again"
        )
        return
    enable = (
        f"aws events enable-rule --name {name} --region {aws.region}"
        if is_rule
        else f"enable {name} in EventBridge Scheduler"
    )
    # A state that CloudFormation works out is not known here.
    planned = text(stated.get("State", "ENABLED"))
    if planned is not None and found["State"] != planned:
        yield fails(name, f"{found['State']}, planned {planned}", enable)
    elif (expression := text(stated.get("ScheduleExpression"))) is not None and found.get(
        "ScheduleExpression"
    ) != expression:
        yield fails(
            name,
            f"starts at {found.get('ScheduleExpression', 'no time')}, planned {expression}",
            f"change it back, or delete {resource.stack.name} and deploy it again",
        )
    elif not is_rule:
        zone = found.get("ScheduleExpressionTimezone", "UTC")
        yield passes(name, f"{found['State']}, {found['ScheduleExpression']}, {zone}")


SCHEDULES = check_of_resources(
    "schedules", (_SCHEDULE, _RULE), ("scheduler:GetSchedule", "events:DescribeRule"), _ask
)
