"""Faults of autoscaling."""

from tests.checks.builders import (
    config,
    endpoint,
    get_att,
    scalable_target,
    scaling_policy,
    template,
    tracking,
    variant,
)
from tests.checks.fault_collection import fault

INVOCATIONS = "SageMakerVariantInvocationsPerInstance"
CONCURRENT = "SageMakerVariantConcurrentRequestsPerModelHighResolution"

fault(
    "min above max capacity",
    template(Target=scalable_target(MinCapacity=4, MaxCapacity="2")),
    "scaling-bounds",
    "Target",
    "MinCapacity",
    "MinCapacity is 4, above MaxCapacity (2)",
    "lower MinCapacity or raise MaxCapacity",
)
fault(
    "min above max capacity by the clock",
    template(
        Target=scalable_target(
            ScheduledActions=[{"ScalableTargetAction": {"MinCapacity": 3, "MaxCapacity": 2}}]
        )
    ),
    "scaling-bounds",
    "Target",
    "ScheduledActions.0.ScalableTargetAction.MinCapacity",
    "MinCapacity is 3, above MaxCapacity (2)",
    "lower MinCapacity or raise MaxCapacity",
)
fault(
    "min above max of managed instance scaling",
    template(Config=config(variant(ManagedInstanceScaling={"MinInstanceCount": 2, "MaxInstanceCount": 1}))),
    "scaling-bounds",
    "Config",
    "ProductionVariants.0.ManagedInstanceScaling.MinInstanceCount",
    "MinInstanceCount is 2, above MaxInstanceCount (1)",
    "lower MinInstanceCount or raise MaxInstanceCount",
)
fault(
    "scaling of a burstable type",
    template(
        Config=config(variant(InstanceType="ml.t3.large")), Endpoint=endpoint(), Target=scalable_target()
    ),
    "scaling-burstable",
    "Target",
    "ResourceId",
    "variant primary runs on ml.t3.large, and burstable types cannot be autoscaled",
    "choose a type that is not burstable, or a fixed number of instances",
)
fault(
    "scaling of a variant that is not there",
    template(Config=config(variant(VariantName="main")), Endpoint=endpoint(), Target=scalable_target()),
    "scaling-variant",
    "Target",
    "ResourceId",
    "the endpoint has no variant primary",
    "write main",
)
fault(
    "a burstable type among the pools, found through a reference",
    template(
        Config=config(
            {"VariantName": "primary", "InstancePools": [{"InstanceType": "ml.t2.medium", "Priority": 1}]}
        ),
        Endpoint=endpoint(),
        Target=scalable_target(
            ResourceId={
                "Fn::Join": ["", ["endpoint/", get_att("Endpoint", "EndpointName"), "/variant/primary"]]
            }
        ),
    ),
    "scaling-burstable",
    "Target",
    "ResourceId",
    "variant primary runs on ml.t2.medium, and burstable types cannot be autoscaled",
    "choose a type that is not burstable, or a fixed number of instances",
)
fault(
    "target tracking with steps",
    template(
        Target=scalable_target(),
        Policy=scaling_policy(
            TargetTrackingScalingPolicyConfiguration=None,
            StepScalingPolicyConfiguration={"AdjustmentType": "ChangeInCapacity"},
        ),
    ),
    "scaling-policy-type",
    "Policy",
    "StepScalingPolicyConfiguration",
    "PolicyType is TargetTrackingScaling, but StepScalingPolicyConfiguration is given",
    "give TargetTrackingScalingPolicyConfiguration and remove StepScalingPolicyConfiguration",
)
fault(
    "steps without a configuration",
    template(
        Target=scalable_target(),
        Policy=scaling_policy(PolicyType="StepScaling", TargetTrackingScalingPolicyConfiguration=None),
    ),
    "scaling-policy-type",
    "Policy",
    "StepScalingPolicyConfiguration",
    "PolicyType is StepScaling, but no configuration is given",
    "give StepScalingPolicyConfiguration",
)
fault(
    "both configurations",
    template(Target=scalable_target(), Policy=scaling_policy(StepScalingPolicyConfiguration={})),
    "scaling-policy-type",
    "Policy",
    "StepScalingPolicyConfiguration",
    "PolicyType is TargetTrackingScaling, but StepScalingPolicyConfiguration is given as well",
    "give TargetTrackingScalingPolicyConfiguration and remove StepScalingPolicyConfiguration",
)
METRIC_PATH = "TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification.PredefinedMetricType"
for metric, message in (
    (
        "SageMakerVariantInvocationPerInstance",
        "there is no predefined metric SageMakerVariantInvocationPerInstance of SageMaker",
    ),
    (
        "SageMakerInferenceComponentInvocationsPerCopy",
        "SageMakerInferenceComponentInvocationsPerCopy cannot scale sagemaker:variant:DesiredInstanceCount",
    ),
    ("Invocations", "there is no predefined metric Invocations of SageMaker"),
    (
        "ECSServiceAverageCPUUtilization",
        "there is no predefined metric ECSServiceAverageCPUUtilization of SageMaker",
    ),
):
    fault(
        f"tracking {metric}",
        template(
            Target=scalable_target(),
            Policy=scaling_policy(TargetTrackingScalingPolicyConfiguration=tracking(metric)),
        ),
        "scaling-metric",
        "Policy",
        METRIC_PATH,
        message,
        f"choose one of {INVOCATIONS}, {CONCURRENT}",
    )
fault(
    "tracking without a metric",
    template(
        Target=scalable_target(),
        Policy=scaling_policy(TargetTrackingScalingPolicyConfiguration={"TargetValue": 1}),
    ),
    "scaling-metric",
    "Policy",
    "TargetTrackingScalingPolicyConfiguration",
    "no metric is given",
    "give either PredefinedMetricSpecification or CustomizedMetricSpecification",
)
fault(
    "tracking invocations of an asynchronous endpoint",
    template(
        Config=config(AsyncInferenceConfig={"OutputConfig": {"S3OutputPath": "s3://b/p"}}),
        Endpoint=endpoint(),
        Target=scalable_target(),
        Policy=scaling_policy(),
    ),
    "scaling-metric",
    "Policy",
    METRIC_PATH,
    "an asynchronous endpoint does not publish InvocationsPerInstance, so the policy never acts",
    "track ApproximateBacklogSizePerInstance by a CustomizedMetricSpecification, with the dimension EndpointName",
)
