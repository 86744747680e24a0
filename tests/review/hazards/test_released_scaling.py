"""Endpoints that a function of release 0.1 scaled, and that a scalable target scales in head."""

from typing import Any

import pytest

from tests.review.builders import resource
from tests.review.hazards.apps import NAME, described, endpoint_app, hazards, rules, text

THEME = "released_scaling"
TYPES = ("Custom::ScalingRelease", "Custom::EndpointScaling")


def released(resource_type: str = TYPES[1], name: Any = NAME, **attributes: Any) -> dict[str, Any]:
    properties = {"ServiceToken": "arn", "EndpointName": name, "Variants": [{"VariantName": "primary"}]}
    return endpoint_app(scaling=None, Scaling=resource(resource_type, properties, **attributes))


@pytest.mark.parametrize("resource_type", TYPES)
@pytest.mark.parametrize("name", [NAME, {"Fn::GetAtt": ["Endpoint", "EndpointName"]}])
def test_a_plain_deployment_would_end_without_scaling(resource_type: str, name: Any) -> None:
    assert described(hazards(released(resource_type, name), endpoint_app(), theme=THEME)) == text(f"""
        danger released-scaling-deleted, dev/app-stack/Endpoint: endpoint assistant
        {resource_type} Scaling → a scalable target
        cdk deploy creates the target first and deletes the custom resources last. Their function then deregisters the new
            target. Nothing scales the endpoint any more, and no template shows it.
        Run sizewell deploy, which takes both steps.
        """)


def test_what_is_retained_deletes_nothing() -> None:
    assert hazards(released(DeletionPolicy="Retain"), endpoint_app(), theme=THEME) == ()


def test_nothing_is_taken_over_without_a_target_for_the_same_endpoint() -> None:
    assert "released-scaling-deleted" not in rules(hazards(released(), endpoint_app(scaling=None)))
    assert hazards(released(name="other"), endpoint_app(), theme=THEME) == ()


def test_what_stays_is_not_deleted() -> None:
    kept = resource(TYPES[1], {"ServiceToken": "arn", "EndpointName": NAME})
    assert hazards(released(), endpoint_app(Scaling=kept), theme=THEME) == ()
