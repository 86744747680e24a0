"""Which operations and resource types are emulated; every other one is refused."""

from typing import Any

from ministack.services.cloudformation import provisioners

from sizewell_localcloud.emulator.resource_schemas import known_types
from sizewell_localcloud.emulator.services import SERVICES


def coverage() -> dict[str, Any]:
    """Return operations by service, and CloudFormation types, emulated and not."""
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
