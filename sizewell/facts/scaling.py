"""What Application Auto Scaling scales of an endpoint, by which predefined metrics, and the switch of our stacks.

https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html, read 2026-11-22
"""

SERVICE_NAMESPACE = "sagemaker"
INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED_CONCURRENCY = "sagemaker:variant:DesiredProvisionedConcurrency"
COPY_COUNT = "sagemaker:inference-component:DesiredCopyCount"

#: Alarms that Application Auto Scaling makes for a policy: one to scale out and one to scale in
#: (https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScalingPolicy.html).
ALARMS_OF_TARGET_TRACKING = 2

#: Ours: the stack parameter on which every target and policy depends, and its two values.
AUTOSCALING_PARAMETER = "Autoscaling"
ON = "on"
OFF = "off"

INVOCATIONS_PER_INSTANCE = "SageMakerVariantInvocationsPerInstance"
PROVISIONED_CONCURRENCY_UTILIZATION = "SageMakerVariantProvisionedConcurrencyUtilization"
INVOCATIONS_PER_COPY = "SageMakerInferenceComponentInvocationsPerCopy"
CONCURRENT_REQUESTS_PER_COPY = "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution"
#: The scalable dimension of each predefined metric.
DIMENSION_OF_METRIC = {
    INVOCATIONS_PER_INSTANCE: INSTANCE_COUNT,
    "SageMakerVariantConcurrentRequestsPerModelHighResolution": INSTANCE_COUNT,
    PROVISIONED_CONCURRENCY_UTILIZATION: PROVISIONED_CONCURRENCY,
    INVOCATIONS_PER_COPY: COPY_COUNT,
    CONCURRENT_REQUESTS_PER_COPY: COPY_COUNT,
}
