"""Faults of training requests."""

from typing import Any

from tests.checks.builders import resource, template, train, tune
from tests.checks.fault_collection import fault

REQUEST = "DefinitionString.States.Train.Parameters"
STOP, RESOURCES = f"{REQUEST}.StoppingCondition", f"{REQUEST}.ResourceConfig"


def training_fault(name: str, rule_id: str, path: str, message: str, what_to_do: str, **body: Any) -> None:
    fault(name, template(Machine=train(**body)), rule_id, "Machine", path, message, what_to_do)


training_fault(
    "Spot without a checkpoint",
    "training-spot-checkpoint",
    f"{REQUEST}.CheckpointConfig",
    "Spot without CheckpointConfig: an interrupted job starts again from zero",
    "give CheckpointConfig, and let the script resume from what it finds there",
    CheckpointConfig=None,
)
training_fault(
    "a wait below the run",
    "training-spot-wait",
    f"{STOP}.MaxWaitTimeInSeconds",
    "MaxWaitTimeInSeconds is 3599, below MaxRuntimeInSeconds (3600)",
    "raise it: the longest wait includes the longest run",
    StoppingCondition={"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 3599},
)
training_fault(
    "Spot without a wait",
    "training-spot-wait",
    f"{STOP}.MaxWaitTimeInSeconds",
    "Spot needs MaxWaitTimeInSeconds",
    "give MaxWaitTimeInSeconds, at least MaxRuntimeInSeconds",
    StoppingCondition={"MaxRuntimeInSeconds": 3600},
)
training_fault(
    "a wait without Spot",
    "training-spot-wait",
    f"{STOP}.MaxWaitTimeInSeconds",
    "a wait is limited, but Spot is not asked for",
    "remove MaxWaitTimeInSeconds or set EnableManagedSpotTraining",
    EnableManagedSpotTraining=None,
)
training_fault(
    "a warm pool of Spot",
    "training-spot-excludes",
    f"{RESOURCES}.KeepAlivePeriodInSeconds",
    "Spot does not go with a warm pool",
    "remove KeepAlivePeriodInSeconds or EnableManagedSpotTraining",
    ResourceConfig={"InstanceType": "ml.g5.xlarge", "KeepAlivePeriodInSeconds": 600},
)
training_fault(
    "preferred types on Spot",
    "training-spot-excludes",
    f"{RESOURCES}.InstancePreferences",
    "Spot does not go with a list of preferred types",
    "remove InstancePreferences or EnableManagedSpotTraining",
    ResourceConfig={"InstancePreferences": [{"InstanceType": "ml.g5.xlarge"}]},
)
training_fault(
    "31 retries",
    "training-limits",
    f"{REQUEST}.RetryStrategy.MaximumRetryAttempts",
    "MaximumRetryAttempts is 31, allowed is 1 to 30",
    "choose a value of 1 to 30",
    RetryStrategy={"MaximumRetryAttempts": 31},
)
training_fault(
    "training on a type that is not offered",
    "instance-offered",
    f"{RESOURCES}.InstanceType",
    "ml.p9.xlarge is not offered for training in eu-north-1",
    "choose another type or another region",
    ResourceConfig={"InstanceType": "ml.p9.xlarge"},
)
TRAINING = f"{REQUEST}.TrainingJobDefinition"
fault(
    "a training of a tuning job",
    template(Machine=tune(StoppingCondition={"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 3599})),
    "training-spot-wait",
    "Machine",
    f"{TRAINING}.StoppingCondition.MaxWaitTimeInSeconds",
    "MaxWaitTimeInSeconds is 3599, below MaxRuntimeInSeconds (3600)",
    "raise it: the longest wait includes the longest run",
)
fault(
    "a type of a tuning job that is not offered",
    template(
        Machine=tune(
            ResourceConfig=None,
            HyperParameterTuningResourceConfig={"InstanceConfigs": [{"InstanceType": "ml.p9.xlarge"}]},
        )
    ),
    "instance-offered",
    "Machine",
    f"{TRAINING}.HyperParameterTuningResourceConfig.InstanceConfigs.0.InstanceType",
    "ml.p9.xlarge is not offered for training in eu-north-1",
    "choose another type or another region",
)
fault(
    "a training that the stack starts itself",
    template(
        Job=resource(
            "SageMaker::TrainingJob",
            TrainingJobName={"Fn::Sub": "train-${AWS::StackName}-7"},
            EnableManagedSpotTraining=True,
            StoppingCondition={"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 3600},
        )
    ),
    "training-spot-checkpoint",
    "Job",
    "CheckpointConfig",
    "Spot without CheckpointConfig: an interrupted job starts again from zero",
    "give CheckpointConfig, and let the script resume from what it finds there",
)
fault(
    "a training whose name is the same in every deployment",
    template(Job=resource("SageMaker::TrainingJob", TrainingJobName="train")),
    "fixed-name",
    "Job",
    "TrainingJobName",
    "TrainingJobName is train: the next change fails, because the name is still taken",
    "end TrainingJobName in a version, or in a hash of the other properties",
)
