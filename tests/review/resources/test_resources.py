from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import ResourceChange, Resources
from sizewell.review.resources import compare_resources
from sizewell.templates.differences import differences
from sizewell.templates.template import Stack
from tests.review.builders import assembly, pair, resource, stack, template

BUCKET = "AWS::S3::Bucket"


def compared(base: dict[str, Any] | None, head: dict[str, Any] | None) -> Resources:
    return compare_resources(pair(base, head))


def told(resources: Resources) -> dict[str, tuple[str, tuple[str, ...], str | None]]:
    return {c.logical_id: (c.action, c.decided_by, c.because_of) for c in resources.changes}


def between(base: list[Stack], head: list[Stack]) -> Resources:
    return compare_resources(EnvironmentPair("dev", assembly(*base), assembly(*head)))


def test_nothing_changes() -> None:
    same = template(A=resource(BUCKET, {"BucketName": "a"}), B=resource("AWS::SNS::Topic"))
    assert compared(same, dict(same)) == Resources(unchanged_count=2)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]},) * 2,
        (
            {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]},
            {"Tags": [{"Key": "b", "Value": 2}, {"Key": "a", "Value": 1}]},
        ),
        (
            {"VersioningConfiguration": {"Status": "Enabled"}, "X": True},
            {"X": "true", "VersioningConfiguration": {"Status": "Enabled"}},
        ),
        ({"BucketName": {"Fn::Join": ["-", ["a", {"Ref": "P"}]]}}, {"BucketName": {"Fn::Sub": "a-${P}"}}),
        ({"X": {"Fn::Sub": "${AWS::Region}"}}, {"X": "us-east-1"}),
        ({"Tags": []}, {}),
    ],
    ids=["same", "tags", "keys", "functions", "pseudo parameters", "no tags"],
)
def test_order_and_spelling_are_no_change(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert compared(template(A=resource(BUCKET, base)), template(A=resource(BUCKET, head))).changes == ()


def test_metadata_and_boilerplate_are_no_change() -> None:
    base = template(A=resource(BUCKET, Metadata={"aws:cdk:path": "S/A", "aws:asset:path": "asset.1"}))
    head = template(
        A=resource(BUCKET, Metadata={"aws:cdk:path": "S/A", "aws:asset:path": "asset.2"}),
        CDKMetadata={"Type": "AWS::CDK::Metadata", "Properties": {"Analytics": "v2:x"}},
    )
    head |= {"Parameters": {"BootstrapVersion": {"Type": "String"}}, "Rules": {"CheckBootstrapVersion": {}}}
    assert compared(base, head) == Resources(unchanged_count=1)


def test_an_update_shows_both_values() -> None:
    (change,) = compared(
        template(A=resource("AWS::SNS::Topic", {"DisplayName": "old"})),
        template(
            A=resource("AWS::SNS::Topic", {"DisplayName": "new"}, Metadata={"aws:cdk:path": "S/Topics/Alarm"})
        ),
    ).changes
    assert (change.action, change.path, change.decided_by) == ("changed", "S/Topics/Alarm", ())
    assert change.properties[0].model_dump() == {
        "path": "DisplayName",
        "base": "old",
        "head": "new",
        "effect": "update",
    }
    assert change.diff == "- DisplayName: old\n+ DisplayName: new"


def test_a_replacement_names_what_decides_and_whether_the_old_one_stays() -> None:
    def bucket(name: str, **attributes: Any) -> dict[str, Any]:
        return template(A=resource(BUCKET, {"BucketName": name}, **attributes))

    (lost,) = compared(bucket("a"), bucket("b")).changes
    assert (lost.action, lost.decided_by, lost.stateful, lost.retained) == (
        "replaced",
        ("BucketName",),
        True,
        False,
    )
    (kept,) = compared(bucket("a"), bucket("b", UpdateReplacePolicy="Retain")).changes
    assert kept.retained


def test_removed_and_added() -> None:
    base = template(A=resource(BUCKET, DeletionPolicy="RetainExceptOnCreate"), B=resource("AWS::SNS::Topic"))
    head = template(B=resource("AWS::SNS::Topic"), C=resource("AWS::SQS::Queue"))
    result = compared(base, head)
    assert told(result) == {"A": ("removed", (), None), "C": ("added", (), None)}
    assert result.changes[0].retained
    assert result.unchanged_count == 1


def test_another_type_under_the_same_id_is_a_replacement() -> None:
    result = compared(template(A=resource("AWS::SNS::Topic")), template(A=resource("AWS::SQS::Queue")))
    assert told(result) == {"A": ("replaced", ("Type",), None)}


def test_another_logical_id_of_the_same_construct_is_a_replacement() -> None:
    def version(logical_id: str) -> dict[str, Any]:
        return template(
            **{logical_id: resource("AWS::Lambda::Version", Metadata={"aws:cdk:path": "S/F/CurrentVersion"})}
        )

    result = compared(version("VersionAAA"), version("VersionBBB"))
    assert told(result) == {"VersionBBB": ("replaced", ("LogicalId",), None)}


def test_a_deletion_policy_changes_nothing_that_runs() -> None:
    (change,) = compared(
        template(A=resource(BUCKET, DeletionPolicy="Retain")),
        template(A=resource(BUCKET, DeletionPolicy="Delete")),
    ).changes
    assert (change.action, change.properties[0].path, change.properties[0].effect) == (
        "changed",
        "DeletionPolicy",
        "none",
    )


def _network(cidr: str) -> dict[str, Any]:
    return template(
        Vpc=resource("AWS::EC2::VPC", {"CidrBlock": cidr}),
        Subnet=resource("AWS::EC2::Subnet", {"VpcId": {"Ref": "Vpc"}}),
        Parameter=resource("AWS::SSM::Parameter", {"Name": "/subnets", "Value": {"Ref": "Subnet"}}),
        Rule=resource("AWS::Events::Rule", {"Description": {"Fn::Sub": "about ${Vpc}"}}),
        Other=resource("AWS::SNS::Topic"),
    )


def test_a_replacement_reaches_whoever_refers_to_it() -> None:
    assert told(compared(_network("10.0.0.0/16"), _network("10.1.0.0/16"))) == {
        "Vpc": ("replaced", ("CidrBlock",), None),
        "Subnet": ("replaced", ("VpcId",), "app-stack/Vpc"),
        "Parameter": ("changed", (), "app-stack/Vpc"),
        "Rule": ("changed", (), "app-stack/Vpc"),
    }


def test_a_replacement_reaches_other_stacks_through_ssm() -> None:
    reader = template(
        Model=resource("AWS::SageMaker::Model", {"VpcConfig": {"Subnets": {"Ref": "Subnets"}}}),
        Config=resource(
            "AWS::SageMaker::EndpointConfig",
            {
                "ProductionVariants": [
                    {"ModelName": {"Fn::GetAtt": ["Model", "ModelName"]}, "VariantName": "primary"}
                ]
            },
        ),
    ) | {"Parameters": {"Subnets": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/subnets"}}}
    base = [stack(_network("10.0.0.0/16"), "net"), stack(reader, "app")]
    head = [stack(_network("10.1.0.0/16"), "net"), stack(reader, "app")]
    changes = told(between(base, head))
    assert changes["Model"] == ("replaced", ("VpcConfig.Subnets",), "net/Vpc")
    assert changes["Config"] == ("replaced", ("ProductionVariants.primary.ModelName",), "net/Vpc")


def test_a_value_of_an_ssm_parameter_reaches_its_readers() -> None:
    def writer(value: str) -> dict[str, Any]:
        return template(P=resource("AWS::SSM::Parameter", {"Name": "/key", "Value": value}))

    reader = template(T=resource("AWS::SNS::Topic", {"KmsMasterKeyId": {"Ref": "Key"}, "TopicName": "t"})) | {
        "Parameters": {"Key": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/key"}}
    }
    changes = told(
        between([stack(writer("a"), "w"), stack(reader, "r")], [stack(writer("b"), "w"), stack(reader, "r")])
    )
    assert changes == {"P": ("changed", (), None), "T": ("changed", (), "w/P")}


def test_a_replacement_reaches_importers_of_an_export() -> None:
    def exporter(name: str) -> dict[str, Any]:
        return template(V=resource("AWS::EC2::VPC", {"CidrBlock": name})) | {
            "Outputs": {"O": {"Value": {"Ref": "V"}, "Export": {"Name": "net:vpc"}}}
        }

    importer = template(S=resource("AWS::EC2::Subnet", {"VpcId": {"Fn::ImportValue": "net:vpc"}}))
    changes = told(
        between(
            [stack(exporter("a"), "e"), stack(importer, "i")],
            [stack(exporter("b"), "e"), stack(importer, "i")],
        )
    )
    assert changes["S"] == ("replaced", ("VpcId",), "e/V")


@pytest.mark.parametrize("outputs", [{}, {"O": {"Value": {"Ref": "B"}, "Export": {"Name": "net:bucket"}}}])
def test_what_stays_the_same_is_counted_once_whether_values_reach_its_stack_or_not(
    outputs: dict[str, Any],
) -> None:
    def changing(name: str) -> Stack:
        both = template(A=resource("AWS::SNS::Topic", {"DisplayName": name}), B=resource(BUCKET))
        return stack(both | {"Outputs": outputs}, "changing")

    same = stack(template(C=resource(BUCKET), D=resource(BUCKET)), "same")
    result = between([changing("a"), same], [changing("b"), same])
    assert (set(told(result)), result.unchanged_count) == ({"A"}, 3)


def test_a_replacement_goes_into_nested_stacks_and_comes_back() -> None:
    def parent(cidr: str) -> dict[str, Any]:
        return template(
            V=resource("AWS::EC2::VPC", {"CidrBlock": cidr}),
            N=resource("AWS::CloudFormation::Stack", {"Parameters": {"Vpc": {"Ref": "V"}}}),
            Q=resource("AWS::EC2::RouteTable", {"VpcId": {"Fn::GetAtt": ["N", "Outputs.Vpc"]}}),
        )

    nested = template(S=resource("AWS::EC2::Subnet", {"VpcId": {"Ref": "Vpc"}})) | {
        "Parameters": {"Vpc": {"Type": "String"}},
        "Outputs": {"Vpc": {"Value": {"Ref": "Vpc"}}},
    }
    sides = [
        [stack(parent(cidr), "p"), stack(nested, "p/N", parent="p", nested_id="N")] for cidr in ("a", "b")
    ]
    changes = told(between(*sides))
    assert changes["S"] == ("replaced", ("VpcId",), "p/V")
    assert changes["Q"] == ("replaced", ("VpcId",), "p/V")


def test_what_keeps_its_name_when_it_is_replaced_only_may_change_others() -> None:
    def topic(fifo: bool) -> dict[str, Any]:
        return template(
            Q=resource(
                "AWS::Lambda::Function", {"FunctionName": "f", "PackageType": "Zip" if fifo else "Image"}
            ),
            P=resource("AWS::Lambda::Permission", {"FunctionName": {"Ref": "Q"}}),
        )

    assert told(compared(topic(True), topic(False)))["P"] == (
        "may be replaced",
        ("FunctionName",),
        "app-stack/Q",
    )


def test_perhaps_stays_perhaps() -> None:
    def thing(name: str) -> dict[str, Any]:
        return template(
            T=resource("Acme::A::B", {"X": name}), S=resource("AWS::EC2::Subnet", {"VpcId": {"Ref": "T"}})
        )

    assert told(compared(thing("a"), thing("b"))) == {
        "T": ("may be replaced", ("X",), None),
        "S": ("may be replaced", ("VpcId",), "app-stack/T"),
    }


def test_circular_references_end() -> None:
    def ring(value: str) -> dict[str, Any]:
        return template(
            A=resource("AWS::EC2::VPC", {"CidrBlock": value, "Tags": [{"Key": "b", "Value": {"Ref": "B"}}]}),
            B=resource("AWS::EC2::Subnet", {"VpcId": {"Ref": "A"}}),
        )

    assert set(told(compared(ring("a"), ring("b")))) == {"A", "B"}


def test_stacks_that_come_and_go_and_what_differs_in_them() -> None:
    one = template(A=resource(BUCKET))
    changed = one | {"Outputs": {"O": {"Value": "x"}}, "Description": "d"}
    result = between([stack(one, "same"), stack(one, "gone")], [stack(changed, "same"), stack(one, "new")])
    assert [(s.stack, s.action, s.details) for s in result.stacks] == [
        ("gone", "removed", ()),
        ("new", "added", ()),
        ("same", "changed", ('Outputs.O: (none) → {"Value": "x"}',)),
    ]


def test_a_stack_in_another_region_is_told_once() -> None:
    one = template(A=resource(BUCKET, {"X": {"Ref": "AWS::Region"}}))
    moved = Stack("app", "111122223333", "eu-west-1", one)
    result = between([stack(one, "app")], [moved])
    assert result.changes == ()
    assert "region us-east-1 → eu-west-1" in result.stacks[0].details[0]


@pytest.mark.parametrize(
    ("base", "head", "paths"),
    [
        ({"l": ["1", "2"]}, {"l": ["2", "1"]}, ["l"]),
        (["a", "b"], ["x", "a", "b"], ["0"]),
        ([{"Name": "a", "V": "1"}], [{"Name": "b", "V": "1"}, {"Name": "a", "V": "2"}], ["a.V", "b"]),
        ({"a": {"b": "1"}}, {"a": {"b": "2", "c": "3"}}, ["a.b", "a.c"]),
        ([{"x": "1"}], [{"x": "2"}], ["0.x"]),
    ],
)
def test_differences_have_the_smallest_name(base: Any, head: Any, paths: list[str]) -> None:
    assert [".".join(d.path) for d in differences(base, head)] == paths


_VALUES = st.recursive(
    st.sampled_from(["", "a", "b", "${A}"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_VALUES, _VALUES)
def test_differences_are_there_exactly_where_values_differ_and_mirror(base: Any, head: Any) -> None:
    forth, back = list(differences(base, head)), list(differences(head, base))
    assert bool(forth) == (base != head)
    assert len(forth) == len(back)


@given(_VALUES, _VALUES)
def test_equal_templates_never_change_and_comparison_never_fails(base: Any, head: Any) -> None:
    one, other = (
        template(
            A=resource("AWS::SageMaker::Model", {"P": value}),
            B=resource(BUCKET, {"BucketName": {"Ref": "A"}}),
        )
        for value in (base, head)
    )
    assert compared(one, one).changes == ()
    forth, back = compared(one, other).changes, compared(other, one).changes
    assert [(c.logical_id, c.action) for c in forth] == [(c.logical_id, c.action) for c in back]


def test_changes_are_sorted_by_danger() -> None:
    base = template(
        A=resource("AWS::SNS::Topic", {"DisplayName": "a"}),
        B=resource(BUCKET, {"BucketName": "a"}),
        C=resource("AWS::SageMaker::Model", {"ModelName": "a"}),
        D=resource("AWS::IAM::Role"),
    )
    head = template(
        A=resource("AWS::SNS::Topic", {"DisplayName": "b"}),
        B=resource(BUCKET, {"BucketName": "b"}),
        C=resource("AWS::SageMaker::Model", {"ModelName": "b"}),
        E=resource("AWS::IAM::Role"),
    )
    order: list[ResourceChange] = list(compared(base, head).changes)
    assert [change.logical_id for change in order] == ["B", "C", "D", "A", "E"]
