"""Requests for jobs, which the local cloud accepts."""

from typing import Any

from tests.integration.emulator.lab import IMAGE, SMALL, Json, Lab


def training_request(lab: Lab, **more: Any) -> Json:
    return {
        "TrainingJobName": lab.name("train"),
        "AlgorithmSpecification": {"TrainingImage": IMAGE, "TrainingInputMode": "File"},
        "RoleArn": lab.role,
        "OutputDataConfig": {"S3OutputPath": f"s3://{lab.bucket}/out"},
        "ResourceConfig": {"InstanceType": SMALL, "InstanceCount": 1, "VolumeSizeInGB": 30},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
    } | more


def job_requests(lab: Lab) -> dict[str, tuple[str, Json]]:
    """Return what the API calls each kind of job, and a request that it accepts."""
    source = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://{lab.bucket}/in/"}}
    training = training_request(lab)
    return {
        "training": ("TrainingJob", training),
        "processing": (
            "ProcessingJob",
            {
                "ProcessingJobName": lab.name("process"),
                "AppSpecification": {"ImageUri": IMAGE},
                "RoleArn": lab.role,
                "ProcessingResources": {
                    "ClusterConfig": {"InstanceType": SMALL, "InstanceCount": 1, "VolumeSizeInGB": 30}
                },
            },
        ),
        "transform": (
            "TransformJob",
            {
                "TransformJobName": lab.name("transform"),
                "ModelName": lab.model(),
                "TransformInput": {"DataSource": source},
                "TransformOutput": {"S3OutputPath": f"s3://{lab.bucket}/out"},
                "TransformResources": {"InstanceType": SMALL, "InstanceCount": 1},
            },
        ),
        "tuning": (
            "HyperParameterTuningJob",
            {
                "HyperParameterTuningJobName": lab.name("tune"),
                "HyperParameterTuningJobConfig": {
                    "Strategy": "Bayesian",
                    "ResourceLimits": {"MaxParallelTrainingJobs": 1},
                },
                "TrainingJobDefinition": {
                    "AlgorithmSpecification": training["AlgorithmSpecification"],
                    **{
                        k: training[k]
                        for k in ("RoleArn", "OutputDataConfig", "StoppingCondition", "ResourceConfig")
                    },
                },
            },
        ),
    }
