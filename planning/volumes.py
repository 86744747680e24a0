"""Disks: their size, and whether a customer-managed key may encrypt them."""

import math

from instance_selection.catalog import InstanceType

#: Container image, framework and logs.
BASE_VOLUME_GIB = 30
#: SageMaker attaches at most this much (API reference: ResourceConfig).
MAX_VOLUME_GIB = 16_384


def has_local_disks(instance_type: InstanceType) -> bool:
    """Return whether the type brings NVMe disks, which encrypt in hardware.

    CreateEndpointConfig and CreateTrainingJob refuse a KMS key for such a type (API reference: KmsKeyId,
    VolumeKmsKeyId).
    """
    return instance_type.local_storage_nvme


def volume_size_gib(content_gib: float) -> int:
    """Return the size of a volume for some content: twice, because an archive is unpacked beside itself."""
    return min(MAX_VOLUME_GIB, BASE_VOLUME_GIB + math.ceil(2 * content_gib))


def training_volume_size_gib(instance_type: InstanceType, content_gib: float) -> int:
    """Return VolumeSizeInGB of a training job; with local disks it may not exceed them."""
    wanted = volume_size_gib(content_gib)
    if has_local_disks(instance_type) and instance_type.local_storage_gb:
        return max(1, min(wanted, int(instance_type.local_storage_gb)))
    return wanted
