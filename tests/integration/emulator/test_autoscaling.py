"""Autoscaling, and the updates that it forbids."""

import pytest

from tests.integration.emulator.lab import LARGE, SMALL, Json, Lab, refusal, target_of, tracking

pytestmark = pytest.mark.usefixtures("admin")


def test_the_type_of_a_registered_variant_cannot_change(lab: Lab) -> None:
    current, wanted = lab.config(), lab.config(lab.variant(InstanceType=LARGE))
    name = lab.endpoint(current)
    target = lab.register(name)
    update = lab("sagemaker").update_endpoint
    said = refusal(update, EndpointName=name, EndpointConfigName=wanted, RetainAllVariantProperties=True)
    assert (
        f"The instance type of variant main of endpoint {name} cannot change from {SMALL} to {LARGE}" in said
    )
    assert lab.passed(name) == []
    assert lab.describe(name)["EndpointConfigName"] == current
    lab("application-autoscaling").deregister_scalable_target(**target)
    update(EndpointName=name, EndpointConfigName=wanted)
    assert lab.passed(name) == ["Updating", "InService"]
    assert lab.describe(name)["EndpointConfigName"] == wanted


def test_a_registered_variant_cannot_be_removed(lab: Lab) -> None:
    name = lab.endpoint(lab.config(lab.variant(), lab.variant(VariantName="other")))
    lab.register(name)
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=name,
        EndpointConfigName=lab.config(lab.variant(VariantName="other")),
    )
    assert f"Variant main of endpoint {name} is a registered scalable target and cannot be removed" in said


def test_the_model_of_a_registered_variant_may_change(lab: Lab) -> None:
    name, wanted = lab.endpoint(), lab.config()
    lab.register(name)
    lab("sagemaker").update_endpoint(EndpointName=name, EndpointConfigName=wanted)
    assert lab.passed(name) == ["Updating", "InService"]
    assert lab.describe(name)["EndpointConfigName"] == wanted


@pytest.mark.parametrize(("retain", "count"), [(True, 3), (False, 1)])
def test_what_autoscaling_did_outlives_an_update_only_on_request(lab: Lab, retain: bool, count: int) -> None:
    name, sagemaker = lab.endpoint(), lab("sagemaker")
    sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=name, DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 3}]
    )
    assert lab.passed(name) == ["Updating", "InService"]
    sagemaker.update_endpoint(
        EndpointName=name, EndpointConfigName=lab.config(), RetainAllVariantProperties=retain
    )
    assert lab.passed(name) == ["Updating", "InService"]
    (variant,) = lab.describe(name)["ProductionVariants"]
    assert (variant["CurrentInstanceCount"], variant["DesiredInstanceCount"]) == (count, count)


def test_burstable_types_do_not_scale(lab: Lab) -> None:
    name = lab.endpoint(lab.config(lab.variant(InstanceType="ml.t2.medium")))
    said = refusal(
        lab("application-autoscaling").register_scalable_target,
        **target_of(name),
        MinCapacity=1,
        MaxCapacity=2,
    )
    assert "Automatic scaling is not supported for burstable instances such as ml.t2.medium" in said


def test_bounds_of_a_scalable_target(lab: Lab) -> None:
    name, register = lab.endpoint(), lab("application-autoscaling").register_scalable_target
    assert "are required for a new scalable target" in refusal(register, **target_of(name), MinCapacity=1)
    assert "Maximum capacity cannot be less than minimum capacity" in refusal(
        register, **target_of(name), MinCapacity=3, MaxCapacity=2
    )
    assert "must be at least 1" in refusal(register, **target_of(name), MinCapacity=0, MaxCapacity=2)
    asynchronous = {"OutputConfig": {"S3OutputPath": f"s3://{lab.bucket}/out"}}
    lab.register(lab.endpoint(lab.config(lab.variant(), AsyncInferenceConfig=asynchronous)), MinCapacity=0)


