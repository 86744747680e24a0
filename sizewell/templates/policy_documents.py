"""Policy documents: their lists are sets, a list of one may be written without brackets, and a Sid means nothing."""

import re
from collections.abc import Mapping
from typing import Any

_SETS = ("Action", "NotAction", "Resource", "NotResource")
_PRINCIPALS = ("Principal", "NotPrincipal")
_ACCOUNT_ROOT = re.compile(r"arn:(?:aws[a-z-]*|\$\{AWS::Partition\}):iam::(\d{12}|\$\{AWS::AccountId\}):root")


def is_policy(value: Any) -> bool:
    """Tell whether a canonical map is a policy document."""
    if not isinstance(value, dict) or "Statement" not in value:
        return False
    statements = value["Statement"]
    statements = statements if isinstance(statements, list) else [statements]
    return all(isinstance(s, Mapping) and "Effect" in s for s in statements)


def canonical_policy(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document whose statements, actions, resources, principals and values are sorted lists."""
    statements = document["Statement"]
    canonical = [_statement(s) for s in (statements if isinstance(statements, list) else [statements])]
    rest = {key: value for key, value in document.items() if key not in ("Statement", "Id")}
    return {**rest, "Statement": sorted(canonical, key=repr)}


def _statement(statement: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in sorted(statement.items()):
        if key == "Sid":
            continue
        if key in _SETS:
            result[key] = _set(value)
        elif key in _PRINCIPALS:
            result[key] = _principal(value)
        elif key == "Condition" and isinstance(value, Mapping):
            result[key] = {
                operator: {name: _set(values) for name, values in sorted(keys.items())}
                if isinstance(keys, Mapping)
                else keys
                for operator, keys in sorted(value.items())
            }
        else:
            result[key] = value
    return result


def _principal(value: Any) -> Any:
    if value == "*":
        return {"AWS": ["*"]}
    if not isinstance(value, Mapping) or any(key.startswith("Fn::") for key in value):
        return value
    return {kind: [_account(p) for p in _set(names)] for kind, names in sorted(value.items())}


def _account(principal: Any) -> Any:
    found = _ACCOUNT_ROOT.fullmatch(principal) if isinstance(principal, str) else None
    return found[1] if found else principal


def _set(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    unique = {repr(item): item for item in values}
    return [unique[key] for key in sorted(unique)]
