from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Template

from constructs_lib.autoscaling import EndpointScaling, EndpointScalingProps

pytestmark = pytest.mark.cdk


@pytest.fixture
def endpoint(stack: Stack) -> sagemaker.CfnEndpoint:
    return sagemaker.CfnEndpoint(stack, "Endpoint", endpoint_name="fraud-dev", endpoint_config_name="any")


def scaling_props(endpoint: sagemaker.CfnEndpoint, **overrides: Any) -> EndpointScalingProps:
    values: dict[str, Any] = {
        "endpoint_name": "fraud-dev",
        "variant_name": "AllTraffic",
        "min_instance_count": 2,
        "max_instance_count": 6,
        "target_invocations_per_instance_per_minute": 712.5,
        "scale_out_cooldown_s": 60,
        "scale_in_cooldown_s": 300,
    }
    return EndpointScalingProps(endpoint=endpoint, **(values | overrides))


def test_the_target_is_the_instance_count_of_the_variant_and_waits_for_the_endpoint(
    stack: Stack, endpoint: sagemaker.CfnEndpoint
) -> None:
    EndpointScaling(stack, "Scaling", props=scaling_props(endpoint))

    [target] = (
        Template.from_stack(stack).find_resources("AWS::ApplicationAutoScaling::ScalableTarget").values()
    )

    assert target["Properties"] == {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ResourceId": "endpoint/fraud-dev/variant/AllTraffic",
        "MinCapacity": 2,
        "MaxCapacity": 6,
    }
    assert target["DependsOn"] == ["Endpoint"]


def test_the_policy_tracks_invocations_per_instance_on_that_target(
    stack: Stack, endpoint: sagemaker.CfnEndpoint
) -> None:
    EndpointScaling(stack, "Scaling", props=scaling_props(endpoint))

    template = Template.from_stack(stack)
    [target_id] = template.find_resources("AWS::ApplicationAutoScaling::ScalableTarget")
    [policy] = template.find_resources("AWS::ApplicationAutoScaling::ScalingPolicy").values()
    assert policy["Properties"] == {
        "PolicyName": "InvocationsPerInstance",
        "PolicyType": "TargetTrackingScaling",
        "ScalingTargetId": {"Ref": target_id},
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": 712.5,
            "ScaleOutCooldown": 60,
            "ScaleInCooldown": 300,
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
            },
        },
    }


def test_two_variants_scale_in_one_stack(stack: Stack, endpoint: sagemaker.CfnEndpoint) -> None:
    EndpointScaling(stack, "FirstScaling", props=scaling_props(endpoint))
    EndpointScaling(stack, "SecondScaling", props=scaling_props(endpoint, variant_name="Shadow"))

    Template.from_stack(stack).resource_count_is("AWS::ApplicationAutoScaling::ScalableTarget", 2)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"min_instance_count": 7}, "got 7 and 6"),
        ({"min_instance_count": 0}, "got 0 and 6"),
        ({"target_invocations_per_instance_per_minute": 0}, "must be a positive number, got 0"),
        ({"target_invocations_per_instance_per_minute": float("nan")}, "must be a positive number, got nan"),
        ({"scale_out_cooldown_s": -1}, "scale_out_cooldown_s must not be negative, got -1"),
        ({"scale_in_cooldown_s": -60}, "scale_in_cooldown_s must not be negative, got -60"),
    ],
)
def test_impossible_scaling_is_refused(
    endpoint: sagemaker.CfnEndpoint, overrides: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        scaling_props(endpoint, **overrides)
