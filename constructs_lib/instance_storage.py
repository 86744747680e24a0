"""Which SageMaker instance types store on local NVMe disks instead of an EBS volume, by their name.

CreateEndpointConfig and CreateTrainingJob refuse a KMS key for such a type: its disks are encrypted by the hardware.
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html (KmsKeyId)
"""

import re

# An attribute letter d after the generation means local disks
# (https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html); the accelerated families below have
# them without saying so (https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html).
_NAMED_AFTER_DISKS = re.compile(r"[a-z]+\d+[a-z]*d[a-z]*")
_ACCELERATED_WITH_DISKS = re.compile(r"dl1|g[5-9]e?|p[5-9].*|trn\d.*")


def has_local_nvme(instance_type: str) -> bool:
    """Return whether a type such as ``ml.g5.xlarge`` brings NVMe disks of its own."""
    family = instance_type.removeprefix("ml.").partition(".")[0]
    return any(pattern.fullmatch(family) for pattern in (_NAMED_AFTER_DISKS, _ACCELERATED_WITH_DISKS))
