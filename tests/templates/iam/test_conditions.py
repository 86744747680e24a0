from typing import Any

import pytest

from sizewell.templates.iam.conditions import conditions, implies, shown


def one(operator: str, key: str, *values: str) -> dict[str, Any]:
    return {operator: {key: list(values)}}


WIDER = [
    ({}, one("Bool", "aws:SecureTransport", "true")),
    (one("StringEquals", "k", "a", "b"), one("StringEquals", "K", "a")),
    (one("StringLike", "k", "a*"), one("StringEquals", "k", "ab")),
    (one("StringLike", "k", "a*"), one("StringLike", "k", "ab*")),
    (one("StringEqualsIfExists", "k", "a"), one("StringEquals", "k", "a")),
    (one("StringNotEquals", "k", "a"), one("StringNotEquals", "k", "a", "b")),
    (one("StringNotLike", "k", "ab"), one("StringNotLike", "k", "a*")),
    (one("ArnLike", "k", "arn:aws:s3:::*"), one("ArnEquals", "k", "arn:aws:s3:::b")),
    (one("IpAddress", "k", "10.0.0.0/8"), one("IpAddress", "k", "10.1.0.0/16")),
    (one("NotIpAddress", "k", "10.1.0.0/16"), one("NotIpAddress", "k", "10.0.0.0/8")),
    (one("NumericLessThan", "k", "20"), one("NumericLessThan", "k", "10")),
    (one("NumericGreaterThan", "k", "10"), one("NumericGreaterThan", "k", "20")),
    (one("ForAnyValue:StringEquals", "k", "a", "b"), one("ForAnyValue:StringEquals", "k", "a")),
    (one("Bool", "k", "true"), {**one("Bool", "k", "true"), **one("StringEquals", "l", "x")}),
]


@pytest.mark.parametrize(("wide", "narrow"), WIDER)
def test_a_narrower_condition_implies_the_wider_one_and_not_the_other_way_round(
    wide: dict[str, Any], narrow: dict[str, Any]
) -> None:
    assert implies(conditions(narrow), conditions(wide))
    assert not implies(conditions(wide), conditions(narrow))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (one("StringEquals", "k", "a"), one("StringEquals", "l", "a")),
        (one("StringEquals", "k", "a"), one("StringNotEquals", "k", "b")),
        (one("ForAnyValue:StringEquals", "k", "a"), one("ForAllValues:StringEquals", "k", "a")),
        (one("StringEquals", "k", "a*"), one("StringLike", "k", "b*")),
        (one("Null", "k", "true"), one("Null", "k", "false")),
        ({"Fn::If": ["C", {}, {}]}, one("Bool", "k", "true")),
    ],
)
def test_what_is_not_known_to_follow_does_not(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert not implies(conditions(first), conditions(second))
    assert not implies(conditions(second), conditions(first))


def test_a_literal_star_is_no_pattern() -> None:
    assert not implies(conditions(one("StringLike", "k", "a*")), conditions(one("StringEquals", "k", "a*")))


def test_a_condition_is_shown_as_it_is_written() -> None:
    assert (
        shown(
            {
                **one("StringEquals", "aws:SourceAccount", "2", "1"),
                **one("Bool", "aws:SecureTransport", "true"),
            }
        )
        == "Bool aws:SecureTransport: true and StringEquals aws:SourceAccount: 1, 2"
    )
