"""Pages of SageMaker's List operations: filtered, sorted and cut as AWS documents them."""

import base64
import copy
import json
from collections.abc import Iterable
from typing import Any

from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.sagemaker import store

_PAGE = 10
_EMULATED = {"MaxResults", "NameContains", "NextToken", "SortBy", "SortOrder", "StatusEquals"}


def listing(
    request: dict[str, Any],
    records: Iterable[dict[str, Any]],
    *,
    prefix: str,
    answer: str,
    sort_by: str = "CreationTime",
    sort_order: str = "Descending",
) -> dict[str, Any]:
    """Return one page. ``prefix`` is that of member names: Model in ModelName; the sort is what AWS has by default.

    Raises AwsError for a filter that is not emulated.
    """
    unknown = sorted(request.keys() - _EMULATED)
    if unknown:
        raise AwsError(
            "NotEmulated", f"Listing with {', '.join(unknown)} is not emulated by the local cloud", 501
        )
    name_member, status_member = f"{prefix}Name", f"{prefix}Status"
    order = [request.get("SortBy", sort_by), request.get("SortOrder", sort_order)]
    sort_member = {"Name": name_member, "Status": status_member}.get(order[0], order[0])
    with store.lock:
        found = [
            ([record[sort_member], record[name_member]], record)
            for record in records
            if request.get("NameContains", "") in record[name_member]
            and request.get("StatusEquals") in {None, record.get(status_member)}
        ]
        descending = order[1] == "Descending"
        found.sort(key=lambda item: item[0], reverse=descending)
        if request.get("NextToken"):
            last = _position(request["NextToken"], order)
            found = [item for item in found if (item[0] < last if descending else item[0] > last)]
        size = request.get("MaxResults", _PAGE)
        page: dict[str, Any] = {answer: [copy.deepcopy(record) for _, record in found[:size]]}
    if len(found) > size:
        token = json.dumps([*order, *found[size - 1][0]])
        page["NextToken"] = base64.urlsafe_b64encode(token.encode()).decode()
    return page


def _position(token: str, order: list[str]) -> list[Any]:
    """Return the sort key of the last record of the page before."""
    try:
        sort_by, sort_order, value, name = json.loads(base64.urlsafe_b64decode(token))
    except ValueError:
        raise ValidationError("Invalid NextToken") from None
    if [sort_by, sort_order] != order:
        raise ValidationError("Invalid NextToken: the page before was sorted otherwise")
    return [value, name]
