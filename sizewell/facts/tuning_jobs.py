"""What SageMaker takes of a hyperparameter tuning job; bounds are inclusive.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateHyperParameterTuningJob.html, the pages of its members, and
https://docs.aws.amazon.com/sagemaker/latest/dg/automatic-model-tuning-limits.html, read 2026-11-23
"""

from collections.abc import Mapping
from types import MappingProxyType

#: HyperParameterTuningJobName, which begins the names of its training jobs.
MAX_NAME_CHARACTERS = 32
#: What each run adds to the name of its workload: a hyphen, and the eight digits of the first group of a UUID.
MAX_NAME_PREFIX_CHARACTERS = MAX_NAME_CHARACTERS - 9
#: HyperParameterTrainingJobDefinition, Environment: fewer than CreateTrainingJob takes.
MAX_VARIABLES = 48
#: ResourceLimits, MaxRuntimeInSeconds: from two minutes, to the 30 days of the developer guide.
RUNTIME_BOUNDS_S = (120, 30 * 24 * 3600)
#: Hyperparameters that are searched, and values of a categorical one.
MAX_SEARCHED = 30
MAX_CATEGORICAL_VALUES = 30
#: After the quota was raised; it is 10 at first.
MAX_PARALLEL_JOBS = 100
#: Training jobs of one tuning job; of random search after the quota was raised, from 750.
MAX_JOBS: Mapping[str, int] = MappingProxyType(
    {"bayesian": 750, "random": 10_000, "hyperband": 750, "grid": 750}
)
#: HyperbandStrategyConfig, MaxResource.
MAX_HYPERBAND_EPOCHS = 20_000
#: HyperParameterTuningJobWarmStartConfig, ParentHyperParameterTuningJobs; which strategies learn from them: developer guide,
#: "Run a Warm Start Hyperparameter Tuning Job".
MAX_PARENTS = 5
WARM_STARTED = ("bayesian", "random")
