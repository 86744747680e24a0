"""Production's stacks are protected from deletion; in the emulator that would only be in the way."""

from collections.abc import Mapping


def end_termination_protection(variables: Mapping[str, str]) -> None:
    """Let every stack of the account and region be deleted that the variables lead to."""
    # boto3 takes longer to import than most commands run.
    import boto3

    cloudformation = boto3.client(
        "cloudformation",
        region_name=variables["AWS_REGION"],
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=variables["AWS_SESSION_TOKEN"],
    )
    for page in cloudformation.get_paginator("describe_stacks").paginate():
        for stack in page["Stacks"]:
            if stack.get("EnableTerminationProtection"):
                cloudformation.update_termination_protection(
                    StackName=stack["StackName"], EnableTerminationProtection=False
                )
