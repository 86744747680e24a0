from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Template

from constructs_lib.topics import Topics, TopicsProps

pytestmark = pytest.mark.cdk

KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e"


def _template(context: dict[str, Any], email_addresses: tuple[str, ...]) -> Template:
    app = App(context=context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))
    props = TopicsProps(
        alarm_topic_name="demo-dev-alarms", operations_key_arn=KEY_ARN, email_addresses=email_addresses
    )
    Topics(stack, "Topics", props=props)
    return Template.from_stack(stack)


@pytest.fixture(scope="module")
def template(cdk_context: dict[str, Any]) -> Template:
    return _template(cdk_context, ("on-call@example.com", "ml@example.com"))


@pytest.fixture(scope="module")
def statements(template: Template) -> dict[str, Any]:
    (policy,) = template.find_resources("AWS::SNS::TopicPolicy").values()
    return {statement["Sid"]: statement for statement in policy["Properties"]["PolicyDocument"]["Statement"]}


def test_the_alarm_topic_is_encrypted_with_the_operations_key(template: Template) -> None:
    template.has_resource_properties(
        "AWS::SNS::Topic", {"TopicName": "demo-dev-alarms", "KmsMasterKeyId": KEY_ARN}
    )


def test_the_policy_hangs_on_the_topic(template: Template) -> None:
    (topic_id,) = template.find_resources("AWS::SNS::Topic")
    template.has_resource_properties("AWS::SNS::TopicPolicy", {"Topics": [{"Ref": topic_id}]})


def test_only_alarms_of_this_account_may_publish(statements: dict[str, Any]) -> None:
    statement = statements["AlarmsOfThisAccount"]

    assert statement["Effect"] == "Allow"
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_roles_of_this_account_may_publish_when_iam_allows_them(statements: dict[str, Any]) -> None:
    statement = statements["IamPoliciesOfThisAccount"]

    assert (statement["Effect"], statement["Action"]) == ("Allow", "sns:Publish")
    assert statement["Principal"] == {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}


def test_nobody_may_publish_without_tls(statements: dict[str, Any]) -> None:
    statement = statements["TlsOnly"]

    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "sns:Publish")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_every_address_is_subscribed(template: Template) -> None:
    subscriptions = template.find_resources("AWS::SNS::Subscription").values()

    assert {(s["Properties"]["Protocol"], s["Properties"]["Endpoint"]) for s in subscriptions} == {
        ("email", "on-call@example.com"),
        ("email", "ml@example.com"),
    }


def test_a_new_address_leaves_the_other_subscriptions_alone(
    template: Template, cdk_context: dict[str, Any]
) -> None:
    longer = ("first@example.com", "on-call@example.com", "ml@example.com")

    before = template.find_resources("AWS::SNS::Subscription")
    after = _template(cdk_context, longer).find_resources("AWS::SNS::Subscription")

    assert before.items() <= after.items()
