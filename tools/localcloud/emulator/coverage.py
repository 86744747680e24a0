"""What is emulated and what is not: what is not is refused, never accepted in silence.

Run as a module, it prints the list: ``python -m tools.localcloud.emulator.coverage``.
"""

from typing import Any

from ministack.services.cloudformation import provisioners

from tools.localcloud.emulator.resource_schemas import known_types


def coverage() -> dict[str, Any]:
    """Return operations by service, and CloudFormation types, emulated and not."""
    from tools.localcloud.emulator.plugin import SERVICES

    types = {name for name in provisioners._RESOURCE_HANDLERS if name.startswith("AWS::")}
    known = known_types("us-east-1")
    return {
        "operations": {
            service.name: {
                "emulated": sorted(service.operations),
                "refused": sorted(set(service.model.operation_names) - set(service.operations)),
            }
            for service in SERVICES
        },
        "resource_types": {"emulated": sorted(types & known), "refused": sorted(known - types)},
    }


def main() -> None:
    """Print what is emulated, then what is refused, by service."""
    from tools.localcloud.emulator import plugin

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
