"""Limits of serial inference pipelines.

https://docs.aws.amazon.com/sagemaker/latest/dg/inference-pipelines.html and API reference: CreateModel, ContainerDefinition.
"""

#: Of one pipeline, that of the model included.
MAX_CONTAINERS = 15
#: What the container of the model is called: where one has a name, all must.
MODEL_HOSTNAME = "model"
#: The keys and values of all containers of a model together, in bytes.
MAX_ENVIRONMENT_BYTES = 32 * 1024
