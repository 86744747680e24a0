import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.templates.canonical import Place, canonical_resource, canonical_value, hide_assets, mark_assets
from sizewell.templates.values import Reference, references_in

NOWHERE = Place()
HERE = Place("111122223333", "us-east-1")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ({"Ref": "Bucket"}, "${Bucket}"),
        ({"Fn::GetAtt": ["Role", "Arn"]}, "${Role.Arn}"),
        ({"Fn::GetAtt": "Role.Arn"}, "${Role.Arn}"),
        ({"Fn::Sub": "${Bucket}/x"}, "${Bucket}/x"),
        ({"Fn::Sub": ["${B}/x", {"B": {"Ref": "Bucket"}}]}, "${Bucket}/x"),
        ({"Fn::Join": ["", ["a", {"Ref": "Bucket"}, {"Fn::Join": ["-", ["b", "c"]]}]]}, "a${Bucket}b-c"),
        ({"Fn::Join": ["", {"Ref": "Names"}]}, {"Fn::Join": ["", "${Names}"]}),
        ({"Fn::Select": [1, ["a", "b"]]}, "b"),
        ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, {"Fn::Select": ["0", {"Fn::GetAZs": ""}]}),
        ("${not a variable}", "${!not a variable}"),
        ({"Fn::Sub": "${!Literal}"}, "${!Literal}"),
        (300, "300"),
        (300.0, "300"),
        (0.5, "0.5"),
        (True, "true"),
        ("true", "true"),
        ({"A": {"Ref": "AWS::NoValue"}, "B": 1}, {"B": "1"}),
        (["a", {"Ref": "AWS::NoValue"}], ["a"]),
        (None, None),
    ],
)
def test_one_spelling(written: Any, canonical: Any) -> None:
    assert canonical_value(written, NOWHERE) == canonical


def test_a_known_place_is_as_good_as_a_literal() -> None:
    written = {"Fn::Sub": "arn:${AWS::Partition}:s3:${AWS::Region}:${AWS::AccountId}:x"}
    assert canonical_value(written, HERE) == "arn:aws:s3:us-east-1:111122223333:x"
    assert canonical_value(written, NOWHERE) == written["Fn::Sub"]
    assert canonical_value({"Ref": "AWS::Partition"}, Place("1", "cn-north-1")) == "aws-cn"


def test_json_in_a_text_is_data_with_types() -> None:
    text = json.dumps({"b": 1, "a": ["1", True]})
    reordered = {"Fn::Join": ["", ['{"a": ["1", true],', '"b": 1}']]}
    assert canonical_value(text, NOWHERE) == canonical_value(reordered, NOWHERE) == {"a": ["1", True], "b": 1}
    assert canonical_value('{"b": "1"}', NOWHERE) != canonical_value('{"b": 1}', NOWHERE)
    assert canonical_value("{not json}", NOWHERE) == "{not json}"


def test_policies_are_sets() -> None:
    one = {
        "Version": "2012-10-17",
        "Statement": {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": ["b", "a"],
            "Principal": {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}},
        },
    }
    other = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Principal": {"AWS": ["111122223333"]},
                "Resource": ["a", "b", "a"],
                "Action": ["s3:GetObject"],
                "Effect": "Allow",
            }
        ],
    }
    assert canonical_value(one, HERE) == canonical_value(other, HERE)
    statement = canonical_value(one, HERE)["Statement"]
    assert len(statement) == 1
    assert "Sid" not in statement[0]


def test_lists_are_sorted_only_where_the_schema_says_that_order_means_nothing() -> None:
    alarm = {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Dimensions": [{"Name": "b"}, {"Name": "a"}]}}
    assert canonical_resource(alarm, HERE)["Properties"]["Dimensions"] == [{"Name": "a"}, {"Name": "b"}]
    function = {"Type": "AWS::Lambda::Function", "Properties": {"Layers": ["b", "a"]}}
    assert canonical_resource(function, HERE)["Properties"]["Layers"] == ["b", "a"]


def test_a_single_dependency_may_be_written_without_brackets() -> None:
    one, other, none = (
        canonical_resource({"Type": "T", "DependsOn": value}, HERE) for value in ("a", ["a"], [])
    )
    assert one == other
    assert "DependsOn" not in none


def test_references() -> None:
    value = {
        "a": ["${Bucket}/${Role.Arn}", "${AWS::Region}", "${!Literal}"],
        "Fn::If": ["c", "${Nested.Outputs.X}"],
    }
    assert list(references_in(value)) == [
        Reference("Bucket"),
        Reference("Role", "Arn"),
        Reference("Nested", "Outputs.X"),
    ]


def test_only_hashes_of_known_assets_are_marked() -> None:
    asset, image = "0a" * 32, "0b" * 32
    text = mark_assets(f"{asset}.zip image@sha256:{image}", {asset: "digest"})
    assert text == f"<asset digest>.zip image@sha256:{image}"
    assert hide_assets(text) == f"<asset>.zip image@sha256:{image}"


_SCALARS = st.one_of(st.text(max_size=8), st.integers(-5, 5), st.booleans())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.characters(categories=["L"]), min_size=1, max_size=4), inner, max_size=3),
        st.builds(lambda a: {"Fn::Join": ["", a]}, st.lists(inner, max_size=3)),
        st.just({"Ref": "X"}),
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_the_order_of_keys_never_counts(value: Any) -> None:
    def reversed_keys(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: reversed_keys(node[key]) for key in reversed(node)}
        return [reversed_keys(item) for item in node] if isinstance(node, list) else node

    assert canonical_value(reversed_keys(value), HERE) == canonical_value(value, HERE)
