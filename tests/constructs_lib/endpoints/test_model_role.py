from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Aws, CfnParameter, Stack

from constructs_lib.endpoints.model_role import ModelRole, ModelRoleProps
from constructs_lib.foundation.references import FoundationReferences
from tests.constructs_lib.judges import open_findings

pytestmark = pytest.mark.cdk

BUCKET = "demo-dev-artifacts-111122223333-us-east-1"
Statements = Callable[[ModelRoleProps], dict[str, dict[str, Any]]]


@pytest.fixture
def props(foundation: FoundationReferences) -> ModelRoleProps:
    return ModelRoleProps(
        endpoint_name="fraud-dev",
        image_repository_arns=("arn:aws:ecr:us-east-1:111122223333:repository/fraud",),
        reads=((BUCKET, "models/fraud/7/model.tar.gz"),),
        encrypt_volume_with_key=True,
        foundation=foundation,
    )


@pytest.fixture
def statements_of(stack: Stack, only: Callable[[str], dict[str, Any]]) -> Statements:
    def build(props: ModelRoleProps) -> dict[str, dict[str, Any]]:
        ModelRole(stack, "ModelRole", props=props)
        statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
        assert {statement["Effect"] for statement in statements} == {"Allow"}
        return {statement["Sid"]: statement for statement in statements}

    return build


def _in_bucket(key: str) -> dict[str, Any]:
    return {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f":s3:::{BUCKET}/{key}"]]}


def test_only_what_knows_no_resource_is_allowed_on_all(
    statements_of: Statements, props: ModelRoleProps
) -> None:
    on_all = {sid: s["Action"] for sid, s in statements_of(props).items() if s["Resource"] == "*"}

    describe = on_all.pop("DescribeNetwork")
    assert on_all == {
        "LogInToRegistry": "ecr:GetAuthorizationToken",
        "PublishMetrics": "cloudwatch:PutMetricData",
    }
    assert all(action.startswith("ec2:Describe") for action in describe)


def test_metrics_and_keys_are_held_by_conditions(statements_of: Statements, props: ModelRoleProps) -> None:
    statements = statements_of(props)

    assert {sid: s["Condition"] for sid, s in statements.items() if "Condition" in s} == {
        "ListArtifact": {"StringLike": {"s3:prefix": "models/fraud/7/model.tar.gz"}},
        "DecryptArtifact": {
            "StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}
        },
        "GrantVolumeKey": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
        "PublishMetrics": {
            "StringEquals": {"cloudwatch:namespace": ["/aws/sagemaker/Endpoints", "AWS/SageMaker"]}
        },
    }
    for sid in ("DecryptArtifact", "GrantVolumeKey"):
        assert statements[sid]["Resource"] == props.foundation.data_key_arn


def test_an_uncompressed_model_may_be_read_below_its_prefix_only(
    statements_of: Statements, props: ModelRoleProps
) -> None:
    statements = statements_of(replace(props, reads=((BUCKET, "models/llm/3/"),)))

    assert statements["ReadArtifact"]["Resource"] == _in_bucket("models/llm/3/*")
    assert statements["ListArtifact"]["Condition"] == {"StringLike": {"s3:prefix": "models/llm/3/*"}}


def test_without_a_volume_key_there_is_nothing_to_grant(
    statements_of: Statements, props: ModelRoleProps
) -> None:
    assert "GrantVolumeKey" not in statements_of(replace(props, encrypt_volume_with_key=False))


def test_the_acknowledgements_hold_when_the_foundation_is_known_at_deployment_only(
    stack: Stack, props: ModelRoleProps
) -> None:
    parameter = CfnParameter(stack, "ArtifactBucketName", default="artifacts")
    for construct_id, bucket in (
        ("OfParameter", parameter.value_as_string),
        ("OfAccount", f"artifacts-{Aws.ACCOUNT_ID}"),
    ):
        foundation = replace(props.foundation, artifact_bucket_name=bucket)
        role = replace(props, reads=((bucket, "models/llm/3/"),), foundation=foundation)
        ModelRole(stack, construct_id, props=role)

    assert open_findings(stack) == set()
