"""Policies as sets of single grants: one effect, one action, one resource, one condition each."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.integration.readers.common import Properties
from tests.integration.readers.compare import statements_of


class Grant(NamedTuple):
    """The smallest part of a policy."""

    effect: str
    action: str
    resource: str
    condition: str

    def __str__(self) -> str:
        return f"{self.effect} {self.action} on {self.resource}" + (
            f" if {self.condition}" if self.condition else ""
        )


def allow(
    actions: str | Iterable[str], resources: str | Iterable[str], condition: dict[str, Any] | None = None
) -> Properties:
    """Return an Allow statement."""
    listed = {"Effect": "Allow", "Action": _list(actions), "Resource": _list(resources)}
    return listed | ({"Condition": condition} if condition else {})


def _list(values: str | Iterable[str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def trust(service: str, condition: dict[str, Any] | None = None) -> list[Properties]:
    """Return the statements of a role that one service assumes."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return statements_of({"Statement": [statement | ({"Condition": condition} if condition else {})]})


def grants_of(statements: Iterable[Properties]) -> set[Grant]:
    """Take statements apart. Raises KeyError for a statement with NotAction or NotResource."""
    return {
        Grant(statement["Effect"][0], action, resource, _condition(statement))
        for statement in statements_of({"Statement": list(statements)})
        for action in statement["Action"]
        for resource in statement["Resource"]
    }


def _condition(statement: Properties) -> str:
    return json.dumps(statement["Condition"], sort_keys=True) if "Condition" in statement else ""


def told(expected: set[Grant], found: set[Grant]) -> str:
    """Return what is missing and what is too much, for a person."""
    lines = [f"missing: {grant}" for grant in sorted(expected - found)]
    lines += [f"too much: {grant}" for grant in sorted(found - expected)]
    return "\n".join(lines)
