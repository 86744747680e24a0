import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Template

from constructs_lib.endpoint_scaling import EndpointScaling, EndpointScalingProps, VariantScaling
from constructs_lib.scaling_handover_function.index import read_spec

pytestmark = pytest.mark.cdk

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


def only(stack: Stack, resource_type: str) -> tuple[str, dict[str, Any]]:
    [(logical_id, resource)] = Template.from_stack(stack).find_resources(resource_type).items()
    return logical_id, resource


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


@pytest.mark.parametrize("resource_type", ["Custom::ScalingRelease", "Custom::EndpointScaling"])
def test_both_resources_tell_the_function_what_to_register(
    stack: Stack, props: EndpointScalingProps, resource_type: str
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    _, resource = only(stack, resource_type)
    assert resource["Properties"] == {"ServiceToken": FUNCTION, "ServiceTimeout": "1080", **SPEC}


def test_the_rule_tells_it_the_same_at_the_end_of_a_deployment_of_the_stack(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    rule = only(stack, "AWS::Events::Rule")[1]["Properties"]
    assert rule["Name"] == "fraud-dev-deployed"
    assert rule["EventPattern"] == {
        "source": ["aws.cloudformation"],
        "detail-type": ["CloudFormation Stack Status Change"],
        "detail": {
            "stack-id": [{"Ref": "AWS::StackId"}],
            "status-details": {"status": ["UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"]},
        },
    }
    [target] = rule["Targets"]
    assert target["Arn"] == FUNCTION
    delimiter, [head, configuration, tail] = target["Input"]["Fn::Join"]
    assert configuration == CONFIG
    assert read_spec(json.loads(delimiter.join([head, "CONFIG", tail]))) == read_spec(
        SPEC | {"EndpointConfigName": "CONFIG"}
    )


def test_rule_and_release_come_before_the_endpoint_and_scaling_after_it(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    rule_id, _ = only(stack, "AWS::Events::Rule")
    release_id, release = only(stack, "Custom::ScalingRelease")
    endpoint_id, endpoint = only(stack, "AWS::SageMaker::Endpoint")
    _, scaling = only(stack, "Custom::EndpointScaling")
    assert release["DependsOn"] == [rule_id]
    assert endpoint["DependsOn"] == [release_id]
    assert scaling["DependsOn"] == [endpoint_id]
    assert release["Properties"]["EndpointConfigName"] == CONFIG, "the configuration comes before all of them"


def test_an_endpoint_of_a_fixed_size_has_the_same_resources_and_no_variant(
    stack: Stack, props: EndpointScalingProps
) -> None:
    EndpointScaling(stack, "Scaling", props=replace(props, variants=()))

    for resource_type in ("Custom::ScalingRelease", "Custom::EndpointScaling"):
        assert read_spec(only(stack, resource_type)[1]["Properties"])["Variants"] == []
    [target] = only(stack, "AWS::Events::Rule")[1]["Properties"]["Targets"]
    assert '"Variants":[]' in target["Input"]["Fn::Join"][1][-1]


def test_native_targets_and_policies_are_not_used(stack: Stack, props: EndpointScalingProps) -> None:
    EndpointScaling(stack, "Scaling", props=props)

    template = Template.from_stack(stack)
    template.resource_count_is("AWS::ApplicationAutoScaling::ScalableTarget", 0)
    template.resource_count_is("AWS::ApplicationAutoScaling::ScalingPolicy", 0)


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
