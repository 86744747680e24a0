"""The model behind endpoints and transform jobs: pipelines and model packages, and what its role may read and pull."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack
from aws_cdk.assertions import Template

from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.endpoints.serving_model import ModelPackage, PipelineContainer
from constructs_lib.foundation.network import Network, NetworkProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.batch_transform import BatchTransform, BatchTransformProps
from constructs_lib.jobs.transform_job import TransformAttempt, TransformInput, TransformJobProps
from constructs_lib.on_demand.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, statements_by_sid

pytestmark = pytest.mark.cdk

REGISTRY = "111122223333.dkr.ecr.us-east-1.amazonaws.com"
KEY = "arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
PACKAGE = ModelPackage(
    arn="arn:aws:sagemaker:us-east-1:444455556666:model-package/fraud/3",
    image_repository_arn="arn:aws:ecr:us-east-1:444455556666:repository/fraud",
    artifacts=("company-registry", "fraud/"),
    key_arn=KEY,
)
FEATURES = PipelineContainer(
    name="features",
    image_uri=f"{REGISTRY}/features:1",
    artifact_key="models/features/model.tar.gz",
    environment_variables={"A": "1"},
)
LABELS = PipelineContainer(name="labels", image_uri=f"{REGISTRY}/labels:1")
JOB = TransformJobProps(
    job_name_prefix="fraud",
    attempts=(TransformAttempt(instance_type="ml.c6i.large"),),
    data=TransformInput(key_prefix="in", content_type="text/csv"),
    output_key_prefix="out",
    deadline_s=3600,
)


@pytest.fixture
def props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(props, artifact_key="models/fraud/7/", artifact_compression="None")


def statements(only: Only) -> dict[str, Any]:
    return statements_by_sid(only)


def joined(value: Any) -> str:
    """Return an ARN that is put together at deployment, without the partition."""
    return "".join(part for part in value["Fn::Join"][1] if isinstance(part, str))


def test_containers_hand_a_request_on_in_their_order(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, before=(FEATURES,), after=(LABELS,)))

    model = only("AWS::SageMaker::Model")
    assert "PrimaryContainer" not in model
    assert model["InferenceExecutionConfig"] == {"Mode": "Serial"}
    features, fraud, labels = model["Containers"]
    assert [container["ContainerHostname"] for container in (features, fraud, labels)] == [
        "features",
        "model",
        "labels",
    ]
    assert features["Environment"] == {"A": "1"}
    assert features["ModelDataSource"]["S3DataSource"]["S3DataType"] == "S3Object"
    assert fraud["ModelDataSource"]["S3DataSource"]["S3DataType"] == "S3Prefix"
    assert labels == {"ContainerHostname": "labels", "Image": f"{REGISTRY}/labels:1"}


def test_the_role_reads_every_artifact_and_pulls_every_image(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, before=(FEATURES,), after=(LABELS,)))

    found = statements(only)
    assert [joined(resource).rpartition("/models/")[2] for resource in found["ReadArtifact"]["Resource"]] == [
        "features/model.tar.gz",
        "fraud/7/*",
    ]
    assert found["ListArtifact"]["Condition"]["StringLike"]["s3:prefix"] == [
        "models/features/model.tar.gz",
        "models/fraud/7/*",
    ]
    pulled = [resource.rpartition("/")[2] for resource in found["PullImage"]["Resource"]]
    assert pulled == ["features", "fraud", "labels"]
    assert open_findings(stack) == set()


@pytest.mark.parametrize("serverless", [False, True])
def test_a_package_names_image_and_artifact_and_the_role_may_load_both(
    stack: Stack, only: Only, foundation: FoundationReferences, serverless: bool
) -> None:
    if serverless:
        ServerlessEndpoint(
            stack,
            "Endpoint",
            props=ServerlessEndpointProps(
                endpoint_name="fraud",
                model_package=PACKAGE,
                memory_mb=1024,
                max_concurrency=2,
                foundation=foundation,
            ),
        )
    else:
        RealtimeEndpoint(
            stack,
            "Endpoint",
            props=RealtimeEndpointProps(
                endpoint_name="fraud",
                instance_type="ml.m5.large",
                model_package=PACKAGE,
                environment_variables={"A": "1"},
                foundation=foundation,
            ),
        )

    variables = {} if serverless else {"Environment": {"A": "1"}}
    assert only("AWS::SageMaker::Model")["PrimaryContainer"] == {"ModelPackageName": PACKAGE.arn, **variables}
    found = statements(only)
    assert joined(found["ReadArtifact"]["Resource"]) == "arn::s3:::company-registry/fraud/*"
    assert joined(found["ListArtifact"]["Resource"]) == "arn::s3:::company-registry"
    assert found["DecryptArtifact"]["Resource"] == [foundation.data_key_arn, KEY]
    assert found["PullImage"]["Resource"] == PACKAGE.image_repository_arn
    assert open_findings(stack) == set()


def test_a_pipeline_around_a_package_reads_two_buckets(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    packaged = replace(props, image_uri=None, artifact_key=None, model_package=PACKAGE, before=(FEATURES,))
    RealtimeEndpoint(stack, "Endpoint", props=packaged)

    features, model = only("AWS::SageMaker::Model")["Containers"]
    assert (features["ContainerHostname"], model) == (
        "features",
        {"ContainerHostname": "model", "ModelPackageName": PACKAGE.arn},
    )
    found = statements(only)
    assert joined(found["ReadArtifact2"]["Resource"]) == "arn::s3:::company-registry/fraud/*"
    assert joined(found["ListArtifact2"]["Resource"]) == "arn::s3:::company-registry"
    assert open_findings(stack) == set()


def test_a_transform_names_artifacts_by_url_and_reads_packages(
    stack: Stack, only: Only, foundation: FoundationReferences
) -> None:
    BatchTransform(
        stack,
        "Transform",
        props=BatchTransformProps(
            workload_name="fraud",
            state_machine_name="fraud",
            model_package=PACKAGE,
            before=(FEATURES,),
            job=JOB,
            foundation=foundation,
        ),
    )

    features, model = only("AWS::SageMaker::Model")["Containers"]
    assert features["ModelDataUrl"].endswith("/models/features/model.tar.gz")
    assert "ModelDataSource" not in features
    assert model == {"ContainerHostname": "model", "ModelPackageName": PACKAGE.arn}
    (policy,) = (
        policy["Properties"]["PolicyDocument"]["Statement"]
        for policy in resources(stack, "AWS::IAM::ManagedPolicy")
        if "Transform jobs" in policy["Properties"].get("Description", "")
    )
    by_action = {tuple(statement["Action"]): str(statement["Resource"]) for statement in policy}
    assert "company-registry/fraud/*" in by_action["s3:GetObject",]
    assert "models/features/model.tar.gz" in by_action["s3:GetObject",]
    assert by_action["kms:Decrypt",] == KEY
    assert open_findings(stack) == set()


def resources(stack: Stack, kind: str) -> list[Mapping[str, Any]]:
    return list(Template.from_stack(stack).find_resources(kind).values())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_package": PACKAGE}, "either an image_uri or a model_package"),
        ({"image_uri": None}, "either an image_uri or a model_package"),
        ({"image_uri": None, "model_package": PACKAGE}, "names its artifact itself"),
        ({"before": (FEATURES, FEATURES)}, "with names of their own"),
        ({"after": tuple(replace(LABELS, name=f"n{n}") for n in range(15))}, "up to 15 containers"),
        ({"before": (replace(FEATURES, artifact_key="models/"),)}, "one tar.gz object, not a prefix"),
    ],
)
def test_what_the_api_refuses_is_refused_before(
    props: RealtimeEndpointProps, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(props, **changes)


def test_a_new_vpc_reads_the_buckets_of_others_and_writes_none(stack: Stack, only: Only) -> None:
    Network(
        stack,
        "Network",
        props=NetworkProps(
            bucket_names=("ours",),
            checkpoint_bucket_name="ours",
            endpoint_name_wildcard="demo-dev-*",
            readable_bucket_names=("company-registry",),
            operations_key_arn=KEY,
            log_retention_days=90,
            removal_policy=RemovalPolicy.DESTROY,
        ),
    )

    (gateway,) = (
        vpc_endpoint["Properties"]["PolicyDocument"]["Statement"]
        for vpc_endpoint in resources(stack, "AWS::EC2::VPCEndpoint")
        if vpc_endpoint["Properties"]["VpcEndpointType"] == "Gateway"
    )
    allowed = {
        action
        for statement in gateway
        if "company-registry" in str(statement["Resource"])
        for action in statement["Action"]
    }
    assert allowed == {"s3:ListBucket", "s3:GetObject"}
