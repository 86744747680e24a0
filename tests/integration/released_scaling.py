"""An endpoint stack as release 0.1 made it: a function registers its variant, called by two custom resources and a rule.

The function is a short one that does what the released one did: it registers exactly the variants that it is told, and
none when its resource is deleted.
"""

from pathlib import Path
from typing import Any

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.scaling_policies import TargetTrackingPlan
from tests.integration.harness import Deployment, Template

CODE = """
import boto3, cfnresponse
scaling = boto3.client("application-autoscaling")
of = {"ServiceNamespace": "sagemaker", "ScalableDimension": "sagemaker:variant:DesiredInstanceCount"}

def handler(event, context):
    spec = event.get("ResourceProperties", event)
    wanted = [] if event.get("RequestType") == "Delete" else spec["Variants"]
    resource = f"endpoint/{spec['EndpointName']}/variant/"
    for target in scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]:
        if target["ResourceId"].startswith(resource):
            scaling.deregister_scalable_target(ResourceId=target["ResourceId"], **of)
    if event.get("ResourceType") != "Custom::ScalingRelease":
        for variant in wanted:
            name = resource + variant["VariantName"]
            bounds = {"MinCapacity": int(variant["Min"]), "MaxCapacity": int(variant["Max"])}
            scaling.register_scalable_target(ResourceId=name, **of, **bounds)
            metric = {"PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"}
            tracking = {"TargetValue": float(variant["Target"]), "PredefinedMetricSpecification": metric}
            scaling.put_scaling_policy(
                PolicyName="InvocationsPerInstance", PolicyType="TargetTrackingScaling", ResourceId=name, **of,
                TargetTrackingScalingPolicyConfiguration=tracking)
    if "ResponseURL" in event:
        cfnresponse.send(event, context, cfnresponse.SUCCESS, {}, spec["EndpointName"])
"""


def remove_scaling(template: Template) -> None:
    """Leave the endpoint a fixed number of instances, as our constructs do without scaling."""
    for logical_id in [name for name in template["Resources"] if name.startswith("Scaling")]:
        del template["Resources"][logical_id]
    del template["Parameters"]["Autoscaling"], template["Conditions"]


def with_released_scaling(deployed: Deployment, endpoint: EndpointPlan) -> Path:
    """Return an assembly in which the endpoint scales as in that release."""
    assert endpoint.scaling is not None
    (policy,) = endpoint.scaling.policies
    assert isinstance(policy, TargetTrackingPlan)
    variant = {
        "VariantName": endpoint.variant_name,
        "Min": endpoint.scaling.min_instance_count,
        "Max": endpoint.scaling.max_instance_count,
        "Target": policy.target_value,
    }
    function = {"Fn::GetAtt": ["ScalingFunction", "Arn"]}
    spec = {"EndpointName": endpoint.endpoint_name, "Variants": [variant]}

    def edit(template: Template) -> None:
        resources = template["Resources"]
        endpoint_id = next(k for k, v in resources.items() if v["Type"] == "AWS::SageMaker::Endpoint")
        remove_scaling(template)
        resources |= {
            "ScalingRole": {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Allow",
                                "Principal": {"Service": "lambda.amazonaws.com"},
                                "Action": "sts:AssumeRole",
                            }
                        ],
                    }
                },
            },
            "ScalingFunction": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    "Runtime": "python3.14",
                    "Handler": "index.handler",
                    "Code": {"ZipFile": CODE},
                    "Role": {"Fn::GetAtt": ["ScalingRole", "Arn"]},
                },
            },
            "Deployed": {
                "Type": "AWS::Events::Rule",
                "Properties": {
                    "Name": f"{endpoint.endpoint_name}-deployed",
                    "EventPattern": {"source": ["aws.cloudformation"]},
                    "Targets": [{"Id": "ScalingHandover", "Arn": function, "Input": {"Fn::Sub": "{}"}}],
                },
            },
            "Release": _custom("Custom::ScalingRelease", function, spec, ["Deployed"]),
            "Scaling": _custom("Custom::EndpointScaling", function, spec, [endpoint_id]),
        }
        depends = resources[endpoint_id].get("DependsOn", [])
        resources[endpoint_id]["DependsOn"] = [*depends, "Release"]

    return deployed.edited(endpoint.stack_name, edit, name="released")


def _custom(
    resource_type: str, function: dict[str, Any], spec: dict[str, Any], depends: list[str]
) -> dict[str, Any]:
    return {
        "Type": resource_type,
        "DependsOn": depends,
        "DeletionPolicy": "Delete",
        "UpdateReplacePolicy": "Delete",
        "Properties": {"ServiceToken": function, **spec},
    }
