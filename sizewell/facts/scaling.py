"""What Application Auto Scaling scales of an endpoint, by which predefined metrics, and which resources of ours ask it to.

https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html, read 2026-11-22
"""

INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED_CONCURRENCY = "sagemaker:variant:DesiredProvisionedConcurrency"
COPY_COUNT = "sagemaker:inference-component:DesiredCopyCount"

#: Ours: the custom resources that hold the scaling of an endpoint, after it and before it.
SCALING_TYPE = "Custom::EndpointScaling"
RELEASE_TYPE = "Custom::ScalingRelease"

INVOCATIONS_PER_INSTANCE = "SageMakerVariantInvocationsPerInstance"
#: The scalable dimension of each predefined metric.
DIMENSION_OF_METRIC = {
    INVOCATIONS_PER_INSTANCE: INSTANCE_COUNT,
    "SageMakerVariantConcurrentRequestsPerModelHighResolution": INSTANCE_COUNT,
    "SageMakerVariantProvisionedConcurrencyUtilization": PROVISIONED_CONCURRENCY,
    "SageMakerInferenceComponentInvocationsPerCopy": COPY_COUNT,
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution": COPY_COUNT,
}
