"""Prints what is emulated and what is refused: ``python -m sizewell_localcloud.emulator.coverage_report``."""

from sizewell_localcloud.emulator import plugin
from sizewell_localcloud.emulator.coverage import coverage


def main() -> None:
    """Print what is emulated, then what is refused, by service."""
    plugin.install()
    found = coverage()
    for service, operations in found["operations"].items():
        print(
            f"{service}: {len(operations['emulated'])} operations are emulated, {len(operations['refused'])} refused"
        )
        print("  emulated: " + ", ".join(operations["emulated"]))
        print("  refused:  " + ", ".join(operations["refused"]))
    types = found["resource_types"]
    print(
        f"CloudFormation: {len(types['emulated'])} resource types are emulated, {len(types['refused'])} refused"
    )
    ours = ("AWS::SageMaker::", "AWS::ApplicationAutoScaling::")
    print("  refused of SageMaker: " + ", ".join(t for t in types["refused"] if t.startswith(ours)))


if __name__ == "__main__":
    main()
