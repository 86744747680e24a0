"""What SageMaker refuses because of an instance type.

Offers come from cfn-lint's price-derived lists, not from Sizewell's catalog: the judge must not share the source of the
judged. They know hosting, processing and transform; for training nobody publishes a list.
"""

import json
import re
from functools import cache
from pathlib import Path

import cfnlint
from ministack.core.responses import get_region

from sizewell_localcloud.emulator.errors import ValidationError

_EXTENSIONS = Path(cfnlint.__file__).parent / "data" / "schemas" / "extensions"

#: Families whose instances bring local NVMe disks besides those that say so with a d (m5d, c6gd, p4d, g4dn):
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/InstanceStorage.html
_NVME_FAMILIES = {
    "g5",
    "g6",
    "g6e",
    "g6f",
    "gr6",
    "gr6f",
    "g7",
    "g7e",
    "p5",
    "p5e",
    "p5en",
    "p6-b200",
    "p6-b300",
    "p6e-gb200",
    "trn1",
    "trn1n",
    "trn2",
    "trn3",
}


@cache
def offered(usage: str, region: str) -> frozenset[str]:
    """Return the types that are offered for ``hosting``, ``processing`` or ``transform``; empty for an unknown region."""
    text = (_EXTENSIONS / f"aws_sagemaker_{usage}" / "instancetype_enum.json").read_text("utf-8")
    by_region = json.loads(text)
    schema = by_region.get(region) or {}
    return frozenset(schema.get("enum") or [])


def require_offer(instance_type: str, usage: str) -> None:
    """Refuse a type that the region does not offer for the usage."""
    types = offered(usage, get_region())
    if types and instance_type not in types:
        raise ValidationError(
            f"The instance type {instance_type} is not available for {usage} in the region {get_region()}"
        )


def is_burstable(instance_type: str) -> bool:
    """Say whether Application Auto Scaling refuses the type: t2, t3 and the like, and not trn1."""
    return re.match(r"ml\.t\d", instance_type) is not None


def has_local_nvme(instance_type: str) -> bool:
    """Say whether instances of the type bring NVMe disks, for which SageMaker takes no key and no volume size."""
    family = instance_type.removeprefix("ml.").partition(".")[0]
    return family in _NVME_FAMILIES or re.match(r"[a-z]+\d+[a-z]*d[a-z]*$", family) is not None
