"""What SageMaker takes of a production variant on instances; bounds are inclusive.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariant.html, read 2026-11-22
"""

from collections.abc import Mapping
from typing import Literal

RoutingStrategy = Literal["least-outstanding-requests", "random"]

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
#: RoutingConfig: API reference, ProductionVariantRoutingConfig. Without one, requests go to instances at random, so an
#: instance that works on long ones gets as many as others; where requests vary much, as of generative AI, AWS prefers to look at
#: the load of each instance ("By default, SageMaker endpoints have a random routing strategy",
#: https://aws.amazon.com/blogs/machine-learning/minimize-real-time-inference-latency-by-using-amazon-sagemaker-routing-strategies/).
ROUTING_STRATEGIES: Mapping[RoutingStrategy, str] = {
    "least-outstanding-requests": "LEAST_OUTSTANDING_REQUESTS",
    "random": "RANDOM",
}
