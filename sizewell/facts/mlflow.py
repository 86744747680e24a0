"""Managed MLflow of SageMaker: the serverless App, the tracking server before it, and what a client is told and may call.

https://docs.aws.amazon.com/sagemaker/latest/dg/mlflow.html and mlflow-app-setup.html, read 2026-11-23. There is a client for
both, the package sagemaker-mlflow, which signs requests: https://github.com/aws/sagemaker-mlflow
"""

#: Where CloudFormation has AWS::SageMaker::MlflowApp: the schemas of cfn-lint 1.58, read 2026-11-23.
APP_REGIONS = frozenset(
    (
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-south-1",
        "ap-southeast-1",
        "ap-southeast-2",
        "ca-central-1",
        "eu-central-1",
        "eu-north-1",
        "eu-west-1",
        "eu-west-2",
        "eu-west-3",
        "sa-east-1",
        "us-east-1",
        "us-east-2",
        "us-west-1",
        "us-west-2",
    )
)
#: The API of an App has one action for all that MLflow can do, to delete runs as well ("Data Plane IAM actions supported for
#: MLflow Apps", https://docs.aws.amazon.com/sagemaker/latest/dg/mlflow-app-setup-prerequisites-iam.html).
APP_ACTIONS = ("sagemaker:CallMlflowAppApi",)
#: What a client of a tracking server calls that records a run; it deletes nothing
#: (https://docs.aws.amazon.com/service-authorization/latest/reference/list_sagemaker-mlflow.html).
SERVER_ACTIONS = (
    "sagemaker-mlflow:CreateExperiment",
    "sagemaker-mlflow:CreateRun",
    "sagemaker-mlflow:GetExperiment",
    "sagemaker-mlflow:GetExperimentByName",
    "sagemaker-mlflow:GetRun",
    "sagemaker-mlflow:LogBatch",
    "sagemaker-mlflow:LogInputs",
    "sagemaker-mlflow:LogMetric",
    "sagemaker-mlflow:LogModel",
    "sagemaker-mlflow:LogParam",
    "sagemaker-mlflow:SetTag",
    "sagemaker-mlflow:UpdateRun",
)

#: What the client reads (https://mlflow.org/docs/latest/api_reference/python_api/mlflow.environment_variables.html), and the
#: tags of a run, a map in JSON, as the callback of Hugging Face Transformers reads them.
TRACKING_URI_VARIABLE = "MLFLOW_TRACKING_URI"
EXPERIMENT_VARIABLE = "MLFLOW_EXPERIMENT_NAME"
TAGS_VARIABLE = "MLFLOW_TAGS"
MLFLOW_VARIABLES = (EXPERIMENT_VARIABLE, TAGS_VARIABLE, TRACKING_URI_VARIABLE)
#: Of the artifact bucket: where clients, and the App, keep the artifacts of runs.
ARTIFACT_PREFIX = "mlflow"


def is_app(arn: str) -> bool:
    """Whether an ARN is that of an App; else it is that of a tracking server."""
    return ":mlflow-app/" in arn
