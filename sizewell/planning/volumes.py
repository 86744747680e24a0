"""Disks: their size, and whether a customer-managed key may encrypt them."""

import math

from sizewell.facts.production_variants import VOLUME_SIZE_BOUNDS_GIB
from sizewell.facts.training_jobs import MAX_VOLUME_SIZE_GIB
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB

#: What a training script writes beside its checkpoints: compiled kernels, caches, temporary files.
SCRATCH_GIB = 20
#: What a training script holds of its checkpoints: two that are complete, and one that is being written. The reference script
#: deletes older ones, and SageMaker deletes in S3 what is deleted in the container:
#: https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html
CHECKPOINTS_HELD = 3


def has_local_disks(instance_type: InstanceType) -> bool:
    """Return whether the type brings NVMe disks, which encrypt in hardware.

    CreateEndpointConfig and CreateTrainingJob refuse a KMS key for such a type (API reference: KmsKeyId,
    VolumeKmsKeyId).
    """
    return instance_type.local_storage_nvme


def endpoint_volume_size_gib(artifact_gib: float) -> int:
    """Return VolumeSizeInGB of a production variant: the artifact twice, packed and unpacked."""
    return min(VOLUME_SIZE_BOUNDS_GIB[1], BASE_VOLUME_GIB + math.ceil(2 * artifact_gib))


def training_volume_size_gib(
    instance_type: InstanceType, checkpoint_gib: float, *, trainings: int = 1
) -> int:
    """Return VolumeSizeInGB of a training job; with local disks it may not exceed them.

    It holds the checkpoints of all ``trainings`` that share a location in S3. The dataset takes no room: it is streamed
    (FastFile, https://docs.aws.amazon.com/sagemaker/latest/dg/model-access-training-data.html).
    """
    checkpoints_gib = math.ceil(trainings * CHECKPOINTS_HELD * checkpoint_gib)
    wanted = min(MAX_VOLUME_SIZE_GIB, BASE_VOLUME_GIB + SCRATCH_GIB + checkpoints_gib)
    if has_local_disks(instance_type) and instance_type.local_storage_gb:
        return max(1, min(wanted, int(instance_type.local_storage_gb)))
    return wanted
