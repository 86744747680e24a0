import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Template

from constructs_lib.scaling.endpoint_scaling import (
    EndpointScaling,
    EndpointScalingProps,
    ScheduledAction,
    VariantScaling,
)
from constructs_lib.scaling.scaling_policies import track_invocations
from tests.constructs_lib.judges import lint_matches, open_findings
from tests.constructs_lib.resources import Only

pytestmark = pytest.mark.cdk


TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
RULE = "AWS::Events::Rule"
TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"


def variant(**overrides: Any) -> VariantScaling:
    values: dict[str, Any] = {
        "variant_name": "AllTraffic",
        "min_instance_count": 2,
        "max_instance_count": 6,
        "policies": [track_invocations(712.5)],
    }
    return VariantScaling(**(values | overrides))


def scaled(stack: Stack, *variants: VariantScaling, name: str = "fraud-dev") -> EndpointScalingProps:
    """An endpoint in the stack that is called ``name``, and what its scaling is made from."""
    endpoint = sagemaker.CfnEndpoint(stack, name, endpoint_name=name, endpoint_config_name="configuration")
    return EndpointScalingProps(
        endpoint=endpoint, endpoint_name=name, alarm_topic_arn=TOPIC, variants=variants or (variant(),)
    )


@pytest.fixture
def props(stack: Stack) -> EndpointScalingProps:
    return scaled(stack)


def bodies(stack: Stack, resource_type: str) -> Mapping[str, Mapping[str, Any]]:
    """Return whole resources, with what stands beside their properties."""
    return Template.from_stack(stack).find_resources(resource_type)


