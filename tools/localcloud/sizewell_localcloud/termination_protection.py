"""Lets every stack of an account be deleted: ``python -m sizewell_localcloud.termination_protection``.

Production's stacks are protected from deletion, which would keep ``destroy`` from ending in the emulator.
"""

import boto3  # type: ignore[import-untyped,unused-ignore]

from sizewell_localcloud.inventory import pages


def main() -> None:
    """End the protection of all stacks that the variables of this process lead to."""
    cloudformation = boto3.client("cloudformation")
    for stack in pages(cloudformation, "describe_stacks", "Stacks"):
        if stack.get("EnableTerminationProtection"):
            cloudformation.update_termination_protection(
                StackName=stack["StackName"], EnableTerminationProtection=False
            )


if __name__ == "__main__":
    main()
