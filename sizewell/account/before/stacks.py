"""Whether a stack is deployed: what a first deployment needs is not there yet, and what runs holds some of it."""

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount


def is_deployed(aws: AwsAccount, stack_name: str) -> bool:
    """Return whether there is such a stack.

    CloudFormation answers ValidationError for one that does not exist:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
    """
    try:
        aws.client("cloudformation").describe_stacks(StackName=stack_name)
    except ClientError as error:
        if "does not exist" in str(error):
            return False
        raise
    return True
