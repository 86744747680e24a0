from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import endpoint_app, hazards, rules


def component(copies: Any, endpoint: Any = "elsewhere") -> dict[str, Any]:
    return resource(
        "AWS::SageMaker::InferenceComponent",
        {"InferenceComponentName": "chat", "EndpointName": endpoint, "RuntimeConfig": {"CopyCount": copies}},
    )


def app(copies: Any) -> dict[str, Any]:
    return template(Component=component(copies))


@pytest.mark.parametrize(
    ("environment", "head", "severity", "cause"),
    [
        ("prod", app(0), "danger", "CopyCount 2 → 0"),
        ("dev", app(0), "warning", "CopyCount 2 → 0"),
        ("prod", app(1), "warning", "CopyCount 2 → 1"),
        ("prod", template(), "danger", "copies 2 → none"),
    ],
)
def test_fewer_copies(environment: str, head: dict[str, Any], severity: str, cause: str) -> None:
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
