from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, text

TOPIC = resource("AWS::SNS::Topic")
PATTERN = {"source": ["aws.sagemaker"], "detail": {"EndpointStatus": ["FAILED"]}}


def app(**properties: Any) -> dict[str, Any]:
    given = {"EventPattern": PATTERN, "Targets": [{"Id": "Topic", "Arn": {"Ref": "Topic"}}], **properties}
    return template(Failures=resource("AWS::Events::Rule", given), Topic=TOPIC)


def with_pattern(*statuses: str, **more: Any) -> dict[str, Any]:
    return app(
        EventPattern={"source": ["aws.sagemaker"], "detail": {"EndpointStatus": list(statuses), **more}}
    )


def test_the_same_rule_under_another_logical_id_is_not_gone() -> None:
    base, head = with_pattern("FAILED"), with_pattern("FAILED")
    head["Resources"] = {f"Other{name}": body for name, body in head["Resources"].items()}
    assert hazards(base, head, theme="notifications") == ()


def test_states_of_a_pattern_in_another_order_are_the_same() -> None:
    assert hazards(with_pattern("FAILED", "ABORTED"), with_pattern("ABORTED", "FAILED")) == ()


def test_a_rule_that_is_gone() -> None:
    assert described(hazards(app(), template(Topic=TOPIC), environment="prod")) == text("""
        danger event-rule-silenced, prod/app-stack/Failures: rule Failures
        the rule → none
        These events no longer notify anybody or start anything, and no error shows it.
        Keep the rule, or make sure that another rule delivers these events.
        """)


@pytest.mark.parametrize(
    ("head", "cause", "severity"),
    [
        (app(State="DISABLED"), "State ENABLED → DISABLED", "danger"),
        (app(Targets=[]), "Targets → none", "danger"),
        (
            app(Targets=[{"Id": "Topic", "Arn": "arn:aws:sns:us-east-1:1:other"}]),
            "Targets ${Topic} → arn:aws:sns:us-east-1:1:other",
            "warning",
        ),
        (
            with_pattern("InService"),
            "EventPattern.detail.EndpointStatus.0 FAILED → InService",
            "warning",
        ),
        (
            with_pattern("FAILED", EndpointName=["chat"]),
            'EventPattern.detail.EndpointName none → ["chat"]',
            "warning",
        ),
    ],
    ids=["disabled", "nobody told", "others told", "another event", "fewer events"],
)
def test_a_rule_that_hands_on_less(head: dict[str, Any], cause: str, severity: str) -> None:
    (found,) = hazards(app(), head, environment="prod")
    assert (found.rule, found.cause, found.severity) == ("event-rule-silenced", cause, severity)
    beginning = (
        "These events no longer notify anybody" if severity == "danger" else "The rule delivers other events"
    )
    assert found.consequence.startswith(beginning)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (app(), with_pattern("FAILED", "Deleting")),
        (app(), app(EventPattern={"source": ["aws.sagemaker"]})),
        (app(), app(Description="other words")),
        (
            with_pattern("FAILED", EndpointName=[{"prefix": "acme-prod-"}]),
            with_pattern("FAILED", EndpointName=[{"prefix": "acme-"}]),
        ),
        (app(State="DISABLED"), template(Topic=TOPIC)),
        (template(Topic=TOPIC), app()),
    ],
    ids=["more events", "all events", "a description", "a shorter prefix", "was disabled", "new"],
)
def test_a_rule_that_hands_on_as_much(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert hazards(base, head, theme="notifications") == ()


def policy(type_: str, key: str, *services: str) -> dict[str, Any]:
    statements = [
        {"Effect": "Allow", "Principal": {"Service": service}, "Action": "*", "Resource": "*"}
        for service in services
    ]
    return template(Policy=resource(type_, {key: {"Statement": statements}}), Topic=TOPIC)


@pytest.mark.parametrize(
    ("type_", "key"), [("AWS::SNS::TopicPolicy", "PolicyDocument"), ("AWS::KMS::Key", "KeyPolicy")]
)
def test_a_policy_that_refuses_who_published(type_: str, key: str) -> None:
    both = policy(type_, key, "cloudwatch.amazonaws.com", "events.amazonaws.com", "s3.amazonaws.com")
    fewer = policy(type_, key, "cloudwatch.amazonaws.com")
    assert described(hazards(both, fewer, environment="prod", theme="notifications")) == text("""
        danger publisher-refused, prod/app-stack/Policy: policy of Policy
        allows events.amazonaws.com → no longer
        These no longer reach anybody, and no error shows it: rules of EventBridge.
        Keep the statement as long as anything in the account uses the topic or the key.
        """)
    assert hazards(fewer, both, theme="notifications") == ()
