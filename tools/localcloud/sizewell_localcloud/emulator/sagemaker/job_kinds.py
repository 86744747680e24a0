"""The kinds of jobs, and what SageMaker refuses in their requests."""

from typing import Any

from sizewell_localcloud.emulator import references
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker.instance_types import has_local_nvme, require_offer
from sizewell_localcloud.emulator.sagemaker.jobs import JobKind
from sizewell_localcloud.emulator.sagemaker.models import found_model

#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_AlgorithmSpecification.html and API_CreateTrainingJob
MAX_RUNTIME_S = 28 * 24 * 3600
#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTransformJob.html
MAX_PAYLOAD_MB = 100


def _check_training(request: dict[str, Any]) -> None:
    references.require_role(request["RoleArn"])
    references.require_vpc(request.get("VpcConfig"))
    references.require_key(request["OutputDataConfig"].get("KmsKeyId"))
    references.require_bucket_of(request["OutputDataConfig"]["S3OutputPath"])
    algorithm = request["AlgorithmSpecification"]
    if ("TrainingImage" in algorithm) == ("AlgorithmName" in algorithm):
        raise ValidationError("AlgorithmSpecification needs either TrainingImage or AlgorithmName")
    names = [channel["ChannelName"] for channel in request.get("InputDataConfig") or []]
    if len(set(names)) < len(names):
        raise ValidationError(f"Channel names must be unique, got {names}")
    for channel in request.get("InputDataConfig") or []:
        source = channel["DataSource"].get("S3DataSource")
        if source:
            references.require_bucket_of(source["S3Uri"])
    _check_resources(request["ResourceConfig"])
    _check_spot(request)
    if "CheckpointConfig" in request:
        references.require_bucket_of(request["CheckpointConfig"]["S3Uri"])


def _check_resources(resources: dict[str, Any]) -> None:
    references.require_key(resources.get("VolumeKmsKeyId"))
    instance_type = resources.get("InstanceType")
    if instance_type and has_local_nvme(instance_type) and "VolumeKmsKeyId" in resources:
        raise ValidationError(
            f"VolumeKmsKeyId is not supported for {instance_type}, which has local instance storage"
        )


def _check_spot(request: dict[str, Any]) -> None:
    stopping = request["StoppingCondition"]
    runtime = stopping.get("MaxRuntimeInSeconds", 86400)
    if runtime > MAX_RUNTIME_S:
        raise ValidationError(f"MaxRuntimeInSeconds must be at most {MAX_RUNTIME_S}")
    if not request.get("EnableManagedSpotTraining"):
        if "MaxWaitTimeInSeconds" in stopping:
            raise ValidationError(
                "MaxWaitTimeInSeconds can only be set when EnableManagedSpotTraining is true"
            )
        return
    if "MaxWaitTimeInSeconds" not in stopping:
        raise ValidationError("MaxWaitTimeInSeconds must be set when EnableManagedSpotTraining is true")
    if stopping["MaxWaitTimeInSeconds"] < runtime:
        raise ValidationError(
            "Invalid MaxWaitTimeInSeconds. It must be present and be greater than or equal to MaxRuntimeInSeconds"
        )
    if request["ResourceConfig"].get("KeepAlivePeriodInSeconds"):
        raise ValidationError("KeepAlivePeriodInSeconds is not supported with managed Spot training")


def _check_processing(request: dict[str, Any]) -> None:
    references.require_role(request["RoleArn"])
    cluster = request["ProcessingResources"]["ClusterConfig"]
    require_offer(cluster["InstanceType"], "processing")
    _check_resources(cluster)
    references.require_vpc((request.get("NetworkConfig") or {}).get("VpcConfig"))
    output = request.get("ProcessingOutputConfig") or {}
    references.require_key(output.get("KmsKeyId"))
    for kind, items, name in (
        ("Inputs", request.get("ProcessingInputs") or [], "InputName"),
        ("Outputs", output.get("Outputs") or [], "OutputName"),
    ):
        names = [item[name] for item in items]
        if len(set(names)) < len(names):
            raise ValidationError(f"{kind} must have unique names, got {names}")
        for item in items:
            s3 = item.get("S3Input") or item.get("S3Output")
            if s3:
                references.require_bucket_of(s3["S3Uri"])


def _check_transform(request: dict[str, Any]) -> None:
    found_model(request["ModelName"])
    require_offer(request["TransformResources"]["InstanceType"], "transform")
    references.require_bucket_of(request["TransformInput"]["DataSource"]["S3DataSource"]["S3Uri"])
    references.require_bucket_of(request["TransformOutput"]["S3OutputPath"])
    references.require_key(request["TransformOutput"].get("KmsKeyId"))
    _check_resources(request["TransformResources"])
    payload_mb, sent = request.get("MaxPayloadInMB", 6), request.get("MaxConcurrentTransforms", 1)
    if payload_mb > MAX_PAYLOAD_MB or payload_mb * sent > MAX_PAYLOAD_MB:
        raise ValidationError(
            f"MaxPayloadInMB, and MaxConcurrentTransforms * MaxPayloadInMB, cannot exceed {MAX_PAYLOAD_MB} MB, got "
            f"{payload_mb} and {payload_mb * sent}"
        )
    split = request["TransformInput"].get("SplitType", "None")
    if request.get("BatchStrategy") == "MultiRecord" and split == "None":
        raise ValidationError("BatchStrategy MultiRecord needs a SplitType of Line, RecordIO or TFRecord")


def _check_tuning(request: dict[str, Any]) -> None:
    definitions = [request["TrainingJobDefinition"]] if "TrainingJobDefinition" in request else []
    definitions += request.get("TrainingJobDefinitions") or []
    if not definitions:
        raise ValidationError("A tuning job needs TrainingJobDefinition or TrainingJobDefinitions")
    for definition in definitions:
        resources = definition.get("HyperParameterTuningResourceConfig", definition.get("ResourceConfig", {}))
        configs = resources.get("InstanceConfigs") or []
        if configs and "InstanceType" in resources:
            raise ValidationError("Provide either InstanceConfigs or InstanceType, not both")
        _check_training({**definition, "ResourceConfig": resources})
        for config in configs:
            _check_resources({**resources, **config})


TRAINING = JobKind(
    "training",
    "training-job",
    "TrainingJob",
    "SageMaker Training Job State Change",
    _check_training,
    has_secondary_status=True,
    sort_order="Ascending",
)
PROCESSING = JobKind(
    "processing",
    "processing-job",
    "ProcessingJob",
    "SageMaker Processing Job State Change",
    _check_processing,
    sort_order="Ascending",
)
TRANSFORM = JobKind(
    "transform",
    "transform-job",
    "TransformJob",
    "SageMaker Transform Job State Change",
    _check_transform,
)
TUNING = JobKind(
    "tuning",
    "hyper-parameter-tuning-job",
    "HyperParameterTuningJob",
    "SageMaker HyperParameter Tuning Job State Change",
    _check_tuning,
    sort_by="Name",
    sort_order="Ascending",
)
KINDS = (TRAINING, PROCESSING, TRANSFORM, TUNING)
