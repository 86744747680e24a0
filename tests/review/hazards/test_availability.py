from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, endpoint_app, hazards, hazards_of, plan, planned, rules, text


def test_scaling_to_zero_in_production() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(bounds=(0, 4)), environment="prod")) == text("""
        danger scale-to-zero, prod/app-stack/Endpoint: variant primary of endpoint assistant
        least number of instances 2 → 0
        After a quiet time no instance runs, and requests fail until an instance has started, which takes minutes.
        Keep at least one instance, and two in production. Otherwise make sure that a step scaling policy on
            NoCapacityInvocationFailures starts an instance, and that clients retry.
        """)


def test_one_instance_by_night_is_one_instance() -> None:
    def scheduled(least: int) -> dict[str, Any]:
        app = endpoint_app(scaling="native")
        action = {"MinCapacity": least, "MaxCapacity": 4}
        app["Resources"]["Target"]["Properties"]["ScheduledActions"] = [
            {
                "ScheduledActionName": "nights",
                "Schedule": "cron(0 20 * * ? *)",
                "ScalableTargetAction": action,
            }
        ]
        return app

    (found,) = hazards(scheduled(2), scheduled(1), environment="prod")
    assert (found.rule, found.cause) == ("single-zone", "least number of instances 2 → 1")
    assert hazards(scheduled(2), endpoint_app(scaling="native"), environment="prod") == ()
    assert hazards(scheduled(2), scheduled(3), environment="prod") == ()


def test_elsewhere_it_is_a_notice() -> None:
    assert [hazard.severity for hazard in hazards(endpoint_app(), endpoint_app(bounds=(0, 4)))] == ["notice"]


@pytest.mark.parametrize("scaling", ["switched", "native", None])
def test_zero_is_found_wherever_it_is_said(scaling: str | None) -> None:
    managed = {"ManagedInstanceScaling": {"Status": "ENABLED", "MinInstanceCount": 0, "MaxInstanceCount": 2}}
    base, head = endpoint_app(scaling=scaling), endpoint_app(scaling=scaling, variant_properties=managed)
    assert rules(hazards(base, head, environment="prod", theme="availability")) == ["scale-to-zero"]


def test_an_asynchronous_endpoint_queues() -> None:
    config: dict[str, Any] = {"AsyncInferenceConfig": {}}
    base, head = endpoint_app(config=config), endpoint_app(config=config, bounds=(0, 4))
    (found,) = hazards(base, head, environment="prod")
    assert (found.severity, "requests wait in the queue" in found.consequence) == ("warning", True)


def test_the_last_copy_of_an_inference_component() -> None:
    def app(least: int) -> dict[str, Any]:
        properties = {
            "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
            "ResourceId": "inference-component/llm",
            "MinCapacity": least,
        }
        return template(Copies=resource("AWS::ApplicationAutoScaling::ScalableTarget", properties))

    (found,) = hazards(app(1), app(0), environment="prod")
    assert (found.rule, found.severity, found.subject, found.cause) == (
        "scale-to-zero",
        "danger",
        "inference-component/llm",
        "least number of copies 1 → 0",
    )
    assert hazards(app(0), app(1), environment="prod") == ()


def test_what_is_new_in_production_is_judged_by_itself() -> None:
    assert rules(hazards(None, endpoint_app(bounds=(0, 4)), environment="prod")) == ["scale-to-zero"]
    assert hazards(None, endpoint_app(bounds=(0, 4)), environment="dev") == ()
    (found,) = hazards(None, endpoint_app(bounds=(1, 4)), environment="prod")
    assert (found.rule, found.severity) == ("single-zone", "warning")


def test_a_single_instance_in_production() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(bounds=(1, 4)), environment="prod")) == text("""
        danger single-zone, prod/app-stack/Endpoint: variant primary of endpoint assistant
        least number of instances 2 → 1
        One instance runs in one Availability Zone. If the zone or the instance fails, the endpoint answers no
            request until SageMaker has started another instance. SageMaker spreads two or more instances over
            zones.
        Keep at least two instances in production.
        """)


@pytest.mark.parametrize(
    ("base", "head", "environment"),
    [
        (endpoint_app(), endpoint_app(bounds=(1, 4)), "dev"),
        (endpoint_app(bounds=(1, 4)), endpoint_app(), "prod"),
        (endpoint_app(bounds=(1, 4)), endpoint_app(bounds=(1, 5)), "prod"),
        (endpoint_app(bounds=(0, 4)), endpoint_app(bounds=(0, 5)), "prod"),
        (endpoint_app(bounds=(3, 4)), endpoint_app(bounds=(2, 4)), "prod"),
    ],
)
def test_no_hazard_of_availability(base: dict[str, Any], head: dict[str, Any], environment: str) -> None:
    assert hazards(base, head, environment=environment) == ()


def test_a_network_of_one_zone() -> None:
    assert described(hazards_of(planned(plan(zones=3), plan(zones=1)))) == text("""
        danger single-zone, prod/foundation/-: network of prod
        availability zones 3 → 1
        All instances are in one Availability Zone. If the zone fails, or has no capacity for the instance type, no
            instance serves and none can start.
        Use subnets in at least two Availability Zones.
        """)


def test_networks_that_keep_or_win_zones_or_never_had_two() -> None:
    assert hazards_of(planned(plan(zones=3), plan(zones=2))) == ()
    assert hazards_of(planned(plan(zones=1), plan(zones=1))) == ()
    assert hazards_of(planned(plan("dev", zones=2), plan("dev", zones=1)))[0].severity == "warning"
    assert hazards_of(planned(None, plan("dev", zones=1))) == ()
    assert hazards_of(planned(None, plan(zones=1)))[0].severity == "danger"


def test_a_model_in_one_subnet() -> None:
    def app(*subnets: str) -> dict[str, Any]:
        vpc = {"VpcConfig": {"Subnets": list(subnets), "SecurityGroupIds": ["sg"]}}
        return endpoint_app(scaling=None, model=vpc)

    found = hazards(app("a", "b"), app("a"))
    assert [(hazard.rule, hazard.cause) for hazard in found] == [
        ("fleet-doubled", "a blue/green update brings a new endpoint configuration"),
        ("model-network-changed", 'Subnets ["a", "b"] → ["a"]'),
        ("single-zone", "subnets 2 → 1"),
    ]
    assert hazards(app("a", "b"), app("a", "c"), theme="availability") == ()
