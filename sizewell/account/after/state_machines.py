"""The state machines: each is active, and its last execution did not fail.

The newest execution comes first: https://docs.aws.amazon.com/step-functions/latest/apireference/API_ListExecutions.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources

STATE_MACHINE = "AWS::StepFunctions::StateMachine"


def _ask(aws: AwsAccount, machine: DeployedResource) -> Iterator[Answer]:
    client, arn = aws.client("stepfunctions"), machine.physical_id
    try:
        found = client.describe_state_machine(stateMachineArn=arn)
    except ClientError as error:
        if error.response["Error"]["Code"] != "StateMachineDoesNotExist":
            raise
        yield fails(
            machine.name,
            "there is no such state machine",
            f"delete {machine.stack.name}, and deploy it again",
        )
        return
    # Express ones keep no executions.
    is_listed = found["type"] == "STANDARD"
    runs = client.list_executions(stateMachineArn=arn, maxResults=1)["executions"] if is_listed else []
    if found.get("status", "ACTIVE") != "ACTIVE":
        yield fails(machine.name, found["status"], f"deploy {machine.stack.name} again when it is gone")
    elif runs and runs[0]["status"] in ("FAILED", "TIMED_OUT", "ABORTED"):
        yield warns(
            machine.name,
            f"the last execution {runs[0]['name']} is {runs[0]['status']}",
            f"aws stepfunctions get-execution-history --execution-arn {runs[0]['executionArn']} --region {aws.region}",
        )
    else:
        yield passes(
            machine.name, f"the last execution is {runs[0]['status']}" if runs else "ACTIVE, no execution yet"
        )


STATE_MACHINES = check_of_resources(
    "state machines", (STATE_MACHINE,), ("states:DescribeStateMachine", "states:ListExecutions"), _ask
)