def test_the_target_names_the_variant_and_counts_its_instances(
    stack: Stack, only: Only, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    assert only(TARGET) == {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ResourceId": "endpoint/fraud-dev/variant/AllTraffic",
        "MinCapacity": 2,
        "MaxCapacity": 6,
    }


def test_bounds_by_the_clock_stand_in_the_target(stack: Stack, only: Only) -> None:
    nights = ScheduledAction(
        name="nights",
        schedule="cron(0 20 ? * MON-FRI *)",
        time_zone="Europe/Berlin",
        min_instance_count=1,
        max_instance_count=2,
    )
    EndpointScaling(stack, "Scaling", props=scaled(stack, variant(scheduled_actions=[nights])))

    target = only(TARGET)
    assert (target["MinCapacity"], target["MaxCapacity"]) == (2, 6)
    assert target["ScheduledActions"] == [
        {
            "ScheduledActionName": "nights",
            "Schedule": "cron(0 20 ? * MON-FRI *)",
            "Timezone": "Europe/Berlin",
            "ScalableTargetAction": {"MinCapacity": 1, "MaxCapacity": 2},
        }
    ]
    with pytest.raises(ValueError, match=r"a name of its own, got \['nights', 'nights'\]"):
        variant(scheduled_actions=[nights, nights])
    with pytest.raises(ValueError, match=r"need 1 <= .* got 0 and 2"):
        variant(scheduled_actions=[replace(nights, min_instance_count=0)])
    with pytest.raises(ValueError, match="got 3 and 2"):
        replace(nights, min_instance_count=3)
    for schedule, reason in (
        ("cron(0 20 * * *)", "cron has 5 fields"),
        ("rate(1 day)", r"it is no cron\(...\)"),
    ):
        with pytest.raises(ValueError, match=f"of nights: {reason}"):
            replace(nights, schedule=schedule)


def test_the_policy_tracks_what_one_instance_serves_in_a_minute(
    stack: Stack, only: Only, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    [target_id] = bodies(stack, TARGET)
    assert only(POLICY) == {
        "PolicyName": "InvocationsPerInstance",
        "PolicyType": "TargetTrackingScaling",
        "ScalingTargetId": {"Ref": target_id},
        "TargetTrackingScalingPolicyConfiguration": {
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
            },
            "TargetValue": 712.5,
            "ScaleOutCooldown": 60,
            "ScaleInCooldown": 300,
        },
    }


def test_a_variant_is_registered_when_the_endpoint_is_there(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    # The id of the resource is a text: without DependsOn, CloudFormation would register a variant that is not there.
    [target] = bodies(stack, TARGET).values()
    [endpoint_id] = bodies(stack, "AWS::SageMaker::Endpoint")
    assert target["DependsOn"] == [endpoint_id]


def test_the_parameter_is_on_unless_it_is_said_and_turns_scaling_or_the_reminder_on(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    template = Template.from_stack(stack).to_json()
    parameter = template["Parameters"]["Autoscaling"]
    assert (parameter["Type"], parameter["Default"], parameter["AllowedValues"]) == (
        "String",
        "on",
        ["on", "off"],
    )
    value = {"Ref": "Autoscaling"}
    assert template["Conditions"] == {"AutoscalingOn": {"Fn::Equals": [value, "on"]}}
    conditions = {
        resource["Type"]: resource["Condition"]
        for resource in template["Resources"].values()
        if "Condition" in resource
    }
    assert conditions == {TARGET: "AutoscalingOn", POLICY: "AutoscalingOn"}
    (reminder,) = bodies(stack, RULE).values()
    assert reminder["Properties"]["State"] == {"Fn::If": ["AutoscalingOn", "DISABLED", "ENABLED"]}


def test_while_it_is_off_the_alarm_topic_hears_of_it_every_hour(
    stack: Stack, only: Only, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    rule = only(RULE)
    assert rule["ScheduleExpression"] == "rate(1 hour)"
    assert "EventPattern" not in rule
    [target] = rule["Targets"]
    assert target["Arn"] == TOPIC
    content = json.loads(target["Input"])["content"]
    assert content["title"] == "Endpoint fraud-dev does not scale"
    assert content["nextSteps"] == ["Turn autoscaling on: sizewell deploy for the stack"]


def test_each_of_two_variants_has_its_own_target_and_policy(stack: Stack) -> None:
    large = variant(variant_name="Large", min_instance_count=1, max_instance_count=9)
    EndpointScaling(stack, "Scaling", props=scaled(stack, variant(), large))

    targets = bodies(stack, TARGET)
    assert {
        (target["Properties"]["ResourceId"], target["Properties"]["MaxCapacity"])
        for target in targets.values()
    } == {("endpoint/fraud-dev/variant/AllTraffic", 6), ("endpoint/fraud-dev/variant/Large", 9)}
    policies = bodies(stack, POLICY).values()
    assert {policy["Properties"]["ScalingTargetId"]["Ref"] for policy in policies} == targets.keys()
    assert {policy["Condition"] for policy in (*targets.values(), *policies)} == {"AutoscalingOn"}
    assert len(bodies(stack, RULE)) == 1, "one reminder for an endpoint"


def test_ids_of_a_variant_do_not_depend_on_the_others(stack: Stack) -> None:
    # Under another id CloudFormation would register the variant anew, and then deregister it with the old target.
    second = variant(variant_name="Second")
    EndpointScaling(stack, "One", props=scaled(stack, variant()))
    EndpointScaling(stack, "Two", props=scaled(stack, second, variant(), name="risk-dev"))

    ids = [logical_id[:-8] for kind in (TARGET, POLICY) for logical_id in bodies(stack, kind)]
    assert sorted(ids) == [
        "OneAllTrafficPolicy",
        "OneAllTrafficTarget",
        "TwoAllTrafficPolicy",
        "TwoAllTrafficTarget",
        "TwoSecondPolicy",
        "TwoSecondTarget",
    ]


def test_two_endpoints_of_a_stack_share_the_parameter_and_have_a_reminder_each(stack: Stack) -> None:
    for name in ("fraud-dev", "risk-dev"):
        EndpointScaling(stack, f"{name}-scaling", props=scaled(stack, name=name))

    template = Template.from_stack(stack).to_json()
    assert [name for name in template["Parameters"] if "Autoscaling" in name] == ["Autoscaling"]
    assert template["Conditions"].keys() == {"AutoscalingOn"}
    [first, second] = [rule["Properties"]["Targets"][0]["Input"] for rule in bodies(stack, RULE).values()]
    assert ("fraud-dev" in first, "risk-dev" in second) == (True, True)


def test_each_stack_of_an_app_has_its_own_parameter(app: App, stack: Stack) -> None:
    other = Stack(app, "Other", env=Environment(account="111122223333", region="us-east-1"))
    for each_stack in (stack, other):
        EndpointScaling(each_stack, "Scaling", props=scaled(each_stack))

    for each_stack in (stack, other):
        assert "Autoscaling" in Template.from_stack(each_stack).to_json()["Parameters"]


def test_no_judge_finds_anything(stack: Stack) -> None:
    # Other than the custom resource that it was once, native scaling is seen by rule packs and by the schema.
    scaling = EndpointScaling(stack, "Scaling", props=scaled(stack, variant(), variant(variant_name="B")))

    assert open_findings(scaling) == set()
    matches = lint_matches(Template.from_stack(stack).to_json())
    # Regions of cfn-lint that have no endpoints.
    assert [match for match in matches if "'AWS::SageMaker::Endpoint' does not exist in" not in match] == []


def test_a_variant_scales_once_and_at_least_one_does(props: EndpointScalingProps) -> None:
    with pytest.raises(ValueError, match=r"each of them once, got \['AllTraffic', 'AllTraffic'\]"):
        replace(props, variants=(variant(), variant(min_instance_count=1)))
    with pytest.raises(ValueError, match=r"at least one variant scales, .* got \[\]"):
        replace(props, variants=())


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"min_instance_count": 7}, "got 7 and 6"),
        ({"min_instance_count": 0}, "got 0 and 6"),
        ({"min_instance_count": 0, "may_sleep": True}, "scales to zero, and no step policy wakes it"),
        (
            {"policies": [track_invocations(1), track_invocations(2)]},
            r"each policy has a name of its own, got \['InvocationsPerInstance', 'InvocationsPerInstance'\]",
        ),
    ],
)
def test_impossible_scaling_is_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        variant(**overrides)
