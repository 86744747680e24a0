import base64
from collections.abc import Mapping
from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import assembly, pair, resource, stack, template

Accepted = Mapping[str, Mapping[str, str]]


def at(path: str) -> dict[str, Any]:
    return resource("X::Y::Z", Metadata={"aws:cdk:path": path})


def changes(base: Accepted, head: Accepted, *, gone: bool = False) -> tuple[SecurityChange, ...]:
    here = template(A=at("app/A/Resource"), B=at("app/B"))
    sides = [
        assembly(stack(here, acknowledgements=base)),
        assembly(stack(template() if gone else here, acknowledgements=head)),
    ]
    return compare_security(EnvironmentPair("dev", sides[0], sides[1])).others


def test_an_accepted_finding_is_weaker() -> None:
    (change,) = changes({}, {"app/A": {"Rule1": "because"}})
    assert (change.rule, change.direction) == ("acknowledgement-added", "weaker")
    assert (change.subject, change.base, change.head) == ("Rule1 at app/A", "reported", "because")


def test_a_finding_that_is_no_longer_accepted_is_stronger() -> None:
    (change,) = changes({"app/A": {"Rule1": "because"}}, {})
    assert (change.rule, change.direction) == ("acknowledgement-removed", "stronger")
    assert (change.base, change.head) == ("because", "reported")


def test_another_reason_is_neutral() -> None:
    (change,) = changes({"app/A": {"Rule1": "one"}}, {"app/A": {"Rule1": "two"}})
    assert (change.rule, change.direction) == ("acknowledgement-reason-changed", "neutral")
    assert (change.base, change.head) == ("one", "two")


def test_the_same_rule_and_reason_is_one_change_for_all_places() -> None:
    head = {"app/B": {"Rule1": "because", "Rule2": "because"}, "app/A": {"Rule1": "because"}}
    assert [c.subject for c in changes({}, head)] == ["Rule1 at 2 places, first app/A", "Rule2 at app/B"]


def test_the_same_is_no_change() -> None:
    same = {"app/A": {"Rule1": "because"}, "app/B": {"Rule2": "because"}}
    assert changes(same, dict(reversed(same.items()))) == ()


def test_what_is_gone_needs_no_acknowledgement() -> None:
    assert changes({"app/A": {"Rule1": "because"}}, {}, gone=True) == ()


def suppressed(*rules: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {"aws:cdk:path": "app/A", "cdk_nag": {"rules_to_suppress": list(rules)}}
    return template(A=resource("X::Y::Z", Metadata=metadata))


def test_the_older_place_counts_too() -> None:
    head = suppressed({"id": "AwsSolutions-S1", "reason": "because"})
    (change,) = compare_security(pair(suppressed(), head)).others
    assert (change.rule, change.subject) == ("acknowledgement-added", "AwsSolutions-S1 at app/A")
    assert change.head == "because"


def test_single_findings_and_encoded_reasons_of_the_older_place() -> None:
    rule = {
        "id": "AwsSolutions-IAM5",
        "applies_to": ["Action::s3:*", {"regex": "/x/"}],
        "reason": base64.b64encode("schön".encode()).decode(),
        "is_reason_encoded": True,
    }
    found = compare_security(pair(suppressed(), suppressed(rule))).others
    assert [c.subject for c in found] == [
        "AwsSolutions-IAM5[/x/] at app/A",
        "AwsSolutions-IAM5[Action::s3:*] at app/A",
    ]
    assert {c.head for c in found} == {"schön"}


def test_a_new_construct_that_is_like_others_says_nothing_new() -> None:
    accepted = {"app/A": {"Rule1[x]": "because"}}

    def of_new(reasons: dict[str, str]) -> SecurityChange:
        old = stack(template(A=at("app/A")), "old", acknowledgements=accepted)
        new = stack(template(B=at("app/B")), "new", acknowledgements={"app/B": reasons})
        (change,) = compare_security(EnvironmentPair("dev", assembly(old), assembly(old, new))).others
        return change

    assert (of_new({"Rule1[y]": "because"}).rule, of_new({"Rule1[y]": "because"}).direction) == (
        "acknowledgement-repeated",
        "neutral",
    )
    assert of_new({"Rule1[y]": "for another reason"}).direction == "weaker"
    assert of_new({"Rule2": "because"}).direction == "weaker"


def test_an_old_construct_that_is_newly_accepted_is_weaker_whatever_others_are() -> None:
    accepted = {"app/A": {"Rule1": "because"}}
    (change,) = changes(accepted, {**accepted, "app/B": {"Rule1": "because"}})
    assert change.direction == "weaker"
