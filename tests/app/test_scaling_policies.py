"""From the configuration to the template: namespace, metric, dimensions and target of every signal."""

from typing import Any

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from sizewell.planning.build import build_plan
from sizewell.stacks.endpoint_stack import EndpointStack
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, policy

pytestmark = pytest.mark.cdk

POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
TRACK = {
    "invocations": {"target": 700},
    "concurrency": {"target": 8},
    "cpu": {"target": 50},
    "gpu": {"target": 60},
    "gpu-memory": {"target": 70},
    "latency": {"target": 400},
    "sessions": {
        "target": 3,
        "metrics": {"open": {"namespace": "Chat", "name": "Open", "dimensions": {"Team": "a"}}},
    },
}
STEPS = {"slow": {"metric": "latency", "above": 800, "add": 2}}


def dimensions(listed: list[dict[str, str]]) -> dict[str, str]:
    return {one["Name"]: one["Value"] for one in listed}


def told(specification: dict[str, Any]) -> tuple[Any, ...]:
    """Return namespace, metric, statistic and dimensions of a customized metric, plain or as a query."""
    if "Metrics" not in specification:
        names = ("Namespace", "MetricName", "Statistic")
        return (*(specification[name] for name in names), dimensions(specification["Dimensions"]))
    (query,) = specification["Metrics"]
    metric = query["MetricStat"]["Metric"]
    return (
        metric["Namespace"],
        metric["MetricName"],
        query["MetricStat"]["Stat"],
        dimensions(metric["Dimensions"]),
    )


def test_every_signal_is_tracked_by_its_metric() -> None:
    stated = endpoint(
        traffic={"peak_requests_per_second": 2000, "average_requests_per_second": 200},
        scaling={"track": TRACK, "steps": STEPS},
    )
    plan = build_plan(
        environment({"plants": stated}, policy=policy(max_endpoint_instances=100)),
        catalog(gpu_instance(vcpus=8, accelerator_count=4)),
    )
    stack = EndpointStack(App(), "plants", plan=plan.endpoints[0], foundation_plan=plan.foundation)
    template = Template.from_stack(stack)
    policies = {
        one["Properties"]["PolicyName"]: one["Properties"] for one in template.find_resources(POLICY).values()
    }
    tracking = {
        name: one["TargetTrackingScalingPolicyConfiguration"]
        for name, one in policies.items()
        if one["PolicyType"] == "TargetTrackingScaling"
    }

    assert {
        name: (one["TargetValue"], one["PredefinedMetricSpecification"]["PredefinedMetricType"])
        for name, one in tracking.items()
        if "PredefinedMetricSpecification" in one
    } == {
        "InvocationsPerInstance": (700, "SageMakerVariantInvocationsPerInstance"),
        "ConcurrentRequestsPerModel": (8, "SageMakerVariantConcurrentRequestsPerModelHighResolution"),
    }
    variant = {"EndpointName": "demo-dev-plants", "VariantName": "primary"}
    instances = "/aws/sagemaker/Endpoints"
    assert {
        name: (one["TargetValue"], *told(one["CustomizedMetricSpecification"]))
        for name, one in tracking.items()
        if "CustomizedMetricSpecification" in one
    } == {
        "CPUUtilization": (400, instances, "CPUUtilization", "Average", variant),
        "GPUUtilization": (240, instances, "GPUUtilization", "Average", variant),
        "GPUMemoryUtilization": (280, instances, "GPUMemoryUtilization", "Average", variant),
        "ModelLatency": (400_000, "AWS/SageMaker", "ModelLatency", "p95", variant),
        "sessions": (3, "Chat", "Open", "Average", {"Team": "a"}),
    }
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "AlarmName": "demo-dev-plants-primary-slow",
            "Namespace": "AWS/SageMaker",
            "MetricName": "ModelLatency",
            "ExtendedStatistic": "p95",
            "Threshold": 800_000,
            "ComparisonOperator": "GreaterThanThreshold",
        },
    )
    assert policies["slow"]["StepScalingPolicyConfiguration"]["StepAdjustments"] == [
        {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 2}
    ]


def test_each_variant_has_its_own_policies_and_the_endpoint_one_policy_of_callers() -> None:
    stated = endpoint(
        traffic={"peak_requests_per_second": 2000, "average_requests_per_second": 200},
        access={"callers": ["arn:aws:iam::111122223333:role/app"]},
        variants={
            "other": {"traffic_percent": 50, "scaling": {"track": {"gpu": {"target": 60}}, "steps": STEPS}}
        },
    )
    plan = build_plan(
        environment({"plants": stated}, policy=policy(max_endpoint_instances=100)),
        catalog(gpu_instance(vcpus=8, accelerator_count=4)),
    )
    template = Template.from_stack(
        EndpointStack(App(), "plants", plan=plan.endpoints[0], foundation_plan=plan.foundation)
    )
    target_of = {
        key: one["Properties"]["ResourceId"].rpartition("/")[2]
        for key, one in template.find_resources("AWS::ApplicationAutoScaling::ScalableTarget").items()
    }
    policies = [one["Properties"] for one in template.find_resources(POLICY).values()]
    assert sorted((target_of[one["ScalingTargetId"]["Ref"]], one["PolicyName"]) for one in policies) == [
        ("other", "GPUUtilization"),
        ("other", "slow"),
        ("primary", "InvocationsPerInstance"),
    ]
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "AlarmName": "demo-dev-plants-other-slow",
            "Dimensions": [
                {"Name": "EndpointName", "Value": "demo-dev-plants"},
                {"Name": "VariantName", "Value": "other"},
            ],
        },
    )
    invoking = [
        one
        for one in template.find_resources("AWS::IAM::ManagedPolicy").values()
        if "sagemaker:InvokeEndpoint" in str(one)
    ]
    assert len(invoking) == 1
