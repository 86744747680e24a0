"""Templates as no app should write them: reviewed as far as they make sense, and never with a stack trace."""

from typing import Any

import pytest

from sizewell.review.compare import compare_outputs
from sizewell.review.rendering import render_html, render_json, render_markdown
from sizewell.review.saved.output import SavedOutput
from tests.review.builders import assembly, stack

GOOD = {"Resources": {"A": {"Type": "AWS::S3::Bucket", "Properties": {}}}}
ODD: tuple[dict[str, Any], ...] = (
    {},
    {"Resources": []},
    {"Resources": {"A": "text"}},
    {"Resources": {"A": None}},
    {"Resources": {"A": {"Type": None, "Properties": {"x": None}}}},
    {"Resources": {"A": {"Type": "AWS::S3::Bucket", "Properties": [1]}}},
    {"Resources": {"A": {"Type": "AWS::S3::Bucket", "Properties": {"Ref": "P"}}}},
    {
        "Resources": {
            "A": {
                "Type": "AWS::S3::Bucket",
                "Properties": {"Fn::If": ["C", {"a": 1}, {"Ref": "AWS::NoValue"}]},
                "DependsOn": [{"a": 1}],
                "Metadata": "x",
                "Condition": ["a"],
            }
        }
    },
    {**GOOD, "Outputs": "x"},
    {**GOOD, "Outputs": {"O": None}},
    {**GOOD, "Parameters": [1], "Conditions": "x", "Mappings": 3, "Rules": "r"},
    {
        "Resources": {
            "A": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    "R": {"Fn::Sub": ["a", ["b"]]},
                    "S": {"Fn::Select": ["²", ["a"]]},
                    "T": "[" * 4000 + "]" * 4000,
                },
            }
        }
    },
    {
        "Resources": {
            "S": {
                "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
                "Condition": ["AutoscalingOn"],
                "Properties": {"ResourceId": {"Fn::ImportValue": "x"}, "MinCapacity": {"Ref": "V"}},
            },
            "E": {
                "Type": "AWS::SageMaker::Endpoint",
                "Properties": {"EndpointName": {"Fn::If": ["C", "a", "b"]}},
            },
            "C": {
                "Type": "AWS::SageMaker::EndpointConfig",
                "Properties": {"ProductionVariants": {"Ref": "V"}},
            },
        }
    },
)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_templates_are_reviewed_in_both_directions(odd: dict[str, Any]) -> None:
    for base, head in ((GOOD, odd), (odd, GOOD), (odd, odd)):
        sides = (
            SavedOutput("x", {name: assembly(stack(one), environment=name) for name in ("dev", "prod")})
            for one in (base, head)
        )
        review = compare_outputs(*sides)
        assert render_html(review)
        assert render_markdown(review)
        assert render_json(review)
        if base is head:
            assert review.resources.changes == ()
