"""The Lambda functions: each is active, its last update succeeded, and its warm workers are there.

* https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html
* https://docs.aws.amazon.com/lambda/latest/api/API_GetProvisionedConcurrencyConfig.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources
from sizewell.templates.values import number, text

FUNCTION = "AWS::Lambda::Function"
_ALIAS = "AWS::Lambda::Alias"
_NOT_FOUND = ("ResourceNotFoundException", "ProvisionedConcurrencyConfigNotFoundException")


def _ask(aws: AwsAccount, resource: DeployedResource) -> Iterator[Answer]:
    try:
        yield from (_ask_alias if resource.resource_type == _ALIAS else _ask_function)(aws, resource)
    except ClientError as error:
        if error.response["Error"]["Code"] not in _NOT_FOUND:
            raise
        yield fails(
            resource.physical_id, "it is not there", f"delete {resource.stack.name}, and deploy it again"
        )


def _ask_function(aws: AwsAccount, function: DeployedResource) -> Iterator[Answer]:
    name, deploy = function.physical_id, f"mend that; then deploy {function.stack.name}"
    found = aws.client("lambda").get_function_configuration(FunctionName=name)
    state, update = found.get("State", "Active"), found.get("LastUpdateStatus", "Successful")
    wanted = number(function.stated.get("MemorySize"))
    # Inactive: nobody has called it for weeks, and the next call wakes it:
    # https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html
    if state not in ("Active", "Inactive"):
        yield fails(name, f"{state}: {found.get('StateReason', '')}", deploy)
    elif update == "InProgress":
        yield warns(name, "an update goes on", "verify again later")
    elif update != "Successful":
        yield fails(name, f"its last update failed: {found.get('LastUpdateStatusReason', '')}", deploy)
    elif wanted is not None and found["MemorySize"] != wanted:
        yield fails(
            name,
            f"{found['MemorySize']} MB, planned {wanted:g} MB",
            f"aws lambda update-function-configuration --function-name {name} --memory-size {wanted:g} --region {aws.region}",
        )
    else:
        yield passes(name, f"{state}, {found['MemorySize']} MB")


def _ask_alias(aws: AwsAccount, alias: DeployedResource) -> Iterator[Answer]:
    if "ProvisionedConcurrencyConfig" not in alias.stated:
        return
    # Ref of an alias is its ARN: arn:aws:lambda:region:account:function:name:alias.
    arn, _, qualifier = alias.physical_id.rpartition(":")
    name = text(alias.stated.get("Name")) or qualifier
    subject = f"{arn.rpartition(':')[2]}:{qualifier}"
    found = aws.client("lambda").get_provisioned_concurrency_config(FunctionName=arn, Qualifier=name)
    ready, wanted = (
        found.get(f"{word}ProvisionedConcurrentExecutions", 0) for word in ("Available", "Requested")
    )
    if found["Status"] == "FAILED":
        yield fails(
            subject,
            f"its workers are not warm: {found.get('StatusReason', '')}",
            "mend that; Lambda tries again",
        )
    elif found["Status"] == "IN_PROGRESS":
        yield warns(subject, f"{ready} of {wanted} workers are warm", "verify again later")
    else:
        yield passes(subject, f"{ready} warm workers")


FUNCTIONS = check_of_resources(
    "functions",
    (FUNCTION, _ALIAS),
    ("lambda:GetFunctionConfiguration", "lambda:GetProvisionedConcurrencyConfig"),
    _ask,
)
