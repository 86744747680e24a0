"""Whether a stack is deployed: what a first deployment needs is not there yet, and what runs holds some of it."""

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount, is_missing


def is_deployed(aws: AwsAccount, stack_name: str) -> bool:
    """Return whether there is such a stack."""
    try:
        aws.client("cloudformation").describe_stacks(StackName=stack_name)
    except ClientError as error:
        if is_missing(error):
            return False
        raise
    return True