def test_scaling_policies_are_of_one_kind_and_metric(lab: Lab) -> None:
    scaling = lab("application-autoscaling")
    name = lab.endpoint()
    policy = {"PolicyName": "p", "PolicyType": "TargetTrackingScaling"}
    configured = {"TargetTrackingScalingPolicyConfiguration": tracking()}
    said = refusal(scaling.put_scaling_policy, **target_of(name), **policy, **configured)
    assert said.startswith(
        "ObjectNotFoundException: No scalable target found for service namespace: sagemaker"
    )
    target = lab.register(name)
    assert "needs TargetTrackingScalingPolicyConfiguration and no other" in refusal(
        scaling.put_scaling_policy, **target, **policy, StepScalingPolicyConfiguration={}
    )
    wrong = tracking("SageMakerVariantProvisionedConcurrencyUtilization")
    assert "only supports the following predefined metric types" in refusal(
        scaling.put_scaling_policy, **target, **policy, TargetTrackingScalingPolicyConfiguration=wrong
    )


def test_deregistering_takes_policies_along_and_a_new_policy_is_another_one(lab: Lab) -> None:
    scaling = lab("application-autoscaling")
    name = lab.endpoint()
    target = lab.register(name)
    policy = {
        "PolicyName": "p",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": tracking(),
    }
    first = scaling.put_scaling_policy(**target, **policy)["PolicyARN"]
    assert scaling.put_scaling_policy(**target, **policy)["PolicyARN"] == first
    scaling.put_scheduled_action(
        **target, ScheduledActionName="s", Schedule="rate(1 day)", ScalableTargetAction={"MinCapacity": 1}
    )
    scaling.deregister_scalable_target(**target)
    of_endpoint = {"ServiceNamespace": "sagemaker", "ResourceId": target["ResourceId"]}
    assert scaling.describe_scaling_policies(**of_endpoint)["ScalingPolicies"] == []
    assert scaling.describe_scheduled_actions(**of_endpoint)["ScheduledActions"] == []
    assert "ObjectNotFoundException" in refusal(scaling.deregister_scalable_target, **target)
    lab.register(name)
    assert scaling.describe_scaling_policies(**of_endpoint)["ScalingPolicies"] == []
    assert scaling.put_scaling_policy(**target, **policy)["PolicyARN"] != first


def test_deleting_an_endpoint_lets_its_targets_go(lab: Lab) -> None:
    scaling, name = lab("application-autoscaling"), lab.endpoint()
    target = lab.register(name)
    lab("sagemaker").delete_endpoint(EndpointName=name)
    assert "ObjectNotFoundException" in refusal(scaling.deregister_scalable_target, **target)


def test_an_update_needs_no_configuration_of_what_runs(lab: Lab) -> None:
    first = lab.config()
    name = lab.endpoint(first)
    sagemaker = lab("sagemaker")
    sagemaker.delete_endpoint_config(EndpointConfigName=first)
    lab.register(name)
    larger = lab.config(lab.variant(InstanceType=LARGE))
    assert "cannot change from" in refusal(
        sagemaker.update_endpoint, EndpointName=name, EndpointConfigName=larger
    )
    sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=lab.config())
    assert lab.passed(name) == ["Updating", "InService"]


def test_weights_and_capacities_change_together_or_not_at_all(lab: Lab) -> None:
    name = lab.endpoint()
    call = lab("sagemaker").update_endpoint_weights_and_capacities
    wanted: list[Json] = [{"VariantName": "main", "DesiredInstanceCount": 3}, {"VariantName": "missing"}]
    said = refusal(call, EndpointName=name, DesiredWeightsAndCapacities=wanted)
    assert f"Endpoint {name} has no variant missing" in said
    assert lab.describe(name)["ProductionVariants"][0]["DesiredInstanceCount"] == 1
    serverless = lab.endpoint(lab.config(lab.serverless()))
    assert "is serverless and has no instances" in refusal(
        call, EndpointName=serverless, DesiredWeightsAndCapacities=wanted[:1]
    )
    call(
        EndpointName=serverless,
        DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredWeight": 2.0}],
    )
    assert lab.passed(serverless) == ["Updating", "InService"]
    assert lab.describe(serverless)["ProductionVariants"][0]["CurrentWeight"] == 2.0
