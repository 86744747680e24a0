"""AWS Batch: compute environments and job queues are valid and enabled.

* https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeEnvironmentDetail.html
* https://docs.aws.amazon.com/batch/latest/APIReference/API_JobQueueDetail.html
"""

from collections.abc import Iterator

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources

_ENVIRONMENT = "AWS::Batch::ComputeEnvironment"
_QUEUE = "AWS::Batch::JobQueue"


def _ask(aws: AwsAccount, resource: DeployedResource) -> Iterator[Answer]:
    client, arn = aws.client("batch"), resource.physical_id
    found = (
        client.describe_compute_environments(computeEnvironments=[arn])["computeEnvironments"]
        if resource.resource_type == _ENVIRONMENT
        else client.describe_job_queues(jobQueues=[arn])["jobQueues"]
    )
    if not found:
        yield fails(resource.name, "it is not there", f"delete {resource.stack.name}, and deploy it again")
        return
    status, state = found[0].get("status", "VALID"), found[0].get("state", "ENABLED")
    if status in ("CREATING", "UPDATING"):
        yield warns(resource.name, status, "verify again later")
    elif (status, state) != ("VALID", "ENABLED"):
        reason = found[0].get("statusReason", "")
        yield fails(
            resource.name,
            f"{status}, {state}: {reason}" if reason else f"{status}, {state}: no job starts",
            f"mend that, and enable it; then deploy {resource.stack.name}",
        )
    else:
        yield passes(resource.name, "VALID, ENABLED")


BATCH = check_of_resources(
    "batch",
    (_ENVIRONMENT, _QUEUE),
    ("batch:DescribeComputeEnvironments", "batch:DescribeJobQueues"),
    _ask,
)
