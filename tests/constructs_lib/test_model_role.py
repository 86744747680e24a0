from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Aws, CfnParameter, Stack
from aws_cdk.assertions import Template
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks

from constructs_lib.model_role import ModelRole, ModelRoleProps
from constructs_lib.references import FoundationReferences

pytestmark = pytest.mark.cdk

REPOSITORY = "arn:aws:ecr:us-east-1:111122223333:repository/fraud"
DATA_KEY = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000d"
BUCKET = "demo-dev-artifacts-111122223333-us-east-1"
PARTITION = {"Ref": "AWS::Partition"}


@pytest.fixture
def props(foundation: FoundationReferences) -> ModelRoleProps:
    return ModelRoleProps(
        endpoint_name="fraud-dev",
        image_repository_arn=REPOSITORY,
        artifact_key="models/fraud/7/model.tar.gz",
        encrypt_volume_with_key=True,
        foundation=foundation,
    )


def statements_of(stack: Stack) -> dict[str, dict[str, Any]]:
    [policy] = Template.from_stack(stack).find_resources("AWS::IAM::ManagedPolicy").values()
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    assert {statement["Effect"] for statement in statements} == {"Allow"}
    return {statement["Sid"]: statement for statement in statements}


def in_account(resource: str) -> dict[str, str]:
    return {"Fn::Sub": f"arn:${{AWS::Partition}}:ec2:${{AWS::Region}}:${{AWS::AccountId}}:{resource}"}


def in_bucket(key: str) -> dict[str, Any]:
    return {"Fn::Join": ["", ["arn:", PARTITION, f":s3:::{BUCKET}/{key}"]]}


def unacknowledged(scope: App | Stack) -> list[tuple[str, str]]:
    packs = (AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks)
    return [
        (violation.rule_name, str(resource.construct_path))
        for pack in packs
        for violation in pack().validate_scope(scope).violations
        for resource in violation.violating_resources
    ]


def test_only_sagemaker_of_this_account_may_assume_the_role(stack: Stack, props: ModelRoleProps) -> None:
    ModelRole(stack, "ModelRole", props=props)

    template = Template.from_stack(stack)
    [policy_id] = template.find_resources("AWS::IAM::ManagedPolicy")
    [role] = template.find_resources("AWS::IAM::Role").values()
    assert role["Properties"] == {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "sagemaker.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                    "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
                }
            ],
        },
        "ManagedPolicyArns": [{"Ref": policy_id}],
    }


def test_the_role_has_these_permissions_and_no_others(stack: Stack, props: ModelRoleProps) -> None:
    ModelRole(stack, "ModelRole", props=props)

    permissions = {
        sid: (statement["Action"], statement["Resource"], statement.get("Condition"))
        for sid, statement in statements_of(stack).items()
    }

    assert permissions == {
        "ReadArtifact": ("s3:GetObject", in_bucket("models/fraud/7/model.tar.gz"), None),
        "ListArtifact": (
            "s3:ListBucket",
            {"Fn::Join": ["", ["arn:", PARTITION, f":s3:::{BUCKET}"]]},
            {"StringLike": {"s3:prefix": "models/fraud/7/model.tar.gz"}},
        ),
        "DecryptArtifact": (
            "kms:Decrypt",
            DATA_KEY,
            {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}},
        ),
        "GrantVolumeKey": (
            "kms:CreateGrant",
            DATA_KEY,
            {"Bool": {"kms:GrantIsForAWSResource": "true"}},
        ),
        "PullImage": (
            ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            REPOSITORY,
            None,
        ),
        "LogInToRegistry": ("ecr:GetAuthorizationToken", "*", None),
        "WriteLogs": (
            [
                "logs:CreateLogGroup",
                "logs:CreateLogStream",
                "logs:DescribeLogStreams",
                "logs:PutLogEvents",
            ],
            {
                "Fn::Sub": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}"
                ":log-group:/aws/sagemaker/Endpoints/fraud-dev:*"
            },
            None,
        ),
        "PublishMetrics": (
            "cloudwatch:PutMetricData",
            "*",
            {"StringEquals": {"cloudwatch:namespace": ["/aws/sagemaker/Endpoints", "AWS/SageMaker"]}},
        ),
        "CreateNetworkInterface": (
            "ec2:CreateNetworkInterface",
            [
                in_account("network-interface/*"),
                in_account("subnet/*"),
                {"Fn::Join": ["", [in_account("security-group/"), "sg-0000000000000000e"]]},
            ],
            None,
        ),
        "ManageNetworkInterface": (
            [
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteNetworkInterfacePermission",
            ],
            in_account("network-interface/*"),
            None,
        ),
        "DescribeNetwork": (
            [
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
            ],
            "*",
            None,
        ),
    }


def test_an_uncompressed_model_may_be_read_below_its_prefix_only(stack: Stack, props: ModelRoleProps) -> None:
    ModelRole(stack, "ModelRole", props=replace(props, artifact_key="models/llm/3/"))

    statements = statements_of(stack)

    assert statements["ReadArtifact"]["Resource"] == in_bucket("models/llm/3/*")
    assert statements["ListArtifact"]["Condition"] == {"StringLike": {"s3:prefix": "models/llm/3/*"}}


def test_without_a_volume_key_there_is_nothing_to_grant(stack: Stack, props: ModelRoleProps) -> None:
    ModelRole(stack, "ModelRole", props=replace(props, encrypt_volume_with_key=False))

    assert "GrantVolumeKey" not in statements_of(stack)


@pytest.mark.parametrize("artifact_key", ["models/fraud/7/model.tar.gz", "models/llm/3/"])
def test_no_pack_finds_anything_that_is_not_acknowledged(
    stack: Stack, props: ModelRoleProps, artifact_key: str
) -> None:
    ModelRole(stack, "ModelRole", props=replace(props, artifact_key=artifact_key))

    assert unacknowledged(stack) == []


def test_the_acknowledgements_hold_when_the_foundation_is_known_at_deployment_only(
    stack: Stack, props: ModelRoleProps
) -> None:
    bucket_parameter = CfnParameter(
        stack,
        "ArtifactBucketName",
        type="AWS::SSM::Parameter::Value<String>",
        default="/demo/dev/artifact-bucket-name",
    )
    for construct_id, bucket in (
        ("OfParameter", bucket_parameter.value_as_string),
        ("OfAccount", f"artifacts-{Aws.ACCOUNT_ID}"),
    ):
        foundation = replace(props.foundation, artifact_bucket_name=bucket)
        ModelRole(
            stack,
            construct_id,
            props=replace(props, artifact_key="models/llm/3/", foundation=foundation),
        )

    assert unacknowledged(stack) == []


def test_every_acknowledgement_answers_a_finding(
    stack: Stack, props: ModelRoleProps, monkeypatch: pytest.MonkeyPatch
) -> None:
    acknowledged: set[tuple[str, str]] = set()

    def record(construct: Any, reasons: dict[str, str]) -> None:
        acknowledged.update((finding_id, construct.node.path) for finding_id in reasons)

    monkeypatch.setattr("constructs_lib.model_role.acknowledge_each", record)

    ModelRole(stack, "ModelRole", props=replace(props, artifact_key="models/llm/3/"))

    assert acknowledged == set(unacknowledged(stack))
    assert len(acknowledged) == 5
