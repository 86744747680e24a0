"""What SageMaker takes of a transform job; bounds are inclusive.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTransformJob.html and the pages of its members
(ModelClientConfig, TransformResources, DataProcessing), read 2026-11-23
"""

MAX_NAME_CHARACTERS = 63
#: MaxPayloadInMB, and of one instance MaxConcurrentTransforms * MaxPayloadInMB.
MAX_PAYLOAD_MB = 100
#: MaxPayloadInMB, where none is given.
DEFAULT_PAYLOAD_MB = 6
#: ModelClientConfig, InvocationsTimeoutInSeconds and InvocationsMaxRetries.
INVOCATION_TIMEOUT_BOUNDS_S = (1, 3600)
INVOCATION_RETRY_BOUNDS = (0, 3)
#: ModelClientConfig, InvocationsTimeoutInSeconds, where none is given.
DEFAULT_INVOCATION_TIMEOUT_S = 600
#: TransformResources, InstanceCount.
MAX_INSTANCES = 100
#: DataProcessing, InputFilter and OutputFilter.
MAX_FILTER_CHARACTERS = 63
#: The volume that holds the model, on types without disks of their own: SageMaker developer guide, "Storage in Batch Transform".
VOLUME_SIZE_GB = 30
#: What filters and joins can read (developer guide, "Associate Prediction Results with Input Records").
FILTERED_CONTENT_TYPES = ("text/csv", "application/json", "application/jsonlines")
