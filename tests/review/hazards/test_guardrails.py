from typing import Any

import pytest

from tests.review.builders import resource
from tests.review.hazards.apps import described, endpoint_app, hazards, rules, text


def app(*alarms: str, traffic: str = "CANARY", **given: Any) -> dict[str, Any]:
    deployment = {
        "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": name} for name in alarms]},
        "BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": {"Type": traffic}},
    }
    return endpoint_app(scaling=None, endpoint={"DeploymentConfig": deployment}, **given)


def test_no_alarm_takes_an_update_back_any_more() -> None:
    assert described(hazards(app("errors"), app(), environment="prod")) == text("""
        danger rollback-off, prod/app-stack/Endpoint: endpoint assistant
        rollback alarms errors → none
        No alarm rolls back a bad update any more. It stays until somebody notices.
        Keep DeploymentConfig with AutoRollbackConfiguration and a canary, linear or rolling policy, or say in the
            pull request why this endpoint does not need it.
        """)


def test_one_alarm_of_two_is_taken_away() -> None:
    (found,) = hazards(app("errors", "latency"), app("errors"))
    assert (found.severity, found.consequence) == (
        "warning",
        "An update that raises latency is no longer rolled back.",
    )


def watching(logical_id: str, *metrics: str) -> dict[str, Any]:
    alarms: dict[str, Any] = {
        f"{logical_id}{metric}": resource("AWS::CloudWatch::Alarm", {"MetricName": metric})
        for metric in metrics
    }
    deployment = {
        "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": {"Ref": name}} for name in alarms]},
        "BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": {"Type": "CANARY"}},
    }
    return endpoint_app(scaling=None, endpoint={"DeploymentConfig": deployment}, **alarms)


def test_alarms_of_another_name_that_watch_the_same_take_an_update_back() -> None:
    base = watching("Alarms", "Invocation5XXErrors", "ModelLatency")
    head = watching("RollbackAlarms", "Invocation5XXErrors", "ModelLatency")
    assert "rollback-off" not in rules(hazards(base, head))
    (found,) = (
        hazard for hazard in hazards(base, watching("New", "ModelLatency")) if hazard.rule == "rollback-off"
    )
    assert found.consequence == "An update that raises Invocation5XXErrors is no longer rolled back."


def test_guardrails_that_go_are_one_hazard() -> None:
    (found,) = hazards(app("errors"), endpoint_app(scaling=None))
    assert found.cause == "rollback alarms errors → none; traffic CANARY → ALL_AT_ONCE"


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (app("errors"), app("errors", "latency")),
        (app("errors", traffic="ALL_AT_ONCE"), app("errors")),
        (app("errors", traffic="LINEAR"), app("errors", traffic="CANARY")),
        (
            app("errors"),
            endpoint_app(scaling=None, endpoint={"DeploymentConfig": {"Fn::If": ["Safe", {}, {}]}}),
        ),
    ],
)
def test_safer_or_unknown_is_silent(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert hazards(base, head) == ()


def test_inf1_has_no_guardrails() -> None:
    assert described(hazards(app(), app(instance_type="ml.inf1.xlarge"), theme="guardrails")) == text("""
        warning guardrails-unsupported, dev/app-stack/Endpoint: endpoint assistant
        DeploymentConfig with Inf1 instances in primary
        SageMaker does not support deployment guardrails on Inf1. It shifts all traffic at once and without a baking
            period, whatever DeploymentConfig says.
        Choose another family of instances, or accept that all traffic moves at once.
        """)


def test_rolling_updates_want_one_variant() -> None:
    rolling: dict[str, Any] = {"DeploymentConfig": {"RollingUpdatePolicy": {}}}
    base = endpoint_app(scaling=None)
    head = endpoint_app(scaling=None, endpoint=rolling)
    assert hazards(base, head) == ()
    for app_ in (base, head):
        variants = app_["Resources"]["Config"]["Properties"]["ProductionVariants"]
        variants.append({**variants[0], "VariantName": "second"})
    (found,) = hazards(base, head)
    assert (found.rule, found.severity, found.cause) == (
        "guardrails-unsupported",
        "danger",
        "RollingUpdatePolicy with 2 variants",
    )
    assert rules(hazards(head, base)) == ["rollback-off"]
