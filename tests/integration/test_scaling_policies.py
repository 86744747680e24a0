"""Tracked metrics and steps of one variant, as Application Auto Scaling and CloudWatch show them after a deployment."""

from pathlib import Path

from tests.integration.harness import Cloud, Deployment
from tests.integration.readers.compare import assert_reads_back
from tests.synthesis import synthesize

BASE = """
platform: shop
network: {mode: new, cidr: 10.51.0.0/16, availability_zones: 2}
policy: {account: "111122223333", region: us-east-1}
workloads:
  label-photos:
    kind: real-time-endpoint
    model: {preset: resnet-50}
    engine: eager
    container:
      image: {framework: pytorch, version: "2.6"}
      artifact: {key: models/label-photos/model.tar.gz}
    request: {images: 1}
    traffic: {peak_requests_per_second: 40, average_requests_per_second: 8}
    latency: {max_p95_ms: 400}
    scaling:
      max_instances: 6
      track:
        invocations: {}
        concurrency: {target: 8}
        cpu: {target: 60}
        latency: {}
        waiting:
          target: 2
          metrics:
            queue: {namespace: Company/Photos, name: Waiting, statistic: Maximum}
            busy: {namespace: AWS/SageMaker, name: ConcurrentRequestsPerModel, statistic: Maximum}
          expression: queue / busy
      steps:
        slow: {metric: latency, above: 350, add: 1}
        very-slow: {metric: latency, above: 390, add: 3}
"""


def test_policies_read_back_as_they_were_planned(cloud: Cloud, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "base.yaml").write_text(BASE, "utf-8")
    (config / "dev.yaml").write_text("policy: {removal: destroy, nag_packs: [aws-solutions]}\n", "utf-8")
    assembly = tmp_path / "cdk.out"
    synthesize("dev", assembly, config=str(config))
    deployed = Deployment(cloud=cloud, assembly=assembly, folder=tmp_path)
    deployed.bootstrap()
    deployed.deploy()
    assert_reads_back(deployed)

    (endpoint,) = deployed.plan.endpoints
    assert endpoint.scaling is not None
    resource_id = f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}"
    found = deployed.client("application-autoscaling").describe_scaling_policies(
        ServiceNamespace="sagemaker", ResourceId=resource_id
    )["ScalingPolicies"]
    tracking = "TargetTrackingScalingPolicyConfiguration"
    targets = {one["PolicyName"]: one[tracking]["TargetValue"] for one in found if tracking in one}
    planned = endpoint.scaling.policies
    assert targets == {one.name: one.target_value for one in planned if one.type == "target-tracking"}
    assert len(targets) == 5
    (steps,) = (one for one in found if one["PolicyType"] == "StepScaling")
    assert [
        one["ScalingAdjustment"] for one in steps["StepScalingPolicyConfiguration"]["StepAdjustments"]
    ] == [1, 3]
    (alarm,) = deployed.client("cloudwatch").describe_alarms(
        AlarmNames=[f"{endpoint.endpoint_name}-{endpoint.variant_name}-slow"]
    )["MetricAlarms"]
    assert (alarm["ExtendedStatistic"], alarm["Threshold"]) == ("p95", 350_000)
    assert alarm["AlarmActions"] == [steps["PolicyARN"]]

    deployed.destroy()
