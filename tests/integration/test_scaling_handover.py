"""The hand-over of autoscaling when an instance type changes: it works, and whatever interrupts it is made good.

SageMaker's refusal itself, with native resources, is in emulator/test_stacks.py. On each interrupted deployment follows
CloudFormation's rollback, and at its end the endpoint serves and scales as before.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning.plan import EndpointPlan
from tests.integration.changed_configuration import endpoint_of
from tests.integration.harness import Admin, Deployment, Template, only_resource, resources_of
from tests.integration.running import as_planned, running, set_count
from tests.localcloud.processes import until

pytestmark = pytest.mark.parametrize("deployed", ["prod"], indirect=True)

WORKLOAD = "support-bert"
AUTOSCALING = "application-autoscaling"


@pytest.fixture
def endpoint(deployed: Deployment) -> EndpointPlan:
    return endpoint_of(deployed.plan, WORKLOAD)


@pytest.fixture
def another_type(deployed: Deployment, endpoint: EndpointPlan) -> Path:
    """Return an assembly in which the endpoint has another instance type."""

    def change(template: Template) -> None:
        (variant,) = only_resource(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
        variant["InstanceType"] = endpoint.instance_pools[1]

    return deployed.edited(endpoint.stack_name, change, name="another-type")


@pytest.fixture(autouse=True)
def as_deployed(deployed: Deployment, endpoint: EndpointPlan) -> None:
    """Start from the shipped configuration, whatever became of the test before."""
    if not as_planned(endpoint).items() <= running(deployed, endpoint).items():
        deployed.deploy(endpoint.stack_name)


@pytest.fixture
def scaled_out(deployed: Deployment, endpoint: EndpointPlan) -> int:
    """Let the endpoint have grown before the deployment, and return to how many instances."""
    assert endpoint.scaling is not None
    count = endpoint.scaling.max_instance_count
    if running(deployed, endpoint)["count"] != count:
        set_count(deployed, endpoint, count)
    return count


def until_repaired(deployed: Deployment, endpoint: EndpointPlan, before: dict[str, Any]) -> None:
    """Wait until the endpoint runs as before: the repair comes with an event, after the stack has ended."""
    until(lambda: running(deployed, endpoint), lambda found: found == before)


def in_service(deployed: Deployment, endpoint: EndpointPlan) -> dict[str, Any]:
    """Return the endpoint as it runs once it is in service."""
    return until(lambda: running(deployed, endpoint), lambda found: bool(found["status"] == "InService"))


def test_one_deployment_releases_updates_and_registers_again(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, scaled_out: int, admin: Admin
) -> None:
    deployed.deploy(endpoint.stack_name, assembly=another_type)
    changing = [
        call["operation"]
        for call in admin.calls()
        if not call["operation"].startswith(("Describe", "List")) and "Model" not in call["operation"]
    ]
    after = running(deployed, endpoint)
    assert changing == [
        "CreateEndpointConfig",
        "DeregisterScalableTarget",
        "UpdateEndpoint",
        "RegisterScalableTarget",
        "PutScalingPolicy",
        "DeleteEndpointConfig",
    ]
    assert after["count"] == scaled_out
    assert (as_planned(endpoint) | {"type": endpoint.instance_pools[1]}).items() <= after.items()
    deployed.deploy(endpoint.stack_name)
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()


#: Where a deployment is cut: before or after a call of the function, or of CloudFormation, and how.
CUTS = {
    "function dies before it looks": ("sagemaker", "DescribeEndpoint", "before", "kill"),
    "function dies before it deregisters": (AUTOSCALING, "DeregisterScalableTarget", "before", "kill"),
    "function dies once it has deregistered": (AUTOSCALING, "DeregisterScalableTarget", "after", "kill"),
    "deregistering fails": (AUTOSCALING, "DeregisterScalableTarget", "before", "error"),
    "the update is refused": ("sagemaker", "UpdateEndpoint", "before", "error"),
    "the answer to the update is lost": ("sagemaker", "UpdateEndpoint", "after", "error"),
    "function dies before it registers": (AUTOSCALING, "RegisterScalableTarget", "before", "kill"),
    "function dies once it has registered": (AUTOSCALING, "RegisterScalableTarget", "after", "kill"),
    "function dies before it puts the policy": (AUTOSCALING, "PutScalingPolicy", "before", "kill"),
    "function dies once it has put the policy": (AUTOSCALING, "PutScalingPolicy", "after", "kill"),
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_cut_deployment_is_rolled_back_to_an_endpoint_that_scales(
    deployed: Deployment,
    endpoint: EndpointPlan,
    another_type: Path,
    scaled_out: int,
    admin: Admin,
    cut: tuple[str, str, str, str],
) -> None:
    before = running(deployed, endpoint)
    admin.fault(*cut)
    result = deployed.deploy(endpoint.stack_name, assembly=another_type, check=False)
    assert result.returncode == 1, "the cut did not strike"
    assert deployed.stack(endpoint.stack_name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    until_repaired(deployed, endpoint, before)
    assert before["count"] == scaled_out


def test_an_endpoint_that_does_not_start_on_the_new_type_is_rolled_back_and_scales(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, scaled_out: int, admin: Admin
) -> None:
    before = running(deployed, endpoint)
    admin.script(
        "endpoint", endpoint.endpoint_name, "fail", "Unable to provision requested ML compute capacity."
    )
    result = deployed.deploy(endpoint.stack_name, assembly=another_type, check=False)
    assert "Unable to provision" in result.stdout + result.stderr
    until_repaired(deployed, endpoint, before)


def test_a_deployment_that_is_cut_in_its_rollback_too_can_be_continued(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, scaled_out: int, admin: Admin
) -> None:
    before = running(deployed, endpoint)
    admin.fault(AUTOSCALING, "DeregisterScalableTarget", "after", "kill")
    admin.fault(AUTOSCALING, "RegisterScalableTarget", "before", "kill")
    deployed.deploy(endpoint.stack_name, assembly=another_type, check=False)
    assert deployed.stack(endpoint.stack_name)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    assert running(deployed, endpoint)["bounds"] == []
    cloudformation = deployed.client("cloudformation")
    cloudformation.continue_update_rollback(StackName=endpoint.stack_name)
    cloudformation.get_waiter("stack_rollback_complete").wait(
        StackName=endpoint.stack_name, WaiterConfig={"Delay": 1, "MaxAttempts": 300}
    )
    until_repaired(deployed, endpoint, before)


def test_what_somebody_deregistered_by_hand_is_registered_by_the_next_deployment(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    deployed.client(AUTOSCALING).deregister_scalable_target(
        ServiceNamespace="sagemaker",
        ResourceId=f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}",
        ScalableDimension="sagemaker:variant:DesiredInstanceCount",
    )
    deployed.deploy(endpoint.stack_name, assembly=another_type)
    moved = as_planned(endpoint) | {"type": endpoint.instance_pools[1]}
    assert moved.items() <= running(deployed, endpoint).items()
    deployed.deploy(endpoint.stack_name)
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()


def test_a_registered_variant_can_be_removed_and_another_one_added(
    deployed: Deployment, endpoint: EndpointPlan, admin: Admin
) -> None:
    old, new = json.dumps(endpoint.variant_name), json.dumps("Blue")

    def rename(template: Template) -> None:
        text = json.dumps(template)
        renamed = text.replace(old, new).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
        template.clear()
        template.update(json.loads(renamed))

    with_another_variant = deployed.edited(endpoint.stack_name, rename, name="another-variant")
    deployed.deploy(endpoint.stack_name, assembly=with_another_variant)
    blue = endpoint.model_copy(update={"variant_name": "Blue"})
    assert as_planned(blue).items() <= running(deployed, blue).items()
    assert registered(deployed, endpoint) == []
    deployed.deploy(endpoint.stack_name)
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()
    assert registered(deployed, blue) == []


def registered(deployed: Deployment, endpoint: EndpointPlan) -> list[dict[str, Any]]:
    resource = f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}"
    targets = deployed.client(AUTOSCALING).describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[resource]
    )
    return list(targets["ScalableTargets"])


def test_another_model_and_a_higher_minimum_come_with_one_deployment(
    deployed: Deployment, endpoint: EndpointPlan, admin: Admin
) -> None:
    assert endpoint.scaling is not None
    low, high = endpoint.scaling.max_instance_count + 1, endpoint.scaling.max_instance_count + 2

    def change(template: Template) -> None:
        source = only_resource(template, "AWS::SageMaker::Model")["PrimaryContainer"]["ModelDataSource"]
        source["S3DataSource"]["S3Uri"] = {
            "Fn::Sub": "s3://${FoundationArtifactBucketName}/models/another.tar.gz"
        }
        for type_name in ("Custom::ScalingRelease", "Custom::EndpointScaling"):
            (variant,) = only_resource(template, type_name)["Variants"]
            variant |= {"MinInstanceCount": low, "MaxInstanceCount": high}
        (target,) = only_resource(template, "AWS::Events::Rule")["Targets"]
        parts = target["Input"]["Fn::Join"][1]
        bounds = f'"MinInstanceCount":{low},"MaxInstanceCount":{high}'
        parts[-1] = re.sub(r'"MinInstanceCount":\d+,"MaxInstanceCount":\d+', bounds, parts[-1])

    raised = deployed.edited(endpoint.stack_name, change, name="raised")
    # A registration before the update would start instances, and SageMaker would refuse the update meanwhile.
    with admin.held(f"rescale {endpoint.endpoint_name}") as rescale:
        deployed.deploy(endpoint.stack_name, assembly=raised)
        rescale.until_pause()
    found = in_service(deployed, endpoint)
    assert (found["count"], found["bounds"]) == (low, [(low, high)])
    deployed.deploy(endpoint.stack_name)
    found = in_service(deployed, endpoint)
    assert as_planned(endpoint).items() <= found.items()
    assert found["count"] == endpoint.scaling.max_instance_count


def test_scaling_can_be_switched_off_and_on_while_the_type_changes(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    def fixed_count_on_another_type(template: Template) -> None:
        (variant,) = only_resource(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
        variant["InstanceType"] = endpoint.instance_pools[1]
        for type_name in ("Custom::ScalingRelease", "Custom::EndpointScaling"):
            only_resource(template, type_name)["Variants"] = []
        (target,) = only_resource(template, "AWS::Events::Rule")["Targets"]
        parts = target["Input"]["Fn::Join"][1]
        parts[-1] = re.sub(r'"Variants":\[.*\]', '"Variants":[]', parts[-1])

    off = deployed.edited(endpoint.stack_name, fixed_count_on_another_type, name="scaling-off")
    deployed.deploy(endpoint.stack_name, assembly=off)
    assert running(deployed, endpoint)["bounds"] == []
    deployed.deploy(endpoint.stack_name)
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()


def test_stacks_with_native_resources_change_over_together_with_a_new_type(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    native = deployed.edited(
        endpoint.stack_name, lambda template: make_native(template, endpoint), name="native"
    )
    deployed.deploy(endpoint.stack_name, assembly=native)
    # The way back to native resources is not for use: it ends with the hand-over's own deregistration.
    resources = deployed.template_at(native, endpoint.stack_name)["Resources"]
    target = resources["NativeTarget"]["Properties"]
    policy = resources["NativePolicy"]["Properties"]
    autoscaling = deployed.client(AUTOSCALING)
    autoscaling.register_scalable_target(**target)
    key = {name: target[name] for name in ("ServiceNamespace", "ScalableDimension", "ResourceId")}
    autoscaling.put_scaling_policy(
        **key, **{name: policy[name] for name in policy if name != "ScalingTargetId"}
    )
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()
    moved = as_planned(endpoint) | {"type": endpoint.instance_pools[1]}
    deployed.deploy(endpoint.stack_name, assembly=another_type)
    # The deletion of the native target, at the very end, deregisters what the hand-over has registered.
    until(lambda: running(deployed, endpoint), lambda found: moved.items() <= found.items())
    deployed.deploy(endpoint.stack_name)


def make_native(template: Template, endpoint: EndpointPlan) -> None:
    """Give a template the native scaling resources in place of the hand-over, as it was before."""
    handover = {"Custom::ScalingRelease", "Custom::EndpointScaling", "AWS::Events::Rule"}
    removed = {name for name, resource in template["Resources"].items() if resource["Type"] in handover}
    for name in removed:
        del template["Resources"][name]
    for resource in template["Resources"].values():
        if "DependsOn" in resource:
            resource["DependsOn"] = [name for name in resource["DependsOn"] if name not in removed]
    (endpoint_id,) = (name for name, _ in resources_of(template, "AWS::SageMaker::Endpoint"))
    assert endpoint.scaling is not None
    template["Resources"]["NativeTarget"] = {
        "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
        "DependsOn": [endpoint_id],
        "Properties": {
            "ServiceNamespace": "sagemaker",
            "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
            "ResourceId": f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}",
            "MinCapacity": endpoint.scaling.min_instance_count,
            "MaxCapacity": endpoint.scaling.max_instance_count,
        },
    }
    template["Resources"]["NativePolicy"] = {
        "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
        "Properties": {
            "PolicyName": "InvocationsPerInstance",
            "PolicyType": "TargetTrackingScaling",
            "ScalingTargetId": {"Ref": "NativeTarget"},
            "TargetTrackingScalingPolicyConfiguration": {
                "TargetValue": endpoint.scaling.target_invocations_per_instance_per_minute,
                "PredefinedMetricSpecification": {
                    "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
                },
            },
        },
    }
