from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, endpoint_app, hazards, rules, text


def component(copies: Any, endpoint: Any = "elsewhere") -> dict[str, Any]:
    return resource(
        "AWS::SageMaker::InferenceComponent",
        {"InferenceComponentName": "chat", "EndpointName": endpoint, "RuntimeConfig": {"CopyCount": copies}},
    )


def app(copies: Any) -> dict[str, Any]:
    return template(Component=component(copies))


def test_fewer_copies() -> None:
    assert described(hazards(app(2), app(1), environment="prod")) == text("""
        warning copies-lowered, prod/app-stack/Component: inference component chat
        CopyCount 2 → 1
        Fewer copies answer the same requests. Latency rises, and requests are throttled at peak.
        Make sure that the remaining copies carry the peak traffic.
        """)


@pytest.mark.parametrize(
    ("environment", "head", "severity", "cause"),
    [
        ("prod", app(0), "danger", "CopyCount 2 → 0"),
        ("dev", app(0), "warning", "CopyCount 2 → 0"),
        ("prod", template(), "danger", "copies 2 → none"),
    ],
)
def test_no_copy(environment: str, head: dict[str, Any], severity: str, cause: str) -> None:
    (found,) = hazards(app(2), head, environment=environment)
    assert (found.rule, found.severity, found.cause) == ("copies-lowered", severity, cause)
    assert found.subject == "inference component chat"


@pytest.mark.parametrize("copies", [2, 3, {"Ref": "Copies"}])
def test_as_many_copies_or_unknown(copies: Any) -> None:
    assert hazards(app(2), app(copies)) == ()


@pytest.mark.parametrize("name", ["assistant", {"Fn::GetAtt": ["Endpoint", "EndpointName"]}])
def test_a_component_goes_with_its_endpoint(name: Any) -> None:
    topic = resource("AWS::SNS::Topic")
    base = endpoint_app(Component=component(2, name), Topic=topic)
    assert rules(hazards(base, template(Topic=topic))) == ["workload-removed"]


def scaled(image: str, *, is_scaled: bool = True) -> dict[str, Any]:
    chat = component(2)
    chat["Properties"]["Specification"] = {"Container": {"Image": image}}
    target = resource(
        "AWS::ApplicationAutoScaling::ScalableTarget", {"ResourceId": "inference-component/chat"}
    )
    return template(Component=chat, **({"Target": target} if is_scaled else {}))


def test_an_update_takes_away_copies_that_autoscaling_has_added() -> None:
    assert described(hazards(scaled("a"), scaled("b"), environment="prod")) == text("""
        warning copies-reset, prod/app-stack/Component: inference component chat
        autoscaled, and updated with CopyCount 2
        UpdateInferenceComponent sets CopyCount as well. It removes the copies above 2 that autoscaling had added,
            and autoscaling adds them again as it sees the load.
        Deploy at a quiet hour, or set min_copies to the copies that run now (CurrentCopyCount of
            DescribeInferenceComponent) for this deployment.
        """)
    assert hazards(scaled("a"), scaled("a")) == ()
    assert hazards(scaled("a", is_scaled=False), scaled("b", is_scaled=False)) == ()
