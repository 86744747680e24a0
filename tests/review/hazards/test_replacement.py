from typing import Any

import pytest

from sizewell.review.comparison import EnvironmentPair
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import described, endpoint_app, hazards, hazards_of, rules, text

BUCKET, TOPIC, ROLE = "AWS::S3::Bucket", "AWS::SNS::Topic", "AWS::IAM::Role"
TABLE, DATABASE = "AWS::DynamoDB::Table", "AWS::RDS::DBInstance"


def bucket(name: str | None = "data", **attributes: Any) -> dict[str, Any]:
    return template(Bucket=resource(BUCKET, {"BucketName": name} if name else {}, **attributes))


def table(name: str, **attributes: Any) -> dict[str, Any]:
    return template(Table=resource(TABLE, {"TableName": name}, **attributes))


def test_data_are_lost_with_a_replacement() -> None:
    assert described(hazards(table("data"), table("other"))) == text("""
        danger stateful-replaced, dev/app-stack/Table: AWS::DynamoDB::Table Table
        replaced: TableName data → other
        CloudFormation creates a new, empty resource and then deletes the old one, and what it holds is lost.
        Keep the property that decides. Otherwise set DeletionPolicy and UpdateReplacePolicy to Retain in a
            deployment before this one, and copy the data.
        """)


def test_a_bucket_is_deleted_only_when_it_is_empty() -> None:
    (found,) = hazards(bucket(), bucket("other"))
    assert (found.severity, found.consequence) == (
        "danger",
        "CloudFormation creates a new, empty resource and then deletes the old one only if it is empty. With objects in it, "
        "the deletion fails (DELETE_FAILED), and no stack manages the old one any more. If something empties it first, the "
        "objects are lost.",
    )


def test_a_snapshot_is_not_the_old_one() -> None:
    def cluster(**properties: Any) -> dict[str, Any]:
        made = resource("AWS::RDS::DBCluster", properties, UpdateReplacePolicy="Snapshot")
        return template(Cluster=made)

    (found,) = hazards(cluster(DatabaseName="a"), cluster(DatabaseName="b"))
    assert found.severity == "warning"
    assert "only the snapshot is left" in found.consequence
    assert "stays with its data" not in found.consequence


@pytest.mark.parametrize(
    ("name", "base", "head"),
    [
        ("AutoMinorVersionUpgrade", True, False),
        ("BackupRetentionPeriod", 7, 14),
        ("DBParameterGroupName", "a", "b"),
        ("MultiAZ", False, True),
        ("PreferredMaintenanceWindow", "sun:01:00-sun:02:00", "mon:01:00-mon:02:00"),
    ],
)
def test_a_database_is_updated_in_place(name: str, base: Any, head: Any) -> None:
    def database(value: Any) -> dict[str, Any]:
        return template(Database=resource(DATABASE, {"Engine": "postgres", name: value}))

    assert rules(hazards(database(base), database(head), theme="replacement")) == []


def test_a_retained_one_is_orphaned() -> None:
    assert described(hazards(bucket(), bucket("other", UpdateReplacePolicy="Retain"))) == text("""
        warning stateful-replaced, dev/app-stack/Bucket: AWS::S3::Bucket Bucket
        replaced: BucketName data → other
        CloudFormation creates a new, empty resource. The old one stays with its data, but no stack manages it any
            more, and it keeps costing money.
        Keep the property that decides. Otherwise plan the move of the data, and who deletes the old resource.
        """)


def repository(key: str, name: str | None = None, **attributes: Any) -> dict[str, Any]:
    """A repository whose key is in an SSM parameter: whether another parameter holds another key, nobody knows."""
    properties = {"EncryptionConfiguration": {"EncryptionType": "KMS", "KmsKey": {"Ref": "Key"}}}
    named = {"RepositoryName": name} if name else {}
    read = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": key}
    made = resource("AWS::ECR::Repository", {**properties, **named, "EmptyOnDelete": True}, **attributes)
    return {**template(Repository=made), "Parameters": {"Key": read}}


def test_a_fixed_name_collides() -> None:
    (found,) = hazards(repository("/a", "data"), repository("/b", "data"))
    assert found.cause == "may be replaced: EncryptionConfiguration.KmsKey and follows app-stack/Key"
    assert "Its fixed name data is taken while the old one is there" in found.consequence


@pytest.mark.parametrize(("policy", "says"), [("Delete", "would be lost"), ("Retain", "then stays")])
def test_what_may_be_replaced_may_be_lost(policy: str, says: str) -> None:
    (found,) = hazards(repository("/a"), repository("/b", UpdateReplacePolicy=policy))
    assert (found.severity, found.consequence.partition(" a new")[0]) == (
        "warning",
        "CloudFormation may create",
    )
    assert says in found.consequence
    assert "A change set says" in found.what_to_do


def test_an_update_loses_nothing() -> None:
    tagged = resource(BUCKET, {"BucketName": "data", "Tags": [{"Key": "team", "Value": "search"}]})
    assert hazards(bucket(), template(Bucket=tagged)) == ()


def role(**properties: Any) -> dict[str, Any]:
    return template(Role=resource(ROLE, properties))


