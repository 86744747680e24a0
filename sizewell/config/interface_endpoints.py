"""What is wrong with a list of interface endpoints."""

from collections.abc import Sequence

from sizewell.config.faults import near_match
from sizewell.facts.interface_endpoints import interface_endpoint_services


def endpoint_fault(services: Sequence[str]) -> tuple[int, str] | None:
    """Return the index of the first service that cannot have an endpoint, and why; None when all can."""
    for index, service in enumerate(services):
        if service in services[:index]:
            return index, f"{service} stands twice"
        if service == "s3":
            return index, "s3 has a gateway endpoint already, which costs nothing; remove it"
        if service not in interface_endpoint_services():
            match = near_match(service, interface_endpoint_services())
            return index, "AWS has no interface endpoint of this name" + (
                f"; did you mean {match}?" if match else ""
            )
    return None
