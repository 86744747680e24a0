"""Scalable targets, policies and scheduled actions of a stack, as Application Auto Scaling describes them."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.account.after.scaling import SCALING
from tests.account.after.deployed import DEPLOYED_PLAN, STACK, found, stack_of
from tests.account.builders import Call, Refusal, ScriptedAccount, findings

RESOURCE = "endpoint/demo-dev-plants/variant/primary"
DIMENSION = "sagemaker:variant:DesiredInstanceCount"
ARN = f"arn:aws:autoscaling:us-east-1:111122223333:scalingPolicy:1:resource/sagemaker/{RESOURCE}:policyName/Rate"
KEY = {"ServiceNamespace": "sagemaker", "ResourceId": RESOURCE, "ScalableDimension": DIMENSION}
EVENING = {
    "ScheduledActionName": "evenings",
    "Schedule": "cron(0 18 * * ? *)",
    "ScalableTargetAction": {"MinCapacity": 0, "MaxCapacity": 0},
}
TARGET = {"MinCapacity": 2, "MaxCapacity": 4}
TRACKING = "TargetTrackingScalingPolicyConfiguration"


def resources(target: Mapping[str, Any] = TARGET) -> Mapping[str, tuple[str, str, Mapping[str, Any]]]:
    return {
        "Target": (
            "AWS::ApplicationAutoScaling::ScalableTarget",
            f"{RESOURCE}|{DIMENSION}|sagemaker",
            target,
        ),
        "Policy": (
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            ARN,
            {"PolicyName": "Rate", TRACKING: {"TargetValue": 70}},
        ),
    }


def registered(**changes: Any) -> tuple[str, dict[str, Any]]:
    target = {**KEY, **TARGET, "RoleARN": "arn:aws:iam::111122223333:role/r", "CreationTime": 0, **changes}
    return "describe_scalable_targets", {"ScalableTargets": [target]}


def policies(target_value: float = 70, arn: str = ARN, alarms: int = 2) -> tuple[str, dict[str, Any]]:
    alarm = {"AlarmName": "a", "AlarmARN": "arn"}
    policy = {
        **KEY,
        "PolicyARN": arn,
        "PolicyName": "Rate",
        "PolicyType": "TargetTrackingScaling",
        TRACKING: {"TargetValue": target_value},
        "Alarms": [alarm] * alarms,
        "CreationTime": 0,
    }
    return "describe_scaling_policies", {"ScalingPolicies": [policy]}


def actions(*given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    described = [{"ScheduledActionARN": "arn", **KEY, **action, "CreationTime": 0} for action in given]
    return "describe_scheduled_actions", {"ScheduledActions": described}


def scaling(*answers: Any, target: Mapping[str, Any] = TARGET) -> list[tuple[str, str, str]]:
    return found(SCALING, resources(target), {"application-autoscaling": answers})


def test_a_target_and_a_policy_as_planned_pass() -> None:
    assert scaling(registered(), policies()) == [(RESOURCE, "pass", "scales from 2 to 4")]


def test_a_target_that_is_not_registered_does_not_scale() -> None:
    ((subject, outcome, says),) = scaling(("describe_scalable_targets", {"ScalableTargets": []}), policies())

    assert (subject, outcome) == (RESOURCE, "fail")
    assert says == "no scalable target is registered: it does not scale"


@pytest.mark.parametrize(
    ("flag", "says"),
    [
        ("DynamicScalingInSuspended", "suspended: scaling in"),
        ("DynamicScalingOutSuspended", "suspended: scaling out"),
        ("ScheduledScalingSuspended", "suspended: scheduled scaling"),
    ],
)
def test_what_is_suspended_does_not_scale(flag: str, says: str) -> None:
    assert scaling(registered(SuspendedState={flag: True}), policies()) == [(RESOURCE, "fail", says)]


def test_bounds_that_somebody_has_changed_are_told() -> None:
    assert scaling(registered(MaxCapacity=1, MinCapacity=1), policies()) == [
        (RESOURCE, "fail", "scales from 1 to 1, planned 2 to 4")
    ]


def test_the_bounds_of_a_scheduled_action_are_planned_as_well() -> None:
    target = {**TARGET, "ScheduledActions": [EVENING]}

    assert scaling(registered(MinCapacity=0, MaxCapacity=0), actions(EVENING), policies(), target=target) == [
        (RESOURCE, "pass", "scales from 0 to 0")
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "the scheduled action evenings is not there"),
        (
            ({**EVENING, "Schedule": "cron(0 20 * * ? *)"},),
            "the scheduled action evenings is at cron(0 20 * * ? *), planned cron(0 18 * * ? *)",
        ),
    ],
)
def test_a_scheduled_action_is_there_at_its_time(given: tuple[Mapping[str, Any], ...], says: str) -> None:
    target = {**TARGET, "ScheduledActions": [EVENING]}

    assert (RESOURCE, "fail", says) in scaling(registered(), actions(*given), policies(), target=target)


def test_a_policy_has_its_target_value_and_its_alarms() -> None:
    subject = f"{STACK}: Rate"

    assert (subject, "fail", "follows 50, planned 70") in scaling(registered(), policies(50))
    assert (subject, "fail", "there is no such scaling policy") in scaling(
        registered(), policies(arn=f"{ARN}2")
    )
    assert (subject, "warn", "CloudWatch has no alarm for it, so it never scales") in scaling(
        registered(), policies(alarms=0)
    )


def test_what_is_not_there_is_made_anew_by_the_switch_of_its_stack() -> None:
    parameters = [{"ParameterKey": "Autoscaling", "ParameterValue": "on"}]
    given: list[Call] = [
        ("describe_stacks", Refusal("ValidationError", "does not exist")),
        *stack_of(resources(), without=("Policy",), Parameters=parameters),
    ]
    targets: Call = ("describe_scalable_targets", {"ScalableTargets": []})
    aws = ScriptedAccount({"cloudformation": given, "application-autoscaling": [targets]})

    (finding,) = findings(SCALING, DEPLOYED_PLAN, aws)
    switch = f"cdk deploy -c env=ENV {STACK} --exclusively --parameters {STACK}:Autoscaling="
    assert finding.to_do == f"make it anew: {switch}off, then {switch}on"


def test_autoscaling_that_a_deployment_left_off_is_told() -> None:
    parameters = [{"ParameterKey": "Autoscaling", "ParameterValue": "off"}]
    foundation = ("describe_stacks", Refusal("ValidationError", "does not exist"))
    given: list[Call] = [
        foundation,
        *stack_of(resources(), without=("Target", "Policy"), Parameters=parameters),
    ]

    (finding,) = findings(SCALING, DEPLOYED_PLAN, ScriptedAccount({"cloudformation": given}))
    assert (finding.subject, finding.outcome.value) == (STACK, "fail")
    assert finding.says.startswith("Autoscaling=off")
