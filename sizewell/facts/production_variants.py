"""What SageMaker takes of a production variant on instances; bounds are inclusive.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariant.html, read 2026-11-22
"""

#: ModelDataDownloadTimeoutInSeconds and ContainerStartupHealthCheckTimeoutInSeconds.
STARTUP_TIMEOUT_BOUNDS_S = (60, 3600)
#: VolumeSizeInGB.
VOLUME_SIZE_BOUNDS_GIB = (1, 512)
#: InstancePools.
MAX_INSTANCE_POOLS = 5
#: Seconds in which SageMaker looks for capacity: API reference, ProductionVariant, VariantInstanceProvisionTimeoutInSeconds.
PROVISION_TIMEOUT_BOUNDS_S = (300, 3600)
#: ProductionVariants of an endpoint: API reference, CreateEndpointConfig.
MAX_VARIANTS = 10
