"""Who hears of an endpoint that failed, and what becomes of a message that nobody took."""

import json
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack
from aws_cdk.assertions import Template

from constructs_lib.notifications.endpoint_failures import EndpointFailures, EndpointFailuresProps
from tests.constructs_lib.resources import Json

pytestmark = pytest.mark.cdk

TOPIC = "arn:aws:sns:us-east-1:111122223333:alarms"
KEY = "arn:aws:kms:us-east-1:111122223333:key/operations"


def template(stack: Stack, **props: Any) -> Json:
    EndpointFailures(
        stack,
        "EndpointFailures",
        props=EndpointFailuresProps(
            **{
                "endpoint_name_wildcard": "acme-dev-*",
                "alarm_topic_arn": TOPIC,
                "operations_key_arn": KEY,
                "removal_policy": RemovalPolicy.DESTROY,
                **props,
            }
        ),
    )
    found: Json = Template.from_stack(stack).to_json()["Resources"]
    return found


def only(resources: Json, resource_type: str) -> Json:
    (found,) = (one["Properties"] for one in resources.values() if one["Type"] == resource_type)
    return found  # type: ignore[no-any-return]


def filled(target: Json, event: Json) -> Json:
    """Return what the target gets of an event: EventBridge puts values into the texts of the template."""
    transformer = target["InputTransformer"]
    text = transformer["InputTemplate"]
    for name, path in transformer["InputPathsMap"].items():
        value: Any = {"detail": event}
        for part in path.split(".")[1:]:
            value = value[part]
        text = text.replace(f"<{name}>", value)
    assert "<" not in text
    return json.loads(text)  # type: ignore[no-any-return]


EVENT = {"EndpointName": "acme-dev-chat", "EndpointStatus": "FAILED"}


@pytest.mark.parametrize(
    ("wildcard", "comparison"),
    [
        ("acme-dev-*", {"prefix": "acme-dev-"}),
        ("acme-*-dev", {"wildcard": "acme-*-dev"}),
        ("*-dev", {"wildcard": "*-dev"}),
        ("acme-*-*", {"wildcard": "acme-*-*"}),
        ("acme-**", {"prefix": "acme-"}),
    ],
)
def test_a_rule_matches_the_names_of_endpoints(
    stack: Stack, wildcard: str, comparison: dict[str, str]
) -> None:
    rule = only(template(stack, endpoint_name_wildcard=wildcard), "AWS::Events::Rule")
    assert rule["EventPattern"]["detail"]["EndpointName"] == [comparison]


def test_people_read_what_happened_and_what_to_do(stack: Stack) -> None:
    (target,) = only(template(stack), "AWS::Events::Rule")["Targets"]
    assert target["Arn"] == TOPIC
    told = filled(target, EVENT)
    assert told["content"]["title"] == "Endpoint acme-dev-chat is FAILED"
    assert told["content"]["nextSteps"] == [
        "Read the failure reason: aws sagemaker describe-endpoint --endpoint-name acme-dev-chat"
    ]
    assert told["metadata"]["additionalContext"] == {
        "endpointName": "acme-dev-chat",
        "endpointStatus": "FAILED",
    }


def test_a_message_that_nobody_took_waits_in_a_queue_that_an_alarm_watches(stack: Stack) -> None:
    resources = template(stack)
    (queue_id,) = (key for key, one in resources.items() if one["Type"] == "AWS::SQS::Queue")
    (target,) = only(resources, "AWS::Events::Rule")["Targets"]
    assert target["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": [queue_id, "Arn"]}}
    assert resources[queue_id]["Properties"]["KmsMasterKeyId"] == KEY
    policy = only(resources, "AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    (sends,) = (statement for statement in policy if statement["Effect"] == "Allow")
    assert (sends["Principal"], sends["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    assert sends["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    alarm = only(resources, "AWS::CloudWatch::Alarm")
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": [queue_id, "QueueName"]}}]
    assert (alarm["Threshold"], alarm["AlarmActions"]) == (1, [TOPIC])


def test_an_ops_item_is_opened_once_for_an_endpoint_where_people_ask(stack: Stack) -> None:
    resources = template(stack, ops_items=True)
    _, target = only(resources, "AWS::Events::Rule")["Targets"]
    assert target["Arn"] == "arn:aws:ssm:us-east-1:111122223333:opsitem"
    opened = filled(target, EVENT)
    assert (opened["title"], opened["severity"], opened["category"], opened["source"]) == (
        "Endpoint acme-dev-chat is FAILED",
        "2",
        "Availability",
        "SageMaker",
    )
    deduplication = opened["operationalData"]["/aws/dedup"]
    assert (deduplication["type"], json.loads(deduplication["value"])) == (
        "SearchableString",
        {"dedupString": "acme-dev-chat"},
    )
    role = only(resources, "AWS::IAM::Role")
    (trusted,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trusted["Principal"] == {"Service": "events.amazonaws.com"}
    (statement,) = only(resources, "AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", ["ssm:CreateOpsItem"])
    (role_id,) = (key for key, one in resources.items() if one["Type"] == "AWS::IAM::Role")
    assert target["RoleArn"] == {"Fn::GetAtt": [role_id, "Arn"]}
