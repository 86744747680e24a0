"""Where runs of trainings are recorded: the MLflow App of an environment, or an MLflow that the account has already."""

from typing import Annotated

from pydantic import Field

from sizewell.config.effects import OnChange, OnToggle

#: API reference: MlflowConfig of CreateTrainingJob, MlflowResourceArn; names: CreateMlflowTrackingServer.
MlflowArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:mlflow-(app|tracking-server)/[a-zA-Z0-9](-*[a-zA-Z0-9])*$",
        max_length=340,
        examples=["arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/team"],
    ),
]
#: API reference: AIMlflowConfig, MlflowExperimentName.
ExperimentName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_./-]+$",
        max_length=256,
        examples=["churn"],
        description="letters, digits, hyphens, underscores, dots and slashes",
    ),
]
_RECORDED = "runs are recorded in the experiment {}"
ON_EXPERIMENT = OnChange(changed=_RECORDED, added=_RECORDED, removed="runs are no longer recorded")
ON_MLFLOW_APP = OnToggle(
    on="an MLflow App is made, which records the runs of trainings",
    off="the MLflow App goes, with what it has recorded; policy.removal says whether it stays behind",
)
