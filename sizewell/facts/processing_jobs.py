"""What SageMaker takes of a processing job; bounds are inclusive. And what a script that compiles for Neuron is told.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateProcessingJob.html and the pages of its members
(ProcessingStoppingCondition, ProcessingClusterConfig, ProcessingS3Input, AppSpecification), read 2026-11-23
"""

#: ProcessingStoppingCondition, MaxRuntimeInSeconds: nine days.
RUNTIME_BOUNDS_S = (1, 777_600)
#: ProcessingClusterConfig, InstanceCount and VolumeSizeInGB.
MAX_INSTANCES = 100
MAX_VOLUME_SIZE_GIB = 16_384
#: ProcessingInputs, and ProcessingOutputConfig, Outputs.
MAX_INPUTS = 10
MAX_OUTPUTS = 10
#: The volume that the SageMaker Python SDK asks for where nothing is said (Processor, volume_size_in_gb).
DEFAULT_VOLUME_GIB = 30
#: AppSpecification, ContainerEntrypoint.
MAX_ENTRYPOINT_STRINGS = 100
MAX_ENTRYPOINT_STRING_CHARACTERS = 256
#: Longest name and value of a variable, in characters (Environment).
MAX_VARIABLE_CHARACTERS = (256, 256)

#: Ours: where inputs are and outputs go, each in a folder of its name. The API wants them below /opt/ml/processing/.
INPUT_PATH = "/opt/ml/processing/input"
OUTPUT_PATH = "/opt/ml/processing/output"
#: Ours: the input that holds the script.
CODE_INPUT = "code"

#: Ours: the variables that tell a script what to compile for.
NEURON_TARGET_VARIABLE = "SIZEWELL_NEURON_TARGET"
NEURON_CORES_VARIABLE = "SIZEWELL_NEURON_CORES"
NEURON_PRECISION_VARIABLE = "SIZEWELL_NEURON_PRECISION"
NEURON_SHAPES_VARIABLE = "SIZEWELL_NEURON_SHAPES"
NEURON_VARIABLES = (
    NEURON_TARGET_VARIABLE,
    NEURON_CORES_VARIABLE,
    NEURON_PRECISION_VARIABLE,
    NEURON_SHAPES_VARIABLE,
)
