"""Policy documents as sets of grants: who may do what, on what kind of thing, under which conditions."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sizewell.templates.values import mapping

_ALL = "*"


def grants(document: Mapping[str, Any], hide: Callable[[str], str]) -> Iterator[str]:
    """Yield each grant of a canonical policy document in words.

    Of a resource its service and type count, and whether all of them are meant: names differ by environment.
    """
    statements = document["Statement"]
    for statement in statements if isinstance(statements, list) else [statements]:
        who = "".join(
            f" for {hide(name)}"
            for key in ("Principal", "NotPrincipal")
            for name in _principals(statement.get(key))
        )
        condition = ", ".join(
            f"{operator} {hide(str(key))}"
            for operator, keys in mapping(statement.get("Condition")).items()
            for key in mapping(keys)
        )
        when = f" if {condition}" if condition else ""
        for no_action, action_key in (("", "Action"), ("all but ", "NotAction")):
            for action in _texts(statement.get(action_key)):
                for reach in sorted(_reaches(statement, hide)) or [""]:
                    yield f"{statement.get('Effect')} {no_action}{action}{reach}{who}{when}"


def _reaches(statement: Mapping[str, Any], hide: Callable[[str], str]) -> set[str]:
    return {
        f" on {negated}{_reach(hide(resource))}"
        for negated, key in (("", "Resource"), ("all but ", "NotResource"))
        for resource in _texts(statement.get(key))
    }


def _reach(resource: str) -> str:
    parts = resource.split(":", 5)
    if len(parts) < 6 or parts[0] != "arn":
        return resource
    service, name = parts[2], parts[5]
    if service == "s3":
        return "s3 " + (_ALL if name == _ALL else "objects" if "/" in name else "bucket")
    separator = next((c for c in name if c in "/:"), None)
    if separator is None:
        return f"{service} {_ALL if name == _ALL else 'by name'}"
    kind, _, rest = name.partition(separator)
    return f"{service} {kind}" + (f"{separator}*" if rest == _ALL else "")


def _principals(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for kind, names in value.items():
            yield from (f"{kind} {name}" for name in _texts(names))
    elif value is not None:
        yield str(value)


def _texts(value: Any) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [] if value is None else [value])]
