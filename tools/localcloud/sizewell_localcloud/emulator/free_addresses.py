"""The free addresses of subnets: ministack takes none, so a test orders how many are left."""

from typing import Any

from ministack.services.ec2 import _subnets

_COUNT = "AvailableIpAddressCount"
_before: dict[str, int] = {}


def order(subnet_id: str, count: int) -> None:
    """Leave so many addresses free in a subnet, until ``clear``. Raises KeyError for a subnet that there is not."""
    subnet = _subnet(subnet_id)
    _before.setdefault(subnet_id, subnet[_COUNT])
    subnet[_COUNT] = count


def clear() -> None:
    """Give all subnets their addresses back."""
    for subnet_id, count in _before.items():
        _subnet(subnet_id)[_COUNT] = count
    _before.clear()


def _subnet(subnet_id: str) -> dict[str, Any]:
    # Orders come from no account: ids of subnets are those of one only.
    found: dict[str, Any] = {key[-1]: subnet for key, subnet in _subnets._data.items()}[subnet_id]
    return found
