from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.foundation.topics import Topics, TopicsProps

pytestmark = pytest.mark.cdk


def test_a_new_address_leaves_the_other_subscriptions_alone(
    stack: Stack, resources: Callable[[str], dict[str, Any]]
) -> None:
    # A subscription under another logical id would be deleted, and its successor unconfirmed.
    confirmed = ("on-call@example.com", "ml@example.com")
    for topic, addresses in (("before", confirmed), ("after", ("first@example.com", *confirmed))):
        props = TopicsProps(alarm_topic_name=topic, operations_key_arn="key", email_addresses=addresses)
        Topics(stack, topic, props=props)

    endpoints: dict[str, set[tuple[str, str]]] = {"before": set(), "after": set()}
    for logical_id, subscription in resources("AWS::SNS::Subscription").items():
        topic = next(name for name in endpoints if logical_id.startswith(name))
        endpoints[topic].add((logical_id.removeprefix(topic)[:-8], subscription["Endpoint"]))

    assert len(endpoints["before"]) == 2
    assert endpoints["before"] < endpoints["after"]


def test_rules_of_eventbridge_may_publish_to_it_and_nothing_else(
    stack: Stack, only: Callable[[str], dict[str, Any]]
) -> None:
    Topics(stack, "Topics", props=TopicsProps(alarm_topic_name="alarms", operations_key_arn="key"))

    policy = only("AWS::SNS::TopicPolicy")
    [topic] = policy["Topics"]
    by_service = {
        statement["Principal"]["Service"]: statement
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow" and "Service" in statement["Principal"]
    }
    assert by_service.keys() == {"cloudwatch.amazonaws.com", "events.amazonaws.com"}
    rules = by_service["events.amazonaws.com"]
    assert (rules["Action"], rules["Resource"]) == ("sns:Publish", topic)
    # EventBridge takes a condition in the policy of a topic for a refusal, and says nothing of it.
    assert "Condition" not in rules
