import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Template

from constructs_lib.endpoint_scaling import EndpointScaling, EndpointScalingProps, VariantScaling
from constructs_lib.scaling_handover_function.index import read_spec

pytestmark = pytest.mark.cdk

Only = Callable[[str], dict[str, Any]]

FUNCTION = "arn:aws:lambda:us-east-1:111122223333:function:handover"
CONFIG = {"Fn::GetAtt": ["Configuration", "EndpointConfigName"]}


def variant(**overrides: Any) -> VariantScaling:
    values: dict[str, Any] = {
        "variant_name": "AllTraffic",
        "min_instance_count": 2,
        "max_instance_count": 6,
        "target_invocations_per_instance_per_minute": 712.5,
        "scale_out_cooldown_s": 60,
        "scale_in_cooldown_s": 300,
    }
    return VariantScaling(**(values | overrides))


@pytest.fixture
def props(stack: Stack) -> EndpointScalingProps:
    production_variant = sagemaker.CfnEndpointConfig.ProductionVariantProperty(
        variant_name="AllTraffic", initial_variant_weight=1
    )
    configuration = sagemaker.CfnEndpointConfig(
        stack, "Configuration", production_variants=[production_variant]
    )
    name = configuration.attr_endpoint_config_name
    endpoint = sagemaker.CfnEndpoint(stack, "Endpoint", endpoint_name="fraud-dev", endpoint_config_name=name)
    return EndpointScalingProps(
        endpoint=endpoint,
        endpoint_name="fraud-dev",
        endpoint_config_name=name,
        handover_function_arn=FUNCTION,
        variants=(variant(),),
    )


SPEC = {
    "EndpointName": "fraud-dev",
    "EndpointConfigName": CONFIG,
    "Variants": [
        {
            "VariantName": "AllTraffic",
            "MinInstanceCount": 2,
            "MaxInstanceCount": 6,
            "Policies": [
                {
                    "PolicyName": "InvocationsPerInstance",
                    "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance",
                    "TargetValue": 712.5,
                    "ScaleOutCooldownSeconds": 60,
                    "ScaleInCooldownSeconds": 300,
                }
            ],
        }
    ],
}


def test_resources_and_rule_tell_the_function_the_same(
    stack: Stack, only: Only, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    for resource_type in ("Custom::ScalingRelease", "Custom::EndpointScaling"):
        assert only(resource_type) == {"ServiceToken": FUNCTION, "ServiceTimeout": "1080", **SPEC}
    [target] = only("AWS::Events::Rule")["Targets"]
    delimiter, [head, configuration, tail] = target["Input"]["Fn::Join"]
    assert configuration == CONFIG
    assert read_spec(json.loads(delimiter.join([head, "CONFIG", tail]))) == read_spec(
        SPEC | {"EndpointConfigName": "CONFIG"}
    )


def test_rule_and_release_come_before_the_endpoint_and_scaling_after_it(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    template = Template.from_stack(stack).to_json()["Resources"]
    ids = {resource["Type"]: logical_id for logical_id, resource in template.items()}
    order = (
        "AWS::Events::Rule",
        "Custom::ScalingRelease",
        "AWS::SageMaker::Endpoint",
        "Custom::EndpointScaling",
    )
    for earlier, later in pairwise(order):
        assert template[ids[later]]["DependsOn"] == [ids[earlier]]
    release = template[ids["Custom::ScalingRelease"]]["Properties"]
    assert release["EndpointConfigName"] == CONFIG, "the configuration comes before all of them"


def test_an_endpoint_of_a_fixed_size_has_the_same_resources_and_no_variant(
    stack: Stack, only: Only, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=replace(props, variants=()))

    for resource_type in ("Custom::ScalingRelease", "Custom::EndpointScaling"):
        assert read_spec(only(resource_type))["Variants"] == []
    [target] = only("AWS::Events::Rule")["Targets"]
    assert '"Variants":[]' in target["Input"]["Fn::Join"][1][-1]


def test_a_name_too_long_for_the_rule_is_refused(props: EndpointScalingProps) -> None:
    with pytest.raises(ValueError, match="up to 64 characters"):
        replace(props, endpoint_name="e" * 56)
    assert len(replace(props, endpoint_name="e" * 55).rule_name) == 64


def test_a_variant_scales_once(props: EndpointScalingProps) -> None:
    with pytest.raises(ValueError, match="a variant scales once"):
        replace(props, variants=(variant(), variant(min_instance_count=1)))


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
def test_impossible_scaling_is_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        variant(**overrides)
