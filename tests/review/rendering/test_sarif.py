"""SARIF: the shape that the specification demands, a place for each finding, and fingerprints that stay."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from sizewell.review.model import ConfigChange, Place, Review, SecurityChange
from sizewell.review.rendering import render_sarif
from tests.review.gate.test_apply import grant, hazard, iam, review
from tests.review.rendering.any_review import any_review

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATIONS = {
    "type": "array",
    "minItems": 1,
    "items": {
        "required": ["physicalLocation"],
        "properties": {
            "message": TEXT,
            "physicalLocation": {
                "required": ["artifactLocation", "region"],
                "properties": {
                    "artifactLocation": {
                        "required": ["uri"],
                        "properties": {"uri": {"type": "string", "pattern": "^[A-Za-z0-9_.~/%-]+$"}},
                    },
                    "region": {
                        "required": ["startLine"],
                        "properties": {"startLine": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
RULE = {
    "required": ["id", "shortDescription", "fullDescription", "help"],
    "properties": dict.fromkeys(("shortDescription", "fullDescription", "help"), TEXT),
}
RESULT = {
    "required": ["ruleId", "level", "message", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": {"type": "string"},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {**LOCATIONS, "maxItems": 1},
        "relatedLocations": LOCATIONS,
        "partialFingerprints": {"additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}
#: What sections 3.13 to 3.52 of SARIF 2.1.0 require of the objects that are written here, and GitHub beyond it.
SHAPE: dict[str, Any] = {
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "results": {"type": "array", "items": RESULT},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string", "minLength": 1},
                                    "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}


def results(given: Review, directory: str = "config") -> list[dict[str, Any]]:
    written = json.loads(render_sarif(given, directory))
    jsonschema.Draft202012Validator(SHAPE).validate(written)
    (run,) = written["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({result["ruleId"] for result in run["results"]})
    found: list[dict[str, Any]] = run["results"]
    return found


def places(result: dict[str, Any]) -> list[tuple[str, int]]:
    return [
        (place["artifactLocation"]["uri"], place["region"]["startLine"])
        for location in (*result["locations"], *result.get("relatedLocations", ()))
        for place in [location["physicalLocation"]]
    ]


def changed(key_path: str, *found: tuple[str, str, int]) -> ConfigChange:
    return ConfigChange(
        key_path=key_path, change="changed", base="1", head="2", environments=tuple(one[0] for one in found),
        places=tuple(Place(environment=where, file=file, line=line) for where, file, line in found),
    )  # fmt: skip


@given(any_review())
def test_any_review_has_the_shape(any_one: Review) -> None:
    results(any_one)


@pytest.mark.parametrize(
    ("severity", "level"), [("danger", "error"), ("warning", "warning"), ("notice", "note")]
)
def test_a_hazard_is_a_result(severity: str, level: str) -> None:
    (result,) = results(review(hazards=(hazard(severity),)))
    assert (result["ruleId"], result["level"]) == ("alarm-removed", level)
    assert result["message"]["text"] == "prod: the alarm: is gone. c w"


def test_broader_permissions_and_weaker_protection_are_results_and_others_are_not() -> None:
    broader = iam(grant()).security.iam
    weaker, stronger = (
        SecurityChange(
            rule="encryption-lost",
            direction=direction,
            environment="prod",
            stack="s",
            subject="the bucket",
            base="KMS",
            head="none",
            why="Anyone reads it.",
        )
        for direction in ("weaker", "stronger")
    )
    narrower = iam(grant(), direction="narrowed").security.iam
    given = review()
    security = given.security.model_copy(update={"iam": (*broader, *narrower), "others": (weaker, stronger)})
    found = results(given.model_copy(update={"security": security}))
    assert [(result["ruleId"], result["message"]["text"]) for result in found] == [
        ("iam-broadened", "prod: app/role: Allow s3:* on *"),
        ("encryption-lost", "prod: the bucket: KMS → none. Anyone reads it."),
    ]


def test_a_finding_stands_at_the_changed_keys_of_its_workload_and_then_at_shared_ones() -> None:
    config = (
        changed("policy.margin", ("prod", "prod.yaml", 3), ("dev", "dev.yaml", 5)),
        changed("workloads.chat", ("prod", "base.yaml", 70)),
        changed("workloads.chatty.traffic", ("prod", "base.yaml", 90)),
    )
    one = hazard().model_copy(update={"workload": "chat"})
    of_workload, of_environment = results(review(hazards=(one, hazard()), config=config), "größe 1")
    assert places(of_workload) == [
        ("gr%C3%B6%C3%9Fe%201/base.yaml", 70),
        ("gr%C3%B6%C3%9Fe%201/prod.yaml", 3),
    ]
    assert places(of_environment) == [("gr%C3%B6%C3%9Fe%201/prod.yaml", 3)]


def test_a_finding_without_a_cause_stands_at_the_top_of_the_file_of_its_environment() -> None:
    given = review(hazards=(hazard(),))
    assert places(*results(given)) == [("cdk.json", 1)]
    head = given.head.model_copy(update={"files": (Place(environment="prod", file="prod.yaml", line=1),)})
    assert places(*results(given.model_copy(update={"head": head}))) == [("config/prod.yaml", 1)]


def test_a_fingerprint_says_what_is_found_and_not_what_changes_in_it() -> None:
    def fingerprints(*hazards: Any) -> list[str]:
        return [
            result["partialFingerprints"]["primaryLocationLineHash"]
            for result in results(review(hazards=hazards))
        ]

    one = hazard()
    (first,) = fingerprints(one)
    assert fingerprints(one.model_copy(update={"cause": "is quiet", "severity": "danger"})) == [first]
    for other in (
        {"rule": "counts-lost"},
        {"environment": "dev"},
        {"subject": "the queue"},
        {"logical_id": "A"},
    ):
        assert fingerprints(one.model_copy(update=other)) != [first]
    assert len(set(fingerprints(one, one))) == 2
