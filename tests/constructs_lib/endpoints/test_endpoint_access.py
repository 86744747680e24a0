"""Who may invoke an endpoint: exactly that, on its own ARN, for grantees of the CDK and for roles that are named."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk.assertions import Template

from constructs_lib.endpoints.asynchronous_inference import AsynchronousInference
from constructs_lib.endpoints.endpoint_access import EndpointAccess, EndpointAccessProps
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
from tests.constructs_lib.judges import open_findings

pytestmark = pytest.mark.cdk

IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/fraud@sha256:" + "0" * 64
TOPIC = "arn:aws:sns:us-east-1:111122223333:answers"
ASYNCHRONOUS = AsynchronousInference(
    input_prefix="inference/fraud/input/",
    output_prefix="inference/fraud/output/",
    failure_prefix="inference/fraud/failure/",
    max_concurrent_invocations_per_instance=4,
    success_topic_arn=TOPIC,
    error_topic_arn=TOPIC,
)
APP, PARTNER = "arn:aws:iam::111122223333:role/company/app", "arn:aws:iam::444455556666:role/partner"


def _caller(stack: Stack) -> iam.Role:
    return iam.Role(stack, "Caller", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def _granted(stack: Stack) -> list[dict[str, Any]]:
    [policy] = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
    statements: list[dict[str, Any]] = policy["Properties"]["PolicyDocument"]["Statement"]
    return statements


def _endpoint(stack: Stack) -> dict[str, str]:
    [logical_id] = Template.from_stack(stack).find_resources("AWS::SageMaker::Endpoint")
    return {"Ref": logical_id}


@pytest.mark.parametrize(
    ("streams", "actions"),
    [
        (False, "sagemaker:InvokeEndpoint"),
        (True, ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithResponseStream"]),
    ],
)
def test_a_grantee_may_invoke_this_endpoint_and_nothing_else(
    stack: Stack, props: RealtimeEndpointProps, streams: bool, actions: object
) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props)
    grant = endpoint.grant_invoke(_caller(stack), streams=streams)

    grant.assert_success()
    assert _granted(stack) == [{"Effect": "Allow", "Action": actions, "Resource": _endpoint(stack)}]


def test_a_grantee_of_a_serverless_endpoint_may_invoke_it(
    stack: Stack, foundation: FoundationReferences
) -> None:
    props = ServerlessEndpointProps(
        endpoint_name="fraud-dev",
        image_uri=IMAGE,
        artifact_key="models/fraud/7/model.tar.gz",
        memory_mb=3072,
        max_concurrency=20,
        foundation=foundation,
    )
    ServerlessEndpoint(stack, "Endpoint", props=props).grant_invoke(_caller(stack))

    assert _granted(stack) == [
        {"Effect": "Allow", "Action": "sagemaker:InvokeEndpoint", "Resource": _endpoint(stack)}
    ]


def test_a_grantee_of_a_queue_may_put_requests_and_read_answers(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=replace(props, asynchronous=ASYNCHRONOUS))
    endpoint.grant_invoke(_caller(stack))

    def objects(prefix: str) -> dict[str, Any]:
        bucket = f":s3:::{props.foundation.artifact_bucket_name}"
        return {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f"{bucket}/inference/fraud/{prefix}/*"]]}

    invoke, put, read, key = _granted(stack)
    assert invoke["Action"] == "sagemaker:InvokeEndpointAsync"
    assert invoke["Resource"] == _endpoint(stack)
    assert (put["Action"], put["Resource"]) == ("s3:PutObject", objects("input"))
    assert (read["Action"], read["Resource"]) == (
        "s3:GetObject",
        [objects("failure"), objects("output")],
    )  # sorted by the CDK
    assert key["Action"] == ["kms:Decrypt", "kms:GenerateDataKey"]
    assert key["Resource"] == props.foundation.data_key_arn
    assert key["Condition"] == {
        "StringEquals": {
            "kms:ViaService": {"Fn::Join": ["", ["s3.", {"Ref": "AWS::Region"}, ".amazonaws.com"]]}
        }
    }
    with pytest.raises(ValueError, match="it writes no stream"):
        endpoint.grant_invoke(_caller(Stack(stack, "Other")), streams=True)


@pytest.mark.parametrize("asynchronous", [None, ASYNCHRONOUS])
def test_one_policy_is_attached_here_and_to_a_role_that_others_assume(
    stack: Stack, props: RealtimeEndpointProps, asynchronous: AsynchronousInference | None
) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=replace(props, asynchronous=asynchronous))
    access = EndpointAccessProps(
        statements=endpoint.invoke_statements(), role_arns=[APP], role_arns_elsewhere=[PARTNER]
    )
    EndpointAccess(stack, "Access", props=access)

    template = Template.from_stack(stack)
    policies = template.find_resources("AWS::IAM::ManagedPolicy")
    [(policy_id, policy)] = [entry for entry in policies.items() if "Roles" in entry[1]["Properties"]]
    assert policy["Properties"]["Roles"] == ["app"]
    assert policy["Properties"]["PolicyDocument"]["Statement"][0]["Resource"] == _endpoint(stack)
    roles = template.find_resources("AWS::IAM::Role")
    [(role_id, role)] = [
        entry
        for entry in roles.items()
        if entry[1]["Properties"]["ManagedPolicyArns"] == [{"Ref": policy_id}]
    ]
    [trust] = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust == {"Effect": "Allow", "Principal": {"AWS": [PARTNER]}, "Action": "sts:AssumeRole"}
    assert template.find_outputs("InvokeRoleArn")["InvokeRoleArn"]["Value"] == {
        "Fn::GetAtt": [role_id, "Arn"]
    }
    assert open_findings(stack) == set()


def test_no_role_is_made_for_callers_of_the_account(stack: Stack, props: RealtimeEndpointProps) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props)
    EndpointAccess(
        stack,
        "Access",
        props=EndpointAccessProps(statements=endpoint.invoke_statements(), role_arns=[APP]),
    )

    template = Template.from_stack(stack)
    template.resource_count_is("AWS::IAM::Role", 1)  # that of the model
    assert template.find_outputs("*") == {}
