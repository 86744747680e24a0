"""Findings that an app accepts, with the reason why: of cdk-nag, in either of the places where it keeps them.

https://github.com/cdklabs/cdk-nag: version 3 writes acknowledged rules into the metadata of the assembly, version 2
``rules_to_suppress`` into the metadata of the resource.
"""

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, stack_rule
from sizewell.review.words import Direction
from sizewell.templates.template import Stack
from sizewell.templates.values import mapping, maps

_REPORTED = "reported"
_OUTCOMES: Mapping[str, tuple[Direction, str]] = {
    "added": ("weaker", "The app accepts a finding that would be reported otherwise."),
    "repeated": (
        "neutral",
        "The app accepts the finding elsewhere in this environment for the same reason.",
    ),
    "removed": ("stronger", "The finding is reported again."),
    "reason-changed": (
        "neutral",
        "The app accepts the finding for another reason. Check whether the reason holds.",
    ),
}

Accepted = Mapping[tuple[str, str], str]
"""The reasons, by construct path and rule."""


@stack_rule
def acknowledgements(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield what is accepted, is no longer accepted, or for another reason; one for all places of the same rule."""
    if stack.pair.head is None:
        return
    base, head = _accepted(stack.pair.base), _accepted(stack.pair.head)
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    known = _known(stack.base_stacks) if head.keys() - base.keys() else frozenset()
    for path, rule in sorted({*base, *head}):
        before, after = base.get((path, rule)), head.get((path, rule))
        if before == after or (after is None and _is_gone(stack, path)):
            continue
        kind = "added" if before is None else "removed" if after is None else "reason-changed"
        if kind == "added" and (_bare(rule), after) in known and not _has(stack.base, path):
            kind = "repeated"
        groups.setdefault((kind, rule, before or _REPORTED, after or _REPORTED), []).append(path)
    for (kind, rule, before, after), paths in groups.items():
        direction, why = _OUTCOMES[kind]
        yield stack.change(
            f"acknowledgement-{kind}",
            direction,
            None,
            subject=f"{rule} at {_places(paths)}",
            base=before,
            head=after,
            why=why,
        )


def _known(stacks: Iterable[Stack]) -> frozenset[tuple[str, str]]:
    """Return the rules, and the reasons, that any stack of base accepts."""
    return frozenset(
        (_bare(rule), reason) for stack in stacks for (_, rule), reason in _accepted(stack).items()
    )


def _bare(rule: str) -> str:
    """Return a rule without the finding that it is about: ``AwsSolutions-IAM5`` of ``AwsSolutions-IAM5[Resource::*]``."""
    return rule.partition("[")[0]


def _places(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} places, first {paths[0]}"


def _accepted(stack: Stack | None) -> Accepted:
    if stack is None:
        return {}
    found = {
        (path, rule): reason
        for path, reasons in stack.acknowledgements.items()
        for rule, reason in reasons.items()
    }
    for logical_id, body in mapping(stack.template.get("Resources")).items():
        metadata = body.get("Metadata") if isinstance(body, dict) else None
        if not isinstance(metadata, dict) or "cdk_nag" not in metadata:
            continue
        path = str(metadata.get("aws:cdk:path") or logical_id)
        for _, suppression in maps(mapping(metadata.get("cdk_nag")).get("rules_to_suppress")):
            for rule in _rules(suppression):
                found[path, rule] = _reason(suppression)
    return found


def _rules(suppression: Mapping[str, Any]) -> Iterator[str]:
    rule = str(suppression.get("id", ""))
    findings = suppression.get("applies_to")
    if not isinstance(findings, list):
        yield rule
        return
    for finding in findings:
        yield f"{rule}[{finding['regex'] if isinstance(finding, Mapping) and 'regex' in finding else finding}]"


def _reason(suppression: Mapping[str, Any]) -> str:
    reason = str(suppression.get("reason", ""))
    if suppression.get("is_reason_encoded"):
        try:
            return base64.b64decode(reason, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return reason
    return reason


def _is_gone(stack: StackChange, path: str) -> bool:
    """Tell whether the construct was there and is not any more: what is not there needs no acknowledgement."""
    return _has(stack.base, path) and not _has(stack.head, path)


def _has(resources: Mapping[str, Any], path: str) -> bool:
    return any(r.path == path or r.path.startswith(f"{path}/") for r in resources.values())
