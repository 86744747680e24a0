"""Secrets that stand in a template, where everybody who may read it, or the resource, sees them.

AWS Secrets Manager user guide, "Retrieve secrets in AWS CloudFormation".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.config.secret_shapes import is_reference, is_secret_value
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.hazards.rules.replacement import subject_of
from sizewell.templates.template import Resource


@hazard_rule("security")
def secret_in_clear(environment: Environment) -> Iterator[Found]:
    """A property holds a password, a token or a key as text."""
    for change in environment.diff.changes:
        if change.head is None:
            continue
        before = set(_secrets(change.base))
        for name, _ in sorted(set(_secrets(change.head)) - before):
            yield Found(
                "danger",
                change.stack,
                change.logical_id,
                subject_of(change),
                f"{name} is written out",
                "Everybody who may read the template, the change set or the resource sees the secret.",
                "Change the secret, and refer to it in AWS Secrets Manager: {{resolve:secretsmanager:...}}.",
            )


def _secrets(resource: Resource | None) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of secrets."""
    return _in("", resource.written) if resource else iter(())


def _in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        pair = value.get("Name"), value.get("Value")
        if isinstance(pair[0], str) and isinstance(pair[1], str):
            yield from _in(pair[0], pair[1])
        else:
            for key, inner in value.items():
                yield from _in(key, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _in(name, item)
    elif isinstance(value, str) and not is_reference(value) and is_secret_value(name, value):
        yield name, value
