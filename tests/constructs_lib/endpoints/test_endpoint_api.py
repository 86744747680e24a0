"""The private API before an endpoint: who calls it and from where, what it passes on, and as whom."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Match, Template

from constructs_lib.endpoints.endpoint_api import EndpointApi, EndpointApiProps
from constructs_lib.foundation.references import FoundationReferences
from tests.constructs_lib.judges import open_findings

pytestmark = pytest.mark.cdk

TILL, PARTNER = "arn:aws:iam::111122223333:role/company/till", "arn:aws:iam::444455556666:role/partner"


@pytest.fixture
def props(stack: Stack, foundation: FoundationReferences) -> EndpointApiProps:
    endpoint = sagemaker.CfnEndpoint(
        stack, "Endpoint", endpoint_name="fraud-dev", endpoint_config_name="fraud-config"
    )
    return EndpointApiProps(
        endpoint=endpoint,
        endpoint_name="fraud-dev",
        role_arns=[TILL, PARTNER],
        requests_per_second=58,
        burst_requests=1658,
        foundation=foundation,
    )


def built(stack: Stack, props: EndpointApiProps) -> Template:
    EndpointApi(stack, "Api", props=props)
    return Template.from_stack(stack)


def only_resource(template: Template, resource_type: str) -> tuple[str, dict[str, Any]]:
    [(logical_id, resource)] = template.find_resources(resource_type).items()
    return logical_id, resource["Properties"]


def test_only_the_roles_that_are_named_call_it_and_only_from_the_vpc(
    stack: Stack, props: EndpointApiProps
) -> None:
    template = built(stack, props)
    call = {"Action": "execute-api:Invoke", "Resource": "execute-api:/*"}
    refused = {"Effect": "Deny", "Principal": "*", **call}
    template.has_resource_properties(
        "AWS::ApiGateway::RestApi",
        {
            "Name": "fraud-dev",
            "EndpointConfiguration": {"Types": ["PRIVATE"]},
            "Policy": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Principal": {"AWS": [TILL, PARTNER]}, **call},
                    {**refused, "Condition": {"ArnNotEquals": {"aws:PrincipalArn": [TILL, PARTNER]}}},
                    {
                        **refused,
                        "Condition": {"StringNotEquals": {"aws:SourceVpc": props.foundation.vpc_id}},
                    },
                ],
            },
        },
    )
    api, _ = only_resource(template, "AWS::ApiGateway::RestApi")
    assert template.find_outputs("InvokeUrl")["InvokeUrl"]["Value"]["Fn::Sub"] == [
        "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/invocations",
        {"Api": {"Ref": api}},
    ]


def test_it_invokes_this_endpoint_and_nothing_else(stack: Stack, props: EndpointApiProps) -> None:
    template = built(stack, props)
    endpoint, _ = only_resource(template, "AWS::SageMaker::Endpoint")
    role, trusted = only_resource(template, "AWS::IAM::Role")
    policy, allowed = only_resource(template, "AWS::IAM::ManagedPolicy")
    assert trusted["ManagedPolicyArns"] == [{"Ref": policy}]
    assert trusted["AssumeRolePolicyDocument"]["Statement"] == [
        {"Effect": "Allow", "Principal": {"Service": "apigateway.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ]
    assert allowed["PolicyDocument"]["Statement"] == [
        {"Effect": "Allow", "Action": ["sagemaker:InvokeEndpoint"], "Resource": {"Ref": endpoint}}
    ]
    uri = ":runtime.sagemaker:path/endpoints/fraud-dev/invocations"
    template.has_resource_properties(
        "AWS::ApiGateway::Method",
        {
            "AuthorizationType": "AWS_IAM",
            "HttpMethod": "POST",
            "RequestValidatorId": {"Ref": Match.string_like_regexp("RequestValidator")},
            "Integration": {
                "Type": "AWS",
                "IntegrationHttpMethod": "POST",
                "Credentials": {"Fn::GetAtt": [role, "Arn"]},
                "TimeoutInMillis": 29_000,
                "Uri": {
                    "Fn::Join": [
                        "",
                        ["arn:", {"Ref": "AWS::Partition"}, ":apigateway:", {"Ref": "AWS::Region"}, uri],
                    ]
                },
            },
        },
    )
    assert open_findings(stack) == set()


def test_what_is_no_success_is_never_passed_on_as_one(stack: Stack, props: EndpointApiProps) -> None:
    _, method = only_resource(built(stack, props), "AWS::ApiGateway::Method")
    responses = method["Integration"]["IntegrationResponses"]
    assert {response.get("SelectionPattern"): response["StatusCode"] for response in responses} == {
        r"2\d{2}": "200",
        "400": "400",
        "424": "424",
        "429": "429",
        "503": "503",
        None: "502",
    }
    assert {method_response["StatusCode"] for method_response in method["MethodResponses"]} == {
        response["StatusCode"] for response in responses
    }


@pytest.mark.parametrize("names_model", [False, True])
def test_headers_of_the_runtime_pass_and_none_chooses_a_variant(
    stack: Stack, props: EndpointApiProps, names_model: bool
) -> None:
    _, method = only_resource(
        built(stack, replace(props, names_model=names_model)), "AWS::ApiGateway::Method"
    )
    header = "X-Amzn-SageMaker-"
    expected = {
        "Content-Type": True,
        "Accept": False,
        f"{header}Custom-Attributes": False,
        f"{header}Inference-Id": False,
        **({f"{header}Target-Model": True} if names_model else {}),
    }
    assert method["RequestParameters"] == {
        f"method.request.header.{name}": required for name, required in expected.items()
    }
    assert method["Integration"]["RequestParameters"] == {
        f"integration.request.header.{name}": f"method.request.header.{name}" for name in expected
    }


def test_calls_are_limited_and_recorded_without_what_they_say(stack: Stack, props: EndpointApiProps) -> None:
    template = built(stack, props)
    _, stage = only_resource(template, "AWS::ApiGateway::Stage")
    assert stage["MethodSettings"] == [
        {
            "HttpMethod": "*",
            "ResourcePath": "/*",
            "CachingEnabled": False,
            "DataTraceEnabled": False,
            "LoggingLevel": "ERROR",
            "ThrottlingRateLimit": 58,
            "ThrottlingBurstLimit": 1658,
        }
    ]
    logged = json.loads(stage["AccessLogSetting"]["Format"])
    assert logged["caller"] == "$context.identity.userArn"
    assert not any("body" in value or "header" in value for value in logged.values())
    groups = template.find_resources("AWS::Logs::LogGroup").values()
    assert [group["Properties"]["KmsKeyId"] for group in groups] == [props.foundation.operations_key_arn] * 2
    assert {group["Properties"]["RetentionInDays"] for group in groups} == {90}


@pytest.mark.parametrize(
    ("change", "deployed_anew"),
    [
        ({"role_arns": [TILL, PARTNER]}, True),
        ({"names_model": True}, True),
        ({"redeployed_with": "10.1.0.0/16"}, True),
        ({"requests_per_second": 59, "log_retention_days": 30}, False),
    ],
)
def test_what_takes_effect_with_a_deployment_makes_another_one(
    cdk_context: dict[str, Any], foundation: FoundationReferences, change: dict[str, Any], deployed_anew: bool
) -> None:
    ids = set()
    for changed in ({}, change):
        stack = Stack(App(context=cdk_context, analytics_reporting=False), "Stack")
        values = {"role_arns": [TILL], "requests_per_second": 58, "burst_requests": 1658, **changed}
        endpoint = sagemaker.CfnEndpoint(stack, "Endpoint", endpoint_config_name="fraud-config")
        props = EndpointApiProps(
            endpoint=endpoint, endpoint_name="fraud-dev", foundation=foundation, **values
        )
        template = built(stack, props)
        deployment, _ = only_resource(template, "AWS::ApiGateway::Deployment")
        assert only_resource(template, "AWS::ApiGateway::Stage")[1]["DeploymentId"] == {"Ref": deployment}
        ids.add(deployment)
    assert (len(ids) == 2) == deployed_anew
