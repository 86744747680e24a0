"""The findings of a review as SARIF 2.1.0, at the lines of the configuration that caused them.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, and what GitHub reads of it:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from jinja2.filters import do_urlencode

from sizewell.review.gate import GATE_CONDITIONS
from sizewell.review.hazards import HAZARD_RULES
from sizewell.review.model import ConfigChange, Hazard, IamChange, Review, SecurityChange

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"danger": "error", "warning": "warning", "notice": "note"}
_IAM_BROADENED = "iam-broadened"
#: The one that GitHub reads; without it GitHub takes the text of the line, and all findings of a line for one.
_FINGERPRINT = "primaryLocationLineHash"
#: A file that every CDK app has, for one without a configuration.
_APP_FILE = PurePosixPath("cdk.json")
_WORKLOADS = "workloads."


@dataclass(frozen=True, slots=True)
class _Found:
    of: Hazard | IamChange | SecurityChange
    rule: str
    level: str
    text: str
    names: tuple[str | None, ...]
    """What tells it from others of its rule and stack, whatever changes in it."""

    @property
    def fingerprint(self) -> str:
        identity = json.dumps([self.rule, self.of.environment, self.of.stack, *self.names])
        return sha256(identity.encode()).hexdigest()


def render_sarif(review: Review, directory: str = "config") -> str:
    """Return hazards, broader permissions and weaker protection, a result each.

    ``directory`` is that of the configuration, from the root of the repository.
    """
    findings = [*_hazards(review), *_broadened(review), *_weaker(review)]
    seen: Counter[str] = Counter()
    results = []
    for finding in findings:
        seen[finding.fingerprint] += 1
        fingerprint = f"{finding.fingerprint}:{seen[finding.fingerprint]}"
        results.append(_result(finding, _locations(review, finding, directory), fingerprint))
    rules = [_rule(name) for name in sorted({finding.rule for finding in findings})]
    run = {"tool": {"driver": {"name": "Sizewell", "rules": rules}}, "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(name: str) -> dict[str, Any]:
    known = HAZARD_RULES.get(name) or GATE_CONDITIONS.get(name) or GATE_CONDITIONS["security-weaker"]
    text = {"text": known}
    return {"id": name, "shortDescription": text, "fullDescription": text, "help": text}


def _hazards(review: Review) -> Iterator[_Found]:
    for hazard in review.hazards:
        text = f"{hazard.subject}: {hazard.cause.rstrip('.')}. {hazard.consequence} {hazard.what_to_do}"
        yield _Found(hazard, hazard.rule, _LEVELS[hazard.severity], text, (hazard.logical_id, hazard.subject))


def _broadened(review: Review) -> Iterator[_Found]:
    for change in review.security.iam:
        if change.direction == "broadened":
            grants = "; ".join(
                f"{grant.effect} {grant.action} on {grant.resource}" for grant in change.grants
            )
            yield _Found(change, _IAM_BROADENED, "warning", f"{change.policy}: {grants}", (change.policy,))


def _weaker(review: Review) -> Iterator[_Found]:
    for change in review.security.others:
        if change.direction == "weaker":
            text = f"{change.subject}: {change.base} → {change.head}. {change.why}"
            yield _Found(change, change.rule, "warning", text, (change.logical_id, change.subject))


def _result(found: _Found, locations: list[dict[str, Any]], fingerprint: str) -> dict[str, Any]:
    first, *others = locations
    return {
        "ruleId": found.rule,
        "level": found.level,
        "message": {"text": f"{found.of.environment}: {found.text}"},
        "locations": [first],
        **({"relatedLocations": others} if others else {}),
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }


def _locations(review: Review, found: _Found, directory: str) -> list[dict[str, Any]]:
    """Return the lines of the changed keys that may have caused a finding, else the top of the file of its environment.

    They are those of its workload, and then those that all workloads share.
    """
    environment = found.of.environment
    own = [change for change in review.config if _is_of(change, found.of.workload)]
    shared = [change for change in review.config if not change.key_path.startswith(_WORKLOADS)]
    caused = [
        _location(PurePosixPath(directory, place.file), place.line, change.key_path)
        for change in (*own, *shared)
        for place in change.places
        if place.environment == environment
    ]
    files = [
        PurePosixPath(directory, place.file)
        for place in review.head.files
        if place.environment == environment
    ]
    return caused or [_location(files[0] if files else _APP_FILE, 1, "")]


def _is_of(change: ConfigChange, workload: str | None) -> bool:
    return workload is not None and f"{change.key_path}.".startswith(f"{_WORKLOADS}{workload}.")


def _location(file: PurePosixPath, line: int, key_path: str) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": do_urlencode(str(file))}, "region": {"startLine": line}}
    message = {"message": {"text": key_path}} if key_path else {}
    return {"physicalLocation": place, **message}