def test_a_named_resource_cannot_be_made_twice() -> None:
    base, head = role(RoleName="runner", Path="/a/"), role(RoleName="runner", Path="/b/")
    assert described(hazards(base, head)) == text("""
        danger named-resource-replaced, dev/app-stack/Role: AWS::IAM::Role Role
        replaced: Path /a/ → /b/
        CloudFormation creates the new resource before it deletes the old one, and both have the name runner. The
            new one fails with AlreadyExists, and the deployment rolls back.
        Change the name in the same deployment, or leave it to CloudFormation.
        """)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (role(Path="/a/"), role(Path="/b/")),
        (role(RoleName="a", Path="/a/"), role(RoleName="b", Path="/b/")),
    ],
)
def test_other_names_can(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert hazards(base, head) == ()


def test_the_name_beside_an_arn_counts() -> None:
    type_ = "AWS::IAM::ManagedPolicy"
    base, head = (template(P=resource(type_, {"ManagedPolicyName": "p", "Path": x})) for x in ("/a/", "/b/"))
    assert rules(hazards(base, head)) == ["named-resource-replaced"]


def test_an_identity_that_follows_a_replacement_is_another_one() -> None:
    type_ = "AWS::S3::BucketPolicy"
    base = template(P=resource(type_, {"Bucket": {"Ref": "B"}}), B=resource(BUCKET))
    head = template(P=resource(type_, {"Bucket": {"Ref": "B"}}), B=resource(BUCKET, {"BucketName": "x"}))
    assert [(hazard.rule, hazard.logical_id) for hazard in hazards(base, head)] == [
        ("stateful-replaced", "B")
    ]


def test_a_new_logical_id_of_a_named_resource() -> None:
    base, head = template(A=resource(ROLE, {"RoleName": "r"})), template(B=resource(ROLE, {"RoleName": "r"}))
    assert described(hazards(base, head)) == text("""
        danger named-resource-replaced, dev/app-stack/B: AWS::IAM::Role r
        logical id A → B
        CloudFormation takes this for a new resource, and the old one still has the name. The creation fails with
            AlreadyExists, and the deployment rolls back.
        Keep construct ids and stack names, or move the deployed resources with a stack refactor (cdk refactor)
            before this deployment.
        """)


def test_a_renamed_stack_is_one_hazard() -> None:
    app = endpoint_app(scaling=None, R=resource(ROLE, {"RoleName": "r"}))
    environment = EnvironmentPair("dev", assembly(stack(app, "old")), assembly(stack(app, "new")))
    assert described(hazards_of(environment)) == text("""
        danger named-resource-replaced, dev/new/-: 2 resources with fixed names: AWS::IAM::Role r and
            AWS::SageMaker::Endpoint assistant
        stack old → new
        CloudFormation takes these for new resources, and the old ones still have the names. The creation fails with
            AlreadyExists, and the deployment rolls back.
        Keep construct ids and stack names, or move the deployed resources with a stack refactor (cdk refactor)
            before this deployment.
        """)


def test_another_type_under_the_same_logical_id() -> None:
    base, head = template(Thing=resource(BUCKET)), template(Thing=resource(TOPIC))
    assert described(hazards(base, head)) == text("""
        danger resource-type-changed, dev/app-stack/Thing: Thing
        resource type AWS::S3::Bucket → AWS::SNS::Topic
        CloudFormation refuses the whole update, because a logical id cannot get another resource type.
        Give the new resource another construct id. CloudFormation then removes the old one and adds the new one.
        """)


def test_an_endpoint_of_another_type_is_not_removed_besides() -> None:
    base, head = template(E=resource("AWS::SageMaker::Endpoint")), template(E=resource(TOPIC))
    assert rules(hazards(base, head)) == ["resource-type-changed"]


def test_a_bucket_of_a_weaker_policy_is_deleted_only_when_it_is_empty() -> None:
    base = bucket(DeletionPolicy="Retain", UpdateReplacePolicy="Retain")
    (found,) = hazards(base, bucket(), environment="prod")
    assert found.consequence == (
        "From this deployment on, CloudFormation deletes it if it is empty, and fails if it holds objects: when it "
        "leaves the template or is deleted with its stack and when it is replaced."
    )


def test_a_weaker_policy() -> None:
    base = table("data", DeletionPolicy="Retain", UpdateReplacePolicy="Retain")
    assert described(hazards(base, table("data"), environment="prod")) == text("""
        danger removal-policy-weakened, prod/app-stack/Table: AWS::DynamoDB::Table Table
        DeletionPolicy Retain → Delete; UpdateReplacePolicy Retain → Delete
        From this deployment on, CloudFormation deletes it with everything that it holds: when it leaves the
            template or is deleted with its stack and when it is replaced.
        Keep Retain for resources that hold data, logs or keys.
        """)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (bucket(), bucket(DeletionPolicy="Retain")),
        (bucket(DeletionPolicy="Retain"), bucket(DeletionPolicy="Snapshot")),
        (
            template(D=resource("AWS::RDS::DBCluster", DeletionPolicy="Retain")),
            template(D=resource("AWS::RDS::DBCluster")),
        ),
        (
            template(D=resource("AWS::RDS::DBCluster")),
            template(D=resource("AWS::RDS::DBCluster", UpdateReplacePolicy="Delete")),
        ),
    ],
)
def test_what_is_still_kept(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert hazards(base, head) == ()


def test_a_member_of_a_cluster_leaves_no_snapshot() -> None:
    member = {"DBClusterIdentifier": {"Ref": "C"}}
    base, head = (
        template(D=resource("AWS::RDS::DBInstance", member, **policy))
        for policy in ({"DeletionPolicy": "Retain"}, {})
    )
    assert rules(hazards(base, head)) == ["removal-policy-weakened"]


def test_a_policy_for_replacement_alone_says_nothing_of_the_stack() -> None:
    base = template(A=resource("AWS::S3::Bucket", DeletionPolicy="Retain", UpdateReplacePolicy="Retain"))
    (found,) = hazards(base, template(A=resource("AWS::S3::Bucket", DeletionPolicy="Retain")))
    assert found.consequence.endswith("holds objects: when it is replaced.")


def test_what_holds_nothing_may_be_deleted() -> None:
    base, head = template(R=resource(ROLE, DeletionPolicy="Retain")), template(R=resource(ROLE))
    assert hazards(base, head) == ()
