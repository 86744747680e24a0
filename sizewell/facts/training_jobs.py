"""What SageMaker takes of a training job; bounds are inclusive. And what the container of every job is told.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html and the pages of its members
(StoppingCondition, ResourceConfig, RetryStrategy, AlgorithmSpecification, CheckpointConfig), read 2026-11-22
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

MAX_NAME_CHARACTERS = 63
#: StoppingCondition, MaxRuntimeInSeconds: 28 days.
RUNTIME_BOUNDS_S = (1, 28 * 24 * 3600)
#: RetryStrategy, MaximumRetryAttempts.
RETRY_ATTEMPT_BOUNDS = (1, 30)
#: ResourceConfig, KeepAlivePeriodInSeconds and VolumeSizeInGB.
KEEP_ALIVE_BOUNDS_S = (0, 21_600)
MAX_VOLUME_SIZE_GIB = 16_384
#: The guide allows less than the request takes: https://docs.aws.amazon.com/sagemaker/latest/dg/train-warm-pools.html.
MAX_KEEP_ALIVE_MINUTES = 60
#: ResourceConfig, TrainingPlanArn.
TRAINING_PLAN_ARN_PATTERN = (
    r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[a-zA-Z0-9-]{1,64}$"
)
#: CheckpointConfig, LocalPath, where none is given.
DEFAULT_CHECKPOINT_PATH = "/opt/ml/checkpoints"

#: Ours: the variables by which a script finds out where and how often it writes a checkpoint.
CHECKPOINT_DIR_VARIABLE = "SIZEWELL_CHECKPOINT_DIR"
CHECKPOINT_INTERVAL_VARIABLE = "SIZEWELL_CHECKPOINT_INTERVAL_MINUTES"
CHECKPOINT_VARIABLES = (CHECKPOINT_DIR_VARIABLE, CHECKPOINT_INTERVAL_VARIABLE)
#: And the hyperparameter by which it finds out whether all weights are trained, or adapters.
METHOD_HYPERPARAMETER = "sizewell_method"

#: HyperParameters: entries of one job.
MAX_HYPERPARAMETERS = 100
#: Hyperparameters by which the SageMaker training toolkit of the image finds the script, and the directory or archive that it
#: copies to /opt/ml/code: https://github.com/aws/sagemaker-training-toolkit, ``params.py`` and ``download_and_extract`` of
#: ``files.py`` below ``src/sagemaker_training``, read 2026-11-24 in release 5.1.4.
PROGRAM_HYPERPARAMETER = "sagemaker_program"
CODE_HYPERPARAMETER = "sagemaker_submit_directory"
#: What begins a command that the toolkit runs in its own way: ``python FILE.py``, or a shell script (``_entry_point_type.py``).
INTERPRETERS: Mapping[str, str] = MappingProxyType({"python": ".py", "python3": ".py", "bash": ".sh"})

#: Ours: a job is worth a warning when its GPUs are used less than this on average, or a run is interrupted this often.
LOW_GPU_PERCENT = 20
MANY_INTERRUPTIONS = 3

#: AlgorithmSpecification, MetricDefinitions: how many, and the characters of each name and regular expression.
MAX_METRICS = 40
MAX_METRIC_CHARACTERS = 255
MAX_REGEX_CHARACTERS = 500

#: InputDataConfig: how many channels, and what their names may be (API reference, CreateTrainingJob and Channel).
MAX_CHANNELS = 20
CHANNEL_NAME_PATTERN = r"^[A-Za-z0-9._-]+$"
MAX_CHANNEL_NAME_CHARACTERS = 64
#: The channels of the dataset and of the script.
DATA_CHANNEL, CODE_CHANNEL = "training", "code"


def toolkit_hyperparameters(script: str) -> dict[str, str]:
    """Return the hyperparameters by which the training toolkit finds a script.

    It lies in the channel of the code; the toolkit copies that directory once more, to /opt/ml/code, where it starts the script.
    """
    return {CODE_HYPERPARAMETER: f"/opt/ml/input/data/{CODE_CHANNEL}", PROGRAM_HYPERPARAMETER: script}


def starts_one_script(command: Sequence[str]) -> bool:
    """Tell whether the training toolkit can run a command: an interpreter and its script, without arguments."""
    return len(command) == 2 and command[1].endswith(INTERPRETERS.get(command[0], "\0"))
